// What a model wants from its files: first everything is checked, then everything is converted, once.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fovea/bias.h"
#include "models/weight_files.h"
#include "nn/embedding.h"
#include "nn/linear.h"
#include "nn/norm.h"

namespace fovea {

// How a matrix lies in the file, against [outputs, inputs] as Linear takes it.
enum class FileLayout {
  rows,          // the same
  columns,       // [inputs, outputs]: GPT-2's Conv1D
  rotary_pairs,  // rows 2i and 2i+1 of each head are turned together; here they are i and i + D/2
};

// Targets are filled by load() and must stay where they are until then.
class WeightPlan {
 public:
  // One tensor of the file; the names are alternatives, the first that is there counts.
  struct Part {
    std::vector<std::string> names;
    Shape shape;  // as it is used
    FileLayout layout = FileLayout::rows;
    Index head_width = 0;  // for rotary_pairs
  };

  // Matrices and tables are kept in `type`; vectors, such as biases and norms, in float32. The precision is
  // that of products with the matrices; bfloat16 takes the type bfloat16.
  explicit WeightPlan(const WeightFiles& files, FloatType type = FloatType::float32,
                      Precision precision = Precision::float32)
      : files_(files), type_(type), precision_(precision) {}
  WeightPlan(const WeightPlan&) = delete;
  WeightPlan& operator=(const WeightPlan&) = delete;

  bool has(const std::string& name) const { return files_.find(name) != nullptr; }

  void vector(const std::string& name, Index width, Tensor& to);
  // tied: the table is an output layer, too, and packed for that.
  void table(const std::vector<std::string>& names, Index rows, Index width, Embedding& to,
             bool tied = false);
  void norm(const std::string& name, Index width, LayerNorm& to);  // name.weight, name.bias (gamma, beta)
  void norm(const std::string& name, Index width, RmsNorm& to);
  // name.weight and, if `bias`, name.bias.
  void linear(const std::string& name, Index outputs, Index inputs, bool bias, Linear& to,
              FileLayout layout = FileLayout::rows);
  // Several layers on the same inputs, below each other.
  struct Row {
    std::string name;
    Index outputs;
    FileLayout layout = FileLayout::rows;
    Index head_width = 0;
  };
  void stacked(const std::vector<Row>& rows, Index inputs, bool bias, Linear& to);
  // Any tensor in the file's layout; `give` gets it. Several parts are vectors, one after the other.
  void tensor(std::vector<Part> parts, std::function<void(Tensor)> give);
  // Matrices below each other, packed for products.
  using GivePacked = std::function<void(std::shared_ptr<const PackedWeights>)>;
  void packed(std::vector<Part> parts, GivePacked give);

  // Called after all tensors are there.
  void afterwards(std::function<void()> finish) { finishers_.push_back(std::move(finish)); }

  // Throws one Error that lists the tensors that are missing or have another shape or type.
  void load();
  Index parameters() const { return parameters_; }  // elements wanted so far

 private:
  struct Wanted {
    std::vector<Part> parts;  // below each other
    std::function<void(Tensor)> give;
    GivePacked give_packed;
    std::function<void(StoredTable)> give_stored;  // one of the three
  };
  const RawArray* locate(const Part& part) const;
  std::string problem_of(const Part& part) const;  // "" if it fits
  // Some rows of the file at a time, a multiple of `unit` of them, as float32: there is never a second copy
  // of a whole matrix.
  using UsePiece = std::function<void(Index first_row, const Tensor& piece)>;
  void for_pieces(const Part& part, Index unit, const UsePiece& use) const;
  Tensor converted(const Part& part) const;
  Tensor assembled(const Wanted& wanted) const;
  void pack(const Part& part, Index first_output, PackedWeights& to) const;
  std::shared_ptr<const PackedWeights> packed_together(const Wanted& wanted) const;
  StoredTable stored(const Part& part) const;

  const WeightFiles& files_;
  FloatType type_;
  Precision precision_;
  std::vector<Wanted> wanted_;
  std::vector<std::function<void()>> finishers_;
  Index parameters_ = 0;
};

}  // namespace fovea
