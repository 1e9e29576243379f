// Runs a check on every instruction set of this machine.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "fovea/instruction_set.h"

namespace fovea::testing {

// With FOVEA_ISA set, only on that one. With FOVEA_EVERY_ISA_DONE on none: an earlier run had them all, and
// this one is for the tests that take the instruction set as it is.
template <typename Body>
void on_every_instruction_set(const Body& body) {
  if (std::getenv("FOVEA_EVERY_ISA_DONE") != nullptr) return;
  if (std::getenv("FOVEA_ISA") != nullptr) {
    body();
    return;
  }
  for (const std::string& name : available_instruction_sets()) {
    SCOPED_TRACE("instruction set " + name);
    force_instruction_set(name);
    body();
  }
  force_instruction_set("auto");
}

}  // namespace fovea::testing
