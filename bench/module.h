// The part of the benchmark that measures is a module: the command loads it when it is asked to, so that a
// first build need not wait for it.
#pragma once

#include "benchmark.h"

namespace fovea::bench {

struct Module {
  decltype(&bench::list) list;
  decltype(&bench::run) run;
  decltype(&bench::run_models) run_models;
  decltype(&bench::run_products) run_products;
  decltype(&bench::run_training) run_training;
};

}  // namespace fovea::bench

// What the command looks up in the module.
extern "C" __attribute__((visibility("default"))) const fovea::bench::Module* fovea_benchmark();
