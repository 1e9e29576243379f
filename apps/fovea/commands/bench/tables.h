// The report of a benchmark, as tables for people.
#pragma once

#include "benchmark.h"
#include "command.h"

namespace fovea::command {

void print_bench_list(const Context& context, const std::vector<bench::ScenarioInfo>& scenarios);
void print_bench_report(const Context& context, const bench::Report& report);

// Cells in aligned columns, the first to the left, the others to the right.
class AlignedTable {
 public:
  explicit AlignedTable(std::vector<std::string> titles) : rows_{std::move(titles)} {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.size() == 1; }
  void print(const Context& context) const;  // with an empty line after it

 private:
  std::vector<std::vector<std::string>> rows_;
};

// The title of a table, and below it whose figures these are: a table that is copied takes that along.
void table_heading(const Context& context, const bench::Report& report, const Message& title);

std::string rounds_text(const bench::Report& report);  // "9", or "3–100" if scenarios differ
std::string milliseconds(double seconds);              // "110.3 ms": four digits
std::string times(double ratio);                       // "1.52×"

// Whole models, and whether a case is one of theirs.
void print_models(const Context& context, const bench::Report& report);
bool is_model_case(const bench::CaseResult& result);

// Matrix products and MultiHeadAttention, likewise.
void print_products(const Context& context, const bench::Report& report);
bool is_product_case(const bench::CaseResult& result);

// Training steps, likewise.
void print_training(const Context& context, const bench::Report& report);
bool is_training_case(const bench::CaseResult& result);

// Softmax against linear attention as the tutorials compare them, and how both grow with n.
void print_linear_comparison(const Context& context, const bench::Report& report);

}  // namespace fovea::command
