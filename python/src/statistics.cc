#include "statistics.h"

#include <nanobind/stl/optional.h>

#include <optional>
#include <utility>

#include "arrays.h"
#include "bind.h"
#include "interrupt.h"
#include "options.h"

namespace fovea::python {
namespace {

nb::dict statistics_dict(nb::handle q, nb::handle k, nb::handle mask, nb::handle bias,
                         std::optional<float> scale, float softcap, Index thumbnail, Index top_k) {
  Input queries(q, "q"), keys(k, "k");
  const AttentionOptions options = options_of({mask, bias, scale, softcap});
  const ConstView q_view = queries.view(), k_view = keys.view();
  AttentionStatistics result;
  interruptible([&](const std::stop_token& stop) {
    result = attention_statistics(q_view, k_view, options,
                                  {.thumbnail = thumbnail, .top_k = top_k, .stop = stop});
  });
  return to_dict(std::move(result), queries.framework());
}

nb::object crop(nb::handle q, nb::handle k, nb::handle mask, nb::handle bias, std::optional<float> scale,
                float softcap, Index row_begin, Index row_end, Index key_begin, Index key_end) {
  Input queries(q, "q"), keys(k, "k");
  const AttentionOptions options = options_of({mask, bias, scale, softcap});
  const ConstView q_view = queries.view(), k_view = keys.view();
  Tensor result;
  {
    const nb::gil_scoped_release released;
    result = attention_crop(q_view, k_view, options, {row_begin, row_end, key_begin, key_end});
  }
  return to_python(std::move(result), queries.framework());
}

}  // namespace

nb::dict to_dict(AttentionStatistics statistics, Framework framework) {
  nb::dict means;
  means["entropy"] = to_python(std::move(statistics.means.entropy), framework);
  means["maximum"] = to_python(std::move(statistics.means.maximum), framework);
  means["diagonal"] = to_python(std::move(statistics.means.diagonal), framework);
  means["distance"] = to_python(std::move(statistics.means.distance), framework);
  means["visible"] = to_python(std::move(statistics.means.visible), framework);
  means["rows_seeing"] = to_python(std::move(statistics.means.rows_seeing), framework);
  nb::dict fields;
  fields["entropy"] = to_python(std::move(statistics.entropy), framework);
  fields["maximum"] = to_python(std::move(statistics.maximum), framework);
  fields["position"] = to_python(std::move(statistics.position), framework);
  fields["diagonal"] = to_python(std::move(statistics.diagonal), framework);
  fields["distance"] = to_python(std::move(statistics.distance), framework);
  fields["logsumexp"] = to_python(std::move(statistics.logsumexp), framework);
  fields["visible"] = to_python(std::move(statistics.visible), framework);
  fields["received"] = to_python(std::move(statistics.received), framework);
  fields["thumbnail"] = to_python(std::move(statistics.thumbnail), framework);
  fields["thumbnail_max"] = to_python(std::move(statistics.thumbnail_max), framework);
  fields["top_weights"] = to_python(std::move(statistics.top_weights), framework);
  fields["top_keys"] = to_python(std::move(statistics.top_keys), framework);
  fields["means"] = means;
  return fields;
}

void bind_statistics(nb::module_& m) {
  m.def("attention_statistics", &statistics_dict, nb::arg("q"), nb::arg("k"), nb::arg("mask").none(),
        nb::arg("bias").none(), nb::arg("scale").none(), nb::arg("softcap"), nb::arg("thumbnail"),
        nb::arg("top_k"));
  m.def("attention_crop", &crop, nb::arg("q"), nb::arg("k"), nb::arg("mask").none(), nb::arg("bias").none(),
        nb::arg("scale").none(), nb::arg("softcap"), nb::arg("row_begin"), nb::arg("row_end"),
        nb::arg("key_begin"), nb::arg("key_end"));
}

}  // namespace fovea::python
