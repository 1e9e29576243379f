#include "models/weight_plan.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/fail.h"
#include "fovea/render.h"
#include "fovea/typed_view.h"

namespace fovea {
namespace {

Shape shape_in_file(const WeightPlan::Part& part) {
  return part.layout == FileLayout::columns ? Shape{part.shape[1], part.shape[0]} : part.shape;
}

Tensor to_float32(const RawArray& raw, const std::string& where) {
  if (raw.dtype != DType::f16 && raw.dtype != DType::bf16) return std::get<Tensor>(decode(raw, where));
  std::vector<std::uint16_t> bits(static_cast<std::size_t>(raw.shape.elements()));
  raw.source->read(raw.begin, reinterpret_cast<char*>(bits.data()), bits.size() * sizeof(bits[0]));
  return to_float32(raw.dtype == DType::f16 ? TypedView::float16(bits.data(), raw.shape)
                                            : TypedView::bfloat16(bits.data(), raw.shape));
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

// Rows [begin, end) of a matrix.
RawArray rows_of(const RawArray& raw, Index begin, Index end) {
  const Index columns = raw.shape.elements() / raw.shape[0];
  const std::uint64_t row_bytes = static_cast<std::uint64_t>(columns) * size_of(raw.dtype);
  RawArray rows = raw;
  rows.shape = raw.shape.rank() == 1 ? Shape{end - begin} : Shape{end - begin, columns};
  rows.begin = raw.begin + static_cast<std::uint64_t>(begin) * row_bytes;
  return rows;
}

}  // namespace

void WeightPlan::tensor(std::vector<Part> parts, std::function<void(Tensor)> give) {
  for (const Part& part : parts) parameters_ += part.shape.elements();
  wanted_.push_back({std::move(parts), std::move(give), {}, {}});
}

void WeightPlan::packed(std::vector<Part> parts, GivePacked give) {
  for (const Part& part : parts) parameters_ += part.shape.elements();
  wanted_.push_back({std::move(parts), {}, std::move(give), {}});
}

void WeightPlan::vector(const std::string& name, Index width, Tensor& to) {
  tensor({{{name}, {width}}}, [&to](Tensor loaded) { to = std::move(loaded); });
}

void WeightPlan::table(const std::vector<std::string>& names, Index rows, Index width, Embedding& to,
                       bool tied) {
  if (tied) {
    packed({{names, {rows, width}}},
           [&to](std::shared_ptr<const PackedWeights> loaded) { to = Embedding(std::move(loaded)); });
  } else if (type_ == FloatType::float32) {
    tensor({{names, {rows, width}}}, [&to](Tensor loaded) { to = Embedding(std::move(loaded)); });
  } else {
    parameters_ += rows * width;
    wanted_.push_back({{{names, {rows, width}}}, {}, {}, [&to](StoredTable loaded) {
                         to = Embedding(std::move(loaded));
                       }});
  }
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
    packed(std::move(weights),
           [&to](std::shared_ptr<const PackedWeights> weight) { to = Linear(std::move(weight)); });
    return;
  }
  auto kept = std::make_shared<Tensor>();
  tensor(std::move(biases), [kept](Tensor loaded) { *kept = std::move(loaded); });
  packed(std::move(weights), [kept, &to](std::shared_ptr<const PackedWeights> weight) {
    to = Linear(std::move(weight), std::move(*kept));
  });
}

const RawArray* WeightPlan::locate(const Part& part) const {
  for (const std::string& name : part.names) {
    if (const RawArray* located = files_.find(name)) return located;
  }
  return nullptr;
}

std::string WeightPlan::problem_of(const Part& part) const {
  const RawArray* located = locate(part);
  const Shape expected = shape_in_file(part);
  if (located == nullptr) {
    return fmt::format("{} is missing, expected {}", part.names.front(), expected.to_string());
  }
  if (!is_floating(located->dtype)) {
    return fmt::format("{} holds integers, expected floats {}", part.names.front(), expected.to_string());
  }
  if (!(located->shape == expected)) {
    return fmt::format("{} is {}, expected {}", part.names.front(), located->shape.to_string(),
                       expected.to_string());
  }
  return "";
}

void WeightPlan::for_pieces(const Part& part, Index unit, const UsePiece& use) const {
  constexpr Index kPiece = 1 << 18;  // numbers
  const RawArray& located = *locate(part);
  const Index rows = located.shape[0], columns = located.shape.elements() / std::max<Index>(1, rows);
  const Index step = std::max<Index>(1, kPiece / std::max<Index>(1, unit * columns)) * unit;
  for (Index row = 0; row < rows; row += step) {
    use(row, to_float32(rows_of(located, row, std::min(rows, row + step)), files_.where()));
  }
}

Tensor WeightPlan::converted(const Part& part) const {
  Tensor whole = Tensor::uninitialized(shape_in_file(part));
  float* to = whole.data();
  for_pieces(part, 1, [&](Index, const Tensor& piece) {
    to = std::copy_n(piece.data(), piece.shape().elements(), to);
  });
  return whole;
}

void WeightPlan::pack(const Part& part, Index first_output, PackedWeights& to) const {
  // Whole panels, whole heads. Of int8 whole outputs, which in columns are the whole matrix.
  const bool whole = part.layout == FileLayout::columns && to.type() == FloatType::int8;
  const Index unit = whole ? part.shape[1] : part.head_width > 0 ? part.head_width : to.panel_outputs();
  for_pieces(part, unit, [&](Index row, const Tensor& piece) {
    if (part.layout == FileLayout::columns) {
      to.set(first_output, row, piece.view().transpose(0, 1));
    } else if (part.layout == FileLayout::rotary_pairs) {
      to.set(first_output + row, 0, halves_of_pairs(piece, part.head_width));
    } else {
      to.set(first_output + row, 0, piece);
    }
  });
}

std::shared_ptr<const PackedWeights> WeightPlan::packed_together(const Wanted& wanted) const {
  Index outputs = 0;
  for (const Part& part : wanted.parts) outputs += part.shape[0];
  auto whole = std::make_shared<PackedWeights>(outputs, wanted.parts.front().shape[1], type_, precision_);
  outputs = 0;
  for (const Part& part : wanted.parts) {
    pack(part, outputs, *whole);
    outputs += part.shape[0];
  }
  return whole;
}

StoredTable WeightPlan::stored(const Part& part) const {
  StoredTable whole(part.shape[0], part.shape[1], type_);
  for_pieces(part, 1, [&](Index row, const Tensor& piece) { whole.set(row, piece); });
  return whole;
}

Tensor WeightPlan::assembled(const Wanted& wanted) const {
  if (wanted.parts.size() == 1) return converted(wanted.parts.front());
  Index elements = 0;
  for (const Part& part : wanted.parts) elements += part.shape.elements();
  Tensor whole = Tensor::uninitialized({elements});
  float* to = whole.data();
  for (const Part& part : wanted.parts) {
    const Tensor piece = converted(part);
    to = std::copy_n(piece.data(), piece.shape().elements(), to);
  }
  return whole;
}

void WeightPlan::load() {
  std::vector<std::string> problems;
  for (const Wanted& wanted : wanted_) {
    for (const Part& part : wanted.parts) {
      std::string problem = problem_of(part);
      if (!problem.empty()) problems.push_back(std::move(problem));
    }
  }
  if (!problems.empty()) {
    fail("{}: {} tensor{} not fit: {}", files_.where(), problems.size(),
         problems.size() == 1 ? " does" : "s do", listed(problems, 10, "; "));
  }
  for (const Wanted& wanted : wanted_) {
    if (wanted.give_packed) {
      wanted.give_packed(packed_together(wanted));
    } else if (wanted.give_stored) {
      wanted.give_stored(stored(wanted.parts.front()));
    } else {
      wanted.give(assembled(wanted));
    }
  }
  for (const auto& finish : finishers_) finish();
}

}  // namespace fovea
