#include "products/cases.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/fail.h"
#include "core/parallel.h"
#include "fovea/random.h"
#include "fovea/threads.h"
#include "reference/attention.h"
#include "verify_sample.h"

namespace fovea::bench {
namespace {

constexpr Index kHeadWidth = 64;

double of(Index x) { return static_cast<double>(x); }

Text with_threads(const std::string& text, int threads) {
  return {fmt::format("{}, {} thread{}", text, threads, threads == 1 ? "" : "s"),
          fmt::format("{}，{} 个线程", text, threads)};
}

CaseInfo product_info(Index rows, Index depth, Index columns, int threads) {
  CaseInfo info;
  info.operation = Operation::product;
  info.id = fmt::format("product-{}x{}x{}-{}t", rows, depth, columns, threads);
  info.label = with_threads(fmt::format("{}×{}×{}", rows, depth, columns), threads);
  info.queries = rows, info.width = depth, info.keys = columns;
  info.threads = threads;
  info.flops = 2 * of(rows) * of(depth) * of(columns);
  info.bytes = 4 * (of(rows * depth) + of(depth * columns) + of(rows * columns));
  return info;
}

CaseInfo multi_head_info(Index batch, Index tokens, Index width, int threads) {
  CaseInfo info;
  info.operation = Operation::multi_head;
  info.id = fmt::format("multi_head-{}x{}x{}-{}t", batch, tokens, width, threads);
  info.label = with_threads(fmt::format("MultiHeadAttention {}×{}×{}", batch, tokens, width), threads);
  info.batch = batch, info.queries = info.keys = tokens;
  info.width = info.value_width = width;
  info.heads = info.key_heads = width / kHeadWidth;
  info.threads = threads;
  info.flops = of(batch * tokens) * (8 * of(width * width) + 4 * of(tokens * width));
  info.bytes = 4 * 4 * of(width * width);
  return info;
}

// Sizes at which kernels trip, those of layers, and one row, which is a matter of memory.
std::vector<CaseInfo> all_infos(int threads) {
  std::vector<CaseInfo> infos;
  constexpr Index kSizes[][3] = {{64, 64, 64},     {128, 384, 384}, {512, 384, 1536}, {1024, 1024, 1024},
                                 {4096, 256, 256}, {1, 4096, 4096}, {33, 257, 65}};
  for (const auto& s : kSizes) infos.push_back(product_info(s[0], s[1], s[2], threads));
  for (const Index width : {512, 1024}) infos.push_back(multi_head_info(8, 512, width, threads));
  return infos;
}

// Rows of x · w + bias.
reference::DoubleArray projected(const reference::DoubleArray& x, ConstView w, const float* bias) {
  reference::DoubleArray y({x.shape[0], w.shape()[0]});
  const reference::DoubleArray weights(w.transpose(0, 1));
  parallel_for(x.shape[0], [&](Index i) {
    const reference::DoubleArray row({1, x.shape[1]}, {x.row(i), x.row(i) + x.shape[1]});
    const reference::DoubleArray one = reference::matmul(row, weights);
    for (Index j = 0; j < y.shape[1]; ++j) {
      y.row(i)[j] = one.values[static_cast<std::size_t>(j)] + static_cast<double>(bias[j]);
    }
  });
  return y;
}

// Rows `at` of x.
reference::DoubleArray rows_at(const reference::DoubleArray& x, const std::vector<Index>& at) {
  reference::DoubleArray rows({static_cast<Index>(at.size()), x.shape[1]});
  for (std::size_t i = 0; i < at.size(); ++i) {
    std::copy_n(x.row(at[i]), x.shape[1], rows.row(static_cast<Index>(i)));
  }
  return rows;
}

// [rows, H·D] → [H, rows, D].
reference::DoubleArray split(const reference::DoubleArray& x) {
  const Index rows = x.shape[0], heads = x.shape[1] / kHeadWidth;
  reference::DoubleArray y({heads, rows, kHeadWidth});
  for (Index h = 0; h < heads; ++h) {
    for (Index i = 0; i < rows; ++i) {
      std::copy_n(x.row(i) + h * kHeadWidth, kHeadWidth, y.row(h * rows + i));
    }
  }
  return y;
}

// Some rows of the last batch entry, as the paper has them.
Expected expected_multi_head(const MultiHeadCase& c) {
  const MultiHeadAttention::Parameters& p = c.module->parameters();
  const Index batch = c.info.batch - 1, width = c.info.width, tokens = c.info.queries;
  const reference::DoubleArray x(c.x.view().select(0, batch));
  const std::vector<Index> at = spread(tokens, 8);
  const auto project = [&](const reference::DoubleArray& from, Index part) {
    return split(projected(from, p.in_proj_weight.view().slice(0, part * width, (part + 1) * width),
                           p.in_proj_bias.data() + part * width));
  };
  const reference::DoubleArray heads =
      reference::attention(project(rows_at(x, at), 0), project(x, 1), project(x, 2)).output;
  reference::DoubleArray concat({static_cast<Index>(at.size()), width});
  for (Index h = 0; h < heads.shape[0]; ++h) {
    for (Index i = 0; i < concat.shape[0]; ++i) {
      std::copy_n(heads.row(h * concat.shape[0] + i), kHeadWidth, concat.row(i) + h * kHeadWidth);
    }
  }
  ExpectedValues values;
  values.values = projected(concat, p.out_proj_weight, p.out_proj_bias.data()).values;
  for (const Index i : at) {
    for (Index j = 0; j < width; ++j) values.at.push_back((batch * tokens + i) * width + j);
  }
  return {values};
}

}  // namespace

std::vector<CaseInfo> product_infos(const std::vector<std::string>& wanted, int threads) {
  std::vector<std::string> words = wanted;
  std::erase(words, "products");
  std::vector<CaseInfo> chosen;
  for (const CaseInfo& info : all_infos(threads)) {
    const auto names = [&](const std::string& word) { return info.id.find(word) != std::string::npos; };
    if (words.empty() || std::any_of(words.begin(), words.end(), names)) chosen.push_back(info);
  }
  if (chosen.empty()) fail("[bench] no product matches; fovea bench --list products lists them");
  return chosen;
}

std::vector<ScenarioInfo> list_products(const std::vector<std::string>& wanted) {
  std::vector<ScenarioInfo> scenarios = {{"products", product_infos(wanted, 1)}};
  if (thread_count() > 1) scenarios.push_back({"products", product_infos(wanted, thread_count())});
  return scenarios;
}

ProductCase product_case(const CaseInfo& info) {
  Random random(1);
  ProductCase c{
      info, random.normal({info.queries, info.width}), random.normal({info.width, info.keys}), {}};
  const std::vector<Index> at = spread(info.queries, 64);
  ExpectedValues values;
  values.values = reference::matmul(rows_at(c.a, at), c.b).values;
  for (const Index i : at) {
    for (Index j = 0; j < info.keys; ++j) values.at.push_back(i * info.keys + j);
  }
  c.expected = {values};
  return c;
}

MultiHeadCase multi_head_case(const CaseInfo& info) {
  Random random(1);
  MultiHeadCase c{info, random.normal({info.batch, info.queries, info.width}), nullptr, {}};
  auto module = std::make_shared<MultiHeadAttention>(MultiHeadConfig{info.width, info.heads}, random);
  MultiHeadAttention::Parameters parameters = module->parameters();
  for (Tensor* bias : {&parameters.in_proj_bias, &parameters.out_proj_bias}) {
    *bias = random.normal(bias->shape());  // zeros would hide a mistake
  }
  module->set_parameters(std::move(parameters));
  c.module = module;
  c.expected = expected_multi_head(c);
  return c;
}

}  // namespace fovea::bench
