#include "fovea/shape_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/fail.h"
#include "core/number_text.h"
#include "core/text_layout.h"
#include "fovea/attention.h"
#include "fovea/json_writer.h"
#include "fovea/random.h"
#include "nn/linear.h"

namespace fovea {
namespace {

constexpr Index kMaxScores = Index{1} << 26;  // 256 MiB of scores: more is no teaching any more

void check(const ShapeTraceOptions& o) {
  const auto at_least = [](const char* what, Index value, Index least) {
    if (value < least) fail("[shapes] {} is {}, expected at least {}", what, value, least);
  };
  at_least("batch", o.batch, 1);
  at_least("length", o.length, 1);
  at_least("width", o.width, 1);
  at_least("heads", o.heads, 1);
  at_least("memory", o.memory, 0);
  if (o.width % o.heads != 0) fail("[shapes] {} heads do not evenly divide the width {}", o.heads, o.width);
  const Index keys = o.memory > 0 ? o.memory : o.length;
  const double scores = static_cast<double>(o.batch) * static_cast<double>(o.heads) *
                        static_cast<double>(o.length) * static_cast<double>(keys);
  const double inputs = static_cast<double>(o.batch) * static_cast<double>(std::max(o.length, keys)) *
                        static_cast<double>(o.width);
  const double limit = static_cast<double>(kMaxScores);
  if (scores > limit || inputs > limit ||
      static_cast<double>(o.width) * static_cast<double>(o.width) > limit) {
    fail("[shapes] B {}, H {}, N {}, M {}, E {}: too large to run for its shapes alone", o.batch, o.heads,
         o.length, keys, o.width);
  }
}

// Q·Kᵀ of every batch entry and head: q [.., N, d], k [.., M, d], rank 3 or 4 → [.., N, M].
Tensor score_tensor(ConstView q, ConstView k) {
  if (q.shape().rank() == 2) return Linear(k)(q);
  Tensor scores;
  for (Index b = 0; b < q.shape()[0]; ++b) {
    const Tensor part = score_tensor(q.select(0, b), k.select(0, b));
    if (scores.empty()) {
      std::vector<Index> extents = {q.shape()[0]};
      for (int axis = 0; axis < part.shape().rank(); ++axis) extents.push_back(part.shape()[axis]);
      scores = Tensor::uninitialized(Shape(extents));
    }
    std::copy_n(part.data(), part.shape().elements(), scores.data() + b * part.shape().elements());
  }
  return scores;
}

// [B, N, E] seen as [B, H, N, E/H]: no copy.
ConstView split_heads(const Tensor& x, Index heads) {
  const Shape& shape = x.shape();
  return ConstView(x.data(), Shape{shape[0], shape[1], heads, shape[2] / heads}).transpose(1, 2);
}

class Tracer {
 public:
  explicit Tracer(const ShapeTraceOptions& options) : random_(options.seed) { trace_.options = options; }

  ShapeTrace run() {
    const ShapeTraceOptions& o = trace_.options;
    const bool cross = o.memory > 0;
    const Tensor x = random_.normal({o.batch, o.length, o.width});
    add("X", "X", x,
        {fmt::format("{} sequences, {} tokens each, {} numbers per token", o.batch, o.length, o.width),
         fmt::format("{} 个序列，每个 {} 个词，每个词 {} 个数", o.batch, o.length, o.width)});
    const Tensor memory = cross ? random_.normal({o.batch, o.memory, o.width}) : Tensor();
    if (cross) {
      add("memory", "memory", memory,
          {fmt::format("what is looked at: {} tokens per sequence", o.memory),
           fmt::format("被关注的一方：每个序列 {} 个词", o.memory)});
    }
    const Tensor& source = cross ? memory : x;
    const std::string from = cross ? "memory" : "X";
    const Tensor q = projected("Q", x, "X·W_q", {"one query per token", "每个词一个查询"});
    const Tensor k = projected("K", source, from + "·W_k", {"one key per token", "每个词一个键"});
    const Tensor v = projected("V", source, from + "·W_v", {"one value per token", "每个词一个值"});
    if (o.heads == 1) {
      attend(q, k, v, "output");
    } else {
      multi_head(q, k, v);
    }
    return std::move(trace_);
  }

 private:
  void add(std::string name, std::string formula, ConstView tensor, Text sentence) {
    trace_.steps.push_back({std::move(name), std::move(formula), tensor.shape(), std::move(sentence)});
  }

  // Weights of N(0, 1/E): the result has the size of the input.
  Tensor projected(const char* name, const Tensor& input, const std::string& formula, Text sentence) {
    Tensor w = random_.normal({input.shape().back(), trace_.options.width});
    const float factor = 1 / std::sqrt(static_cast<float>(input.shape().back()));
    for (Index i = 0; i < w.shape().elements(); ++i) w.data()[i] *= factor;
    Tensor result = Linear(w.view().transpose(0, 1))(input);
    sentence.en += ", W " + w.shape().to_string();
    sentence.zh += "，W 为 " + w.shape().to_string();
    add(name, formula, result, std::move(sentence));
    return result;
  }

