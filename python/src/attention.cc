#include "fovea/attention.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <utility>

#include "arrays.h"
#include "bind.h"
#include "fovea/linear_attention.h"
#include "fovea/softmax.h"
#include "options.h"

namespace fovea::python {
namespace {

// What backward needs of forward: shares its memory with the arrays that Python got.
struct Forward {
  AttentionResult result;
};

bool all_float32(const Input& q, const Input& k, const Input& v) {
  return q.typed().type() == FloatType::float32 && k.typed().type() == FloatType::float32 &&
         v.typed().type() == FloatType::float32;
}

AttentionResult compute(Input& q, Input& k, Input& v, const AttentionOptions& options) {
  const nb::gil_scoped_release released;
  return all_float32(q, k, v) ? attention(q.view(), k.view(), v.view(), options)
                              : attention(q.typed(), k.typed(), v.typed(), options);
}

nb::tuple attend(nb::handle q, nb::handle k, nb::handle v, nb::handle mask, nb::handle bias,
                 std::optional<float> scale, float softcap, float dropout, std::uint64_t seed, bool weights,
                 bool logsumexp) {
  Input queries(q, "q"), keys(k, "k"), values(v, "v");
  AttentionOptions options = options_of({mask, bias, scale, softcap});
  options.dropout = dropout;
  options.seed = seed;
  options.weights = weights;
  options.logsumexp = logsumexp;
  AttentionResult result = compute(queries, keys, values, options);
  const Framework framework = queries.framework();
  return nb::make_tuple(to_python(std::move(result.output), framework),
                        to_python(std::move(result.weights), framework),
                        to_python(std::move(result.logsumexp), framework));
}

// (output, what attention_backward takes)
nb::tuple attention_forward(nb::handle q, nb::handle k, nb::handle v, nb::handle mask, nb::handle bias,
                            std::optional<float> scale, float softcap, float dropout, std::uint64_t seed,
                            bool weights) {
  Input queries(q, "q"), keys(k, "k"), values(v, "v");
  AttentionOptions options = options_of({mask, bias, scale, softcap});
  options.dropout = dropout;
  options.seed = seed;
  options.weights = weights;
  options.logsumexp = true;
  const nb::object owner = nb::cast(Forward{compute(queries, keys, values, options)});
  auto& kept = nb::cast<Forward&>(owner).result;
  const Framework framework = queries.framework();
  return nb::make_tuple(to_python(kept.output, owner, framework), to_python(kept.weights, owner, framework),
                        to_python(kept.logsumexp, owner, framework), owner);
}

nb::tuple backward(nb::handle q, nb::handle k, nb::handle v, const Forward& forward, nb::handle doutput,
                   nb::handle mask, nb::handle bias, std::optional<float> scale, float softcap,
                   float dropout, std::uint64_t seed) {
  Input queries(q, "q"), keys(k, "k"), values(v, "v"), gradient(doutput, "doutput");
  AttentionOptions options = options_of({mask, bias, scale, softcap});
  options.dropout = dropout;
  options.seed = seed;
  options.logsumexp = true;
  AttentionGradients gradients;
  {
    const nb::gil_scoped_release released;
    gradients = attention_backward(queries.view(), keys.view(), values.view(), forward.result,
                                   gradient.view(), options);
  }
  const Framework framework = queries.framework();
  return nb::make_tuple(
      to_python(std::move(gradients.dq), framework), to_python(std::move(gradients.dk), framework),
      to_python(std::move(gradients.dv), framework), to_python(std::move(gradients.dbias), framework));
}

LinearAttentionOptions linear_options(const std::string& feature_map, bool causal, float epsilon) {
  LinearAttentionOptions options;
  if (feature_map == "relu") {
    options.feature_map = FeatureMap::relu();
  } else if (feature_map == "exp") {
    options.feature_map = FeatureMap::exp();
  } else if (feature_map == "identity") {
    options.feature_map = FeatureMap::identity();
  } else if (feature_map != "elu_plus_one") {
    throw nb::value_error(("feature_map: got \"" + feature_map +
                           "\", expected \"elu_plus_one\", \"relu\", \"exp\" or \"identity\"")
                              .c_str());
  }
  options.causal = causal;
  options.epsilon = epsilon;
  return options;
}

nb::object linear(nb::handle q, nb::handle k, nb::handle v, const std::string& feature_map, bool causal,
                  float epsilon) {
  Input queries(q, "q"), keys(k, "k"), values(v, "v");
  const LinearAttentionOptions options = linear_options(feature_map, causal, epsilon);
  Tensor output;
  {
    const nb::gil_scoped_release released;
    output = linear_attention(queries.view(), keys.view(), values.view(), options);
  }
  return to_python(std::move(output), queries.framework());
}

nb::tuple linear_backward(nb::handle q, nb::handle k, nb::handle v, nb::handle doutput,
                          const std::string& feature_map, bool causal, float epsilon) {
  Input queries(q, "q"), keys(k, "k"), values(v, "v"), gradient(doutput, "doutput");
  const LinearAttentionOptions options = linear_options(feature_map, causal, epsilon);
  LinearAttentionGradients gradients;
  {
    const nb::gil_scoped_release released;
    gradients =
        linear_attention_backward(queries.view(), keys.view(), values.view(), gradient.view(), options);
  }
  const Framework framework = queries.framework();
  return nb::make_tuple(to_python(std::move(gradients.dq), framework),
                        to_python(std::move(gradients.dk), framework),
                        to_python(std::move(gradients.dv), framework));
}

}  // namespace

void bind_attention(nb::module_& m) {
  nb::class_<Forward>(m, "Forward", "What attention_backward needs of attention_forward.");
  m.def("attention", &attend, nb::arg("q"), nb::arg("k"), nb::arg("v"), nb::arg("mask").none(),
        nb::arg("bias").none(), nb::arg("scale").none(), nb::arg("softcap"), nb::arg("dropout"),
        nb::arg("seed"), nb::arg("weights"), nb::arg("logsumexp"));
  m.def("attention_forward", &attention_forward, nb::arg("q"), nb::arg("k"), nb::arg("v"),
        nb::arg("mask").none(), nb::arg("bias").none(), nb::arg("scale").none(), nb::arg("softcap"),
        nb::arg("dropout"), nb::arg("seed"), nb::arg("weights"));
  m.def("attention_backward", &backward, nb::arg("q"), nb::arg("k"), nb::arg("v"), nb::arg("forward"),
        nb::arg("doutput"), nb::arg("mask").none(), nb::arg("bias").none(), nb::arg("scale").none(),
        nb::arg("softcap"), nb::arg("dropout"), nb::arg("seed"));
  m.def("linear_attention", &linear, nb::arg("q"), nb::arg("k"), nb::arg("v"), nb::arg("feature_map"),
        nb::arg("causal"), nb::arg("epsilon"));
  m.def("linear_attention_backward", &linear_backward, nb::arg("q"), nb::arg("k"), nb::arg("v"),
        nb::arg("doutput"), nb::arg("feature_map"), nb::arg("causal"), nb::arg("epsilon"));
  m.def(
      "softmax",
      [](nb::handle x, int axis) {
        Input input(x, "x");
        Tensor result;
        {
          const nb::gil_scoped_release released;
          result = softmax(input.view(), axis);
        }
        return to_python(std::move(result), input.framework());
      },
      nb::arg("x"), nb::arg("axis") = -1, "softmax over one axis, in the shape of x; float32.");
}

}  // namespace fovea::python
