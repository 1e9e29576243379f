// The parts of the module fovea._fovea, one file each.
#pragma once

#include <nanobind/nanobind.h>

namespace fovea::python {

void bind_masks(nanobind::module_& m);
void bind_attention(nanobind::module_& m);
void bind_statistics(nanobind::module_& m);
void bind_measures(nanobind::module_& m);
void bind_explain(nanobind::module_& m);
void bind_pictures(nanobind::module_& m);
void bind_run(nanobind::module_& m);
void bind_models(nanobind::module_& m);
void bind_page(nanobind::module_& m);
void bind_study(nanobind::module_& m);
void bind_whatif(nanobind::module_& m);

}  // namespace fovea::python