  Tensor attend(ConstView q, ConstView k, ConstView v, const char* output_name) {
    const bool heads = q.shape().rank() == 4;
    const Tensor scores = score_tensor(q, k);
    add("scores", heads ? "Q_h·K_hᵀ" : "Q·Kᵀ", scores,
        {fmt::format("{} queries against {} keys{}", scores.shape().back(1), scores.shape().back(),
                     heads ? ", in every head" : ""),
         fmt::format("{} 个查询对 {} 个键{}", scores.shape().back(1), scores.shape().back(),
                     heads ? "，每个头各一份" : "")});
    AttentionResult result = attention(q, k, v, {.weights = true});
    add("weights", fmt::format("softmax(scores/√{})", q.shape().back()), result.weights,
        {"each row sums to 1; the shape stays", "每行总和为 1，形状不变"});
    add(output_name, heads ? "weights·V_h" : "weights·V", result.output,
        {fmt::format("one mixture of values per query, {} numbers", result.output.shape().back()),
         fmt::format("每个查询得到值的加权和，{} 个数", result.output.shape().back())});
    return std::move(result.output);
  }

  void multi_head(const Tensor& q, const Tensor& k, const Tensor& v) {
    const Index heads = trace_.options.heads;
    const auto split = [&](const char* name, const char* formula, const Tensor& whole) {
      const ConstView parts = split_heads(whole, heads);
      add(name, formula, parts,
          {fmt::format("{} numbers = {} heads × {}", whole.shape().back(), heads, parts.shape().back()),
           fmt::format("{} 个数 = {} 个头 × {}", whole.shape().back(), heads, parts.shape().back())});
      return parts;
    };
    const ConstView q_heads = split("Q_h", "split(Q)", q);
    const ConstView k_heads = split("K_h", "split(K)", k);
    const ConstView v_heads = split("V_h", "split(V)", v);
    const Tensor each = attend(q_heads, k_heads, v_heads, "heads");
    const Tensor concat = Tensor::copy_of(each.view().transpose(1, 2)).reshaped(q.shape());
    add("concat", "Concat(heads)", concat,
        {fmt::format("the {} heads concatenated", heads), fmt::format("{} 个头重新并排", heads)});
    projected("output", concat, "concat·W_o", {"the same shape as X", "与 X 形状相同"});
  }

  ShapeTrace trace_;
  Random random_;
};

std::string title_of(const ShapeTraceOptions& o, bool chinese) {
  const bool cross = o.memory > 0;
  std::string title =
      chinese ? (o.heads > 1 ? "多头" : "") + std::string(cross ? "交叉注意力" : "自注意力") + "中的形状"
              : "Shapes along " + std::string(o.heads > 1 ? "multi-head " : "") +
                    (cross ? "cross-attention" : "self-attention");
  title += fmt::format("{}B = {}, N = {}, ", chinese ? "：" : ": ", o.batch, o.length);
  if (cross) title += fmt::format("M = {}, ", o.memory);
  title += fmt::format("E = {}", o.width);
  if (o.heads > 1) title += fmt::format(", H = {}, d_k = {}", o.heads, o.width / o.heads);
  return title;
}

}  // namespace

ShapeTrace trace_shapes(const ShapeTraceOptions& options) {
  check(options);
  return Tracer(options).run();
}

std::string to_terminal(const ShapeTrace& trace, const RenderOptions& options) {
  const bool chinese = options.language == Language::chinese;
  const std::string title = title_of(trace.options, chinese);
  TextTable table({{chinese ? "名称" : "name", TextTable::Align::left},
                   {chinese ? "公式" : "formula", TextTable::Align::left},
                   {chinese ? "形状" : "shape", TextTable::Align::left},
                   {chinese ? "含义" : "meaning", TextTable::Align::left}});
  for (const ShapeStep& step : trace.steps) {
    table.add({step.name, step.formula == step.name ? "" : step.formula, step.shape.to_string(),
               step.sentence.in(options.language)});
  }
  return styled(title, Style::bold, options.color) + '\n' +
         styled(repeat("═", display_width(title)), Style::dim, options.color) + "\n\n" +
         table.to_string(0, options.color);
}

std::string to_json(const ShapeTrace& trace) {
  JsonWriter json;
  json.begin_object();
  json.key("batch").integer(trace.options.batch);
  json.key("length").integer(trace.options.length);
  json.key("width").integer(trace.options.width);
  json.key("heads").integer(trace.options.heads);
  json.key("memory").integer(trace.options.memory);
  json.key("steps").begin_array();
  for (const ShapeStep& step : trace.steps) {
    json.begin_object();
    json.key("name").string(step.name);
    json.key("formula").string(step.formula);
    json.key("shape").shape(step.shape);
    json.key("sentence").text(step.sentence);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

}  // namespace fovea
