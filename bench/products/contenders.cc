// Who multiplies: fovea, OpenBLAS, and PyTorch's module for a whole MultiHeadAttention.
#include <fmt/format.h>

#include <functional>
#include <memory>

#include "competitors/handover.h"
#include "competitors/openblas.h"
#include "fovea/instruction_set.h"
#include "ops/matrix_product.h"
#include "products/cases.h"

namespace fovea::bench {

extern const char* const kMultiHeadPeersScript;  // made a string by the build

namespace {

std::string path_of(const CaseInfo& info) {
  return fmt::format("{}, {} threads", instruction_set(), info.threads);
}

// The result is made beforehand, for both: a product of 64 × 64 takes no longer than the memory for it.
Contender into(const ProductCase& c, const std::string& competitor, const std::string& path,
               const std::function<void(Tensor&)>& multiply) {
  const auto result = std::make_shared<Tensor>(Shape{c.info.queries, c.info.keys});
  return {competitor,
          {true, path},
          [multiply, result] {
            Checked checked;
            multiply(*result);
            checked.results.push_back(*result);
            return checked;
          },
          [multiply, result](double seconds) { return time_calls([&] { multiply(*result); }, seconds); }};
}

std::string describe(const MultiHeadCase& c, const PeerProcess& process) {
  const MultiHeadAttention::Parameters& p = c.module->parameters();
  JsonWriter json;
  json.begin_object();
  json.key("heads");
  json.integer(c.info.heads);
  json.key("threads");
  json.integer(c.info.threads);
  json.key("arrays");
  json.begin_object();
  Handover handover(process, json);
  handover.tensor("x", c.x);
  handover.tensor("in_proj_weight", p.in_proj_weight);
  handover.tensor("in_proj_bias", p.in_proj_bias);
  handover.tensor("out_proj.weight", p.out_proj_weight);
  handover.tensor("out_proj.bias", p.out_proj_bias);
  json.end_object();
  json.end_object();
  return json.take();
}

}  // namespace

std::vector<Contender> product_contenders(const ProductCase& c) {
  const Index rows = c.info.queries, depth = c.info.width, columns = c.info.keys;
  std::vector<Contender> contenders = {into(
      c, "fovea", path_of(c.info), [&c](Tensor& out) { matrix_product("bench", c.a, c.b, out.view()); })};
  std::string reason;
  if (const OpenBlas* blas = OpenBlas::get(reason)) {
    const std::string path = fmt::format("sgemm, {} threads", c.info.threads);
    contenders.push_back(into(c, "blas", path, [&c, blas, rows, depth, columns](Tensor& out) {
      blas->multiply(rows, depth, columns, 1, {c.a.data(), depth}, {c.b.data(), columns}, out.data());
    }));
  }
  return contenders;
}

Contender multi_head_by_fovea(const MultiHeadCase& c) {
  return local_contender("fovea", path_of(c.info), [&c] { return (*c.module)(c.x).output; });
}

MultiHeadPeer::MultiHeadPeer(const std::string& python, int threads)
    : peers_(python, kMultiHeadPeersScript, threads, {{"pytorch", "PyTorch"}}) {}

std::vector<Contender> MultiHeadPeer::contenders(const MultiHeadCase& c, int number) {
  return peers_.contenders(number, c.x.shape(),
                           [&](const PeerProcess& process) { return describe(c, process); });
}

}  // namespace fovea::bench
