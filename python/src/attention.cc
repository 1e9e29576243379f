#include "fovea/attention.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "arrays.h"
#include "bind.h"
#include "fovea/linear_attention.h"
#include "fovea/softmax.h"
#include "interrupt.h"
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

// Long enough that somebody might want to end it: about half a second on two cores.
constexpr double kLongWork = 4e10;

// Is it long, and does it fall into heads that can be computed one by one? Not with dropout, whose counter
// goes through all of them; nor what does not fit together: the library says so of the whole.
bool is_long(const ConstView& q, const ConstView& k, const ConstView& v, const AttentionOptions& options) {
  const Shape &s = q.shape(), &t = k.shape(), &u = v.shape();
  if (s.rank() != 4 || t.rank() != 4 || u.rank() != 4 || options.dropout > 0) return false;
  const bool fits = t[0] == s[0] && u[0] == s[0] && t[1] == u[1] && t[2] == u[2] && t[3] == s[3] &&
                    t[1] > 0 && s[1] % t[1] == 0;
  const auto one_or = [](Index got, Index wanted) { return got <= 1 || got == wanted; };
  if (!fits || !one_or(options.mask.batch(), s[0]) || !one_or(options.mask.heads(), s[1])) return false;
  const auto size = [](Index extent) { return static_cast<double>(extent); };
  return s[0] * s[1] > 1 &&
         2 * size(s[0]) * size(s[1]) * size(s[2]) * size(k.shape()[2]) * (size(s[3]) + size(v.shape()[3])) >
             kLongWork;
}

void copy_head(const Tensor& from, Tensor& into, Index place) {
  if (from.empty()) return;
  const Index count = from.shape().elements();
  std::copy(from.data(), from.data() + count, into.data() + place * count);
}

// Head by head, so that Ctrl-C ends it between two of them. The same numbers.
AttentionResult compute_by_head(const ConstView& q, const ConstView& k, const ConstView& v,
                                const AttentionOptions& options) {
  const Shape& s = q.shape();
  const Index batch = s[0], heads = s[1], n = s[2], m = k.shape()[2], group = heads / k.shape()[1];
  AttentionResult result;
  result.output = Tensor::uninitialized({batch, heads, n, v.shape()[3]});
  if (options.weights) result.weights = Tensor::uninitialized({batch, heads, n, m});
  if (options.logsumexp) result.logsumexp = Tensor::uninitialized({batch, heads, n});
  watched("attention", [&](const Watch& watch) {
    for (Index place = 0; place < batch * heads; ++place) {
      if (watch.stop.stop_requested()) return;
      const Index b = place / heads, h = place % heads;
      AttentionOptions one = options;
      one.mask = options.mask.select(b, h);
      one.bias = options.bias.select(b, h);
      const AttentionResult head =
          attention(q.select(0, b).select(0, h), k.select(0, b).select(0, h / group),
                    v.select(0, b).select(0, h / group), one);
      copy_head(head.output, result.output, place);
      copy_head(head.weights, result.weights, place);
      copy_head(head.logsumexp, result.logsumexp, place);
      watch.progress(static_cast<double>(place + 1) / static_cast<double>(batch * heads));
    }
  });
  return result;
}

AttentionResult compute(Input& q, Input& k, Input& v, const AttentionOptions& options) {
  if (all_float32(q, k, v) && is_long(q.view(), k.view(), v.view(), options))
    return compute_by_head(q.view(), k.view(), v.view(), options);
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
  m.def("attention", &attend, nb::arg("q").none(), nb::arg("k").none(), nb::arg("v").none(),
        nb::arg("mask").none(), nb::arg("bias").none(), nb::arg("scale").none(), nb::arg("softcap"),
        nb::arg("dropout"), nb::arg("seed"), nb::arg("weights"), nb::arg("logsumexp"));
  m.def("attention_forward", &attention_forward, nb::arg("q").none(), nb::arg("k").none(),
        nb::arg("v").none(), nb::arg("mask").none(), nb::arg("bias").none(), nb::arg("scale").none(),
        nb::arg("softcap"), nb::arg("dropout"), nb::arg("seed"), nb::arg("weights"));
  m.def("attention_backward", &backward, nb::arg("q").none(), nb::arg("k").none(), nb::arg("v").none(),
        nb::arg("forward"), nb::arg("doutput"), nb::arg("mask").none(), nb::arg("bias").none(),
        nb::arg("scale").none(), nb::arg("softcap"), nb::arg("dropout"), nb::arg("seed"));
  m.def("linear_attention", &linear, nb::arg("q").none(), nb::arg("k").none(), nb::arg("v").none(),
        nb::arg("feature_map"), nb::arg("causal"), nb::arg("epsilon"));
  m.def("linear_attention_backward", &linear_backward, nb::arg("q").none(), nb::arg("k").none(),
        nb::arg("v").none(), nb::arg("doutput"), nb::arg("feature_map"), nb::arg("causal"),
        nb::arg("epsilon"));
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
