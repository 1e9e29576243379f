// exercise_io.h, which `fovea learn start --language cpp` writes beside the learner's program.
#include "lessons/exercise_skeleton.h"

namespace fovea {

const std::string_view kCppInputOutput =
    R"io(// Reads the inputs of an exercise, and writes the output. Nothing in here is part of the exercise.
#pragma once

#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

using Matrix = std::vector<std::vector<double>>;

class Inputs {
 public:
  explicit Inputs(const std::string& text) : text_(text) {
    at_ = text_.find("\"inputs\"");
    if (at_ == std::string::npos) throw std::runtime_error("there are no inputs");
    at_ += 8;
    expect(':');
    expect('{');
    while (!accept('}')) {
      const std::string name = read_name();
      expect(':');
      read_value(values_[name]);
      accept(',');
    }
  }
  Matrix matrix(const std::string& name) const { return values_.at(name); }
  int heads() const { return static_cast<int>(values_.at("heads").at(0).at(0)); }
  std::vector<bool> mask() const {
    std::vector<bool> flags;
    for (const double flag : values_.at("mask").at(0)) flags.push_back(flag != 0);
    return flags;
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) throw std::runtime_error(std::string("expected ") + c);
  }
  std::string read_name() {
    expect('"');
    const std::size_t begin = at_;
    at_ = text_.find('"', at_);
    if (at_ == std::string::npos) throw std::runtime_error("a name without end");
    return text_.substr(begin, at_++ - begin);
  }
  double read_number() {
    skip_space();
    if (text_.compare(at_, 4, "true") == 0) return at_ += 4, 1;
    if (text_.compare(at_, 5, "false") == 0) return at_ += 5, 0;
    char* end = nullptr;
    const double value = std::strtod(text_.c_str() + at_, &end);
    if (end == text_.c_str() + at_) throw std::runtime_error("expected a number");
    at_ = static_cast<std::size_t>(end - text_.c_str());
    return value;
  }
  void read_row(std::vector<double>& row) {
    while (!accept(']')) {
      row.push_back(read_number());
      accept(',');
    }
  }
  void read_value(Matrix& matrix) {
    if (!accept('[')) {
      matrix.push_back({read_number()});
      return;
    }
    skip_space();
    if (text_[at_] != '[') {
      matrix.emplace_back();
      read_row(matrix.back());
      return;
    }
    while (!accept(']')) {
      expect('[');
      matrix.emplace_back();
      read_row(matrix.back());
      accept(',');
    }
  }

  std::string text_;
  std::size_t at_ = 0;
  std::map<std::string, Matrix> values_;
};

inline Inputs read_inputs(std::istream& in) {
  return Inputs(std::string(std::istreambuf_iterator<char>(in), {}));
}

inline void write_output(std::ostream& out, const Matrix& output) {
  out.precision(17);
  out << "{\"output\": [";
  for (std::size_t i = 0; i < output.size(); ++i) {
    out << (i == 0 ? "[" : ", [");
    for (std::size_t j = 0; j < output[i].size(); ++j) {
      const double value = output[i][j];
      out << (j == 0 ? "" : ", ");
      if (std::isnan(value)) out << "NaN";
      else if (std::isinf(value)) out << (value < 0 ? "-Infinity" : "Infinity");
      else out << value;
    }
    out << "]";
  }
  out << "]}\n";
}
)io";

}  // namespace fovea
