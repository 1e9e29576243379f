#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.h"
#include "fovea/error.h"
#include "fovea/instruction_set.h"
#include "fovea/threads.h"
#include "fovea/version.h"

namespace nb = nanobind;

NB_MODULE(_fovea, m) {
  using namespace fovea;
  nb::set_leak_warnings(false);  // what lives until the end, a run that is served say, is no leak
  m.doc() = "The library of fovea, bound to Python; use the package fovea, which is made of it.";
  nb::exception<Error>(m, "Error", PyExc_ValueError);

  m.def("version", &version);
  m.def("thread_count", &thread_count, "Threads that calls from this Python thread use.");
  m.def("set_thread_count", &set_thread_count, nb::arg("count"),
        "How many threads calls from this Python thread use, 1 to 1024. Results do not depend on it.");

  m.def("instruction_set", &instruction_set, "The vector instructions in use, \"avx2\" for example.");

  python::bind_masks(m);
  python::bind_attention(m);
  python::bind_statistics(m);
  python::bind_measures(m);
  python::bind_explain(m);
  python::bind_pictures(m);
  python::bind_run(m);
  python::bind_models(m);
  python::bind_page(m);
  python::bind_study(m);
  python::bind_whatif(m);
}
