#include "kernels/instruction_set.h"

#include <hwy/highway.h>
#include <cstdlib>

#include "core/fail.h"
#include "fovea/instruction_set.h"

namespace fovea {
namespace {

struct NamedTarget {
  std::int64_t target;
  const char* name;
};

// Best first within an architecture. AVX3 is Highway's name for AVX-512.
constexpr NamedTarget kTargets[] = {
    {HWY_AVX3, "avx512"},     {HWY_AVX2, "avx2"},     {HWY_SSE4, "sse4"}, {HWY_SVE2_128, "sve2-128"},
    {HWY_SVE_256, "sve-256"}, {HWY_SVE2, "sve2"},     {HWY_SVE, "sve"},   {HWY_NEON, "neon"},
    {HWY_EMU128, "scalar"},   {HWY_SCALAR, "scalar"},
};

// What the processor has and the build holds; asked once, before anything is forced.
std::int64_t available_targets() {
  static const std::int64_t targets = (hwy::SupportedTargets() | HWY_STATIC_TARGET) & HWY_TARGETS;
  return targets;
}

std::int64_t forced_target = 0;  // 0: the best

void choose(std::int64_t targets) { hwy::GetChosenTarget().Update(targets); }

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void force(std::string_view name, const char* who) {
  const std::int64_t available = available_targets();
  if (name == "auto") {
    forced_target = 0;
    return choose(available);
  }
  for (const NamedTarget& entry : kTargets) {
    if (entry.name == name && (entry.target & available) != 0) {
      forced_target = entry.target;
      return choose(entry.target);
    }
  }
  fail("[{}] instruction set '{}' is not available on this machine; available: auto, {}", who, name,
       joined(available_instruction_sets()));
}

}  // namespace

namespace kernels {

void apply_forced_instruction_set() {
  static const bool applied = [] {
    if (const char* name = std::getenv("FOVEA_ISA"); name != nullptr && *name != '\0') {
      force(name, "FOVEA_ISA");
    } else {
      force("auto", "instruction set");
    }
    return true;
  }();
  static_cast<void>(applied);
}

}  // namespace kernels

std::vector<std::string> available_instruction_sets() {
  const std::int64_t available = available_targets();
  std::vector<std::string> names;
  for (const NamedTarget& entry : kTargets) {
    if ((entry.target & available) != 0) names.emplace_back(entry.name);
  }
  return names;
}

std::string instruction_set() {
  kernels::apply_forced_instruction_set();
  for (const NamedTarget& entry : kTargets) {
    if (entry.target == forced_target) return entry.name;
  }
  return available_instruction_sets().front();
}

void force_instruction_set(std::string_view name) {
  kernels::apply_forced_instruction_set();
  force(name, "instruction set");
}

}  // namespace fovea
