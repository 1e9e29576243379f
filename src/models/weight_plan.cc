#include "models/weight_plan.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/fail.h"
#include "fovea/typed_view.h"

namespace fovea {
namespace {

Shape shape_in_file(const WeightPlan::Part& part) {
  return part.layout == FileLayout::columns ? Shape{part.shape[1], part.shape[0]} : part.shape;
}

Tensor to_float32(const WeightFiles::Located& located, const std::string& where) {
  const RawArray& raw = located.raw;
  const auto aligned_to = [&](std::size_t bytes) {
    return reinterpret_cast<std::uintptr_t>(raw.data.data()) % bytes == 0;
  };
  const void* data = raw.data.data();
  if (raw.dtype == DType::f32 && aligned_to(4)) {
    return Tensor::copy_of(ConstView(static_cast<const float*>(data), raw.shape));
  }
  if (raw.dtype == DType::f16 && aligned_to(2)) {
    return to_float32(TypedView::float16(static_cast<const std::uint16_t*>(data), raw.shape));
  }
  if (raw.dtype == DType::bf16 && aligned_to(2)) {
    return to_float32(TypedView::bfloat16(static_cast<const std::uint16_t*>(data), raw.shape));
  }
  return std::get<Tensor>(decode(raw, where));
}

// Rows 2i + j of each head become rows j · D/2 + i.
Tensor halves_of_pairs(const Tensor& from, Index head_width) {
  const Index rows = from.shape()[0], columns = from.shape()[1], half = head_width / 2;
  Tensor to = Tensor::uninitialized(from.shape());
  for (Index row = 0; row < rows; ++row) {
    const Index head = row / head_width, within = row % head_width;
    const Index target = head * head_width + within % 2 * half + within / 2;
    std::copy_n(from.data() + row * columns, columns, to.data() + target * columns);
  }
  return to;
}

}  // namespace

void WeightPlan::tensor(std::vector<Part> parts, std::function<void(Tensor)> give) {
  for (const Part& part : parts) parameters_ += part.shape.elements();
  wanted_.push_back({std::move(parts), std::move(give)});
}

void WeightPlan::vector(const std::string& name, Index width, Tensor& to) {
  tensor({{{name}, {width}}}, [&to](Tensor loaded) { to = std::move(loaded); });
}

void WeightPlan::table(const std::vector<std::string>& names, Index rows, Index width, Embedding& to) {
  tensor({{names, {rows, width}}},
         [&to](Tensor loaded) { to = Embedding(std::make_shared<const Tensor>(std::move(loaded))); });
}

void WeightPlan::norm(const std::string& name, Index width, LayerNorm& to) {
  tensor({{{name + ".weight", name + ".gamma"}, {width}}},
         [&to](Tensor loaded) { to.weight = std::move(loaded); });
  tensor({{{name + ".bias", name + ".beta"}, {width}}},
         [&to](Tensor loaded) { to.bias = std::move(loaded); });
}

void WeightPlan::norm(const std::string& name, Index width, RmsNorm& to) {
  vector(name + ".weight", width, to.weight);
}

void WeightPlan::linear(const std::string& name, Index outputs, Index inputs, bool bias, Linear& to,
                        FileLayout layout) {
  stacked({{name, outputs, layout}}, inputs, bias, to);
}

void WeightPlan::stacked(const std::vector<Row>& rows, Index inputs, bool bias, Linear& to) {
  std::vector<Part> weights, biases;
  for (const Row& row : rows) {
    weights.push_back({{row.name + ".weight"}, {row.outputs, inputs}, row.layout, row.head_width});
    biases.push_back({{row.name + ".bias"}, {row.outputs}});
  }
  if (!bias) {
    tensor(std::move(weights),
           [&to](Tensor weight) { to = Linear(std::make_shared<const Tensor>(std::move(weight))); });
    return;
  }
  auto kept = std::make_shared<Tensor>();
  tensor(std::move(biases), [kept](Tensor loaded) { *kept = std::move(loaded); });
  tensor(std::move(weights), [kept, &to](Tensor weight) {
    to = Linear(std::make_shared<const Tensor>(std::move(weight)), std::move(*kept));
  });
}

const WeightFiles::Located* WeightPlan::locate(const Part& part) const {
  for (const std::string& name : part.names) {
    if (const WeightFiles::Located* located = files_.find(name)) return located;
  }
  return nullptr;
}

std::string WeightPlan::problem_of(const Part& part) const {
  const WeightFiles::Located* located = locate(part);
  const Shape expected = shape_in_file(part);
  if (located == nullptr) {
    return fmt::format("{} is missing, expected {}", part.names.front(), expected.to_string());
  }
  if (!is_floating(located->raw.dtype)) {
    return fmt::format("{} holds integers, expected floats {}", part.names.front(), expected.to_string());
  }
  if (!(located->raw.shape == expected)) {
    return fmt::format("{} is {}, expected {}", part.names.front(), located->raw.shape.to_string(),
                       expected.to_string());
  }
  return "";
}

Tensor WeightPlan::converted(const Part& part) const {
  const WeightFiles::Located& located = *locate(part);
  Tensor tensor = to_float32(located, files_.where());
  if (located.file != nullptr) located.file->release(located.raw.data);
  if (part.layout == FileLayout::columns) return Tensor::copy_of(tensor.view().transpose(0, 1));
  if (part.layout == FileLayout::rotary_pairs) return halves_of_pairs(tensor, part.head_width);
  return tensor;
}

Tensor WeightPlan::assembled(const Wanted& wanted) const {
  if (wanted.parts.size() == 1) return converted(wanted.parts.front());
  const Shape& first = wanted.parts.front().shape;
  Index rows = 0;
  for (const Part& part : wanted.parts) rows += part.shape[0];
  Tensor whole = Tensor::uninitialized(first.rank() == 1 ? Shape{rows} : Shape{rows, first[1]});
  float* to = whole.data();
  for (const Part& part : wanted.parts) {
    const Tensor piece = converted(part);
    to = std::copy_n(piece.data(), piece.shape().elements(), to);
  }
  return whole;
}

void WeightPlan::load() {
  std::string problems;
  Index count = 0;
  for (const Wanted& wanted : wanted_) {
    for (const Part& part : wanted.parts) {
      const std::string problem = problem_of(part);
      if (!problem.empty()) problems += (count++ == 0 ? "" : "; ") + problem;
    }
  }
  if (count > 0) {
    fail("{}: {} tensor{} not fit: {}", files_.where(), count, count == 1 ? " does" : "s do", problems);
  }
  for (const Wanted& wanted : wanted_) wanted.give(assembled(wanted));
  for (const auto& finish : finishers_) finish();
}

}  // namespace fovea
