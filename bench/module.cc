#include "module.h"

const fovea::bench::Module* fovea_benchmark() {
  using namespace fovea::bench;
  static const Module module{list, run, run_models, run_products, run_training};
  return &module;
}
