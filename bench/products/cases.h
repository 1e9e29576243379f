// The cases of `fovea bench products`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "competitors/peer_group.h"
#include "contest.h"
#include "fovea/multi_head_attention.h"
#include "verify.h"

namespace fovea::bench {

// a [rows, depth] · b [depth, columns], N(0, 1), seeded.
struct ProductCase {
  CaseInfo info;
  Tensor a, b;
  Expected expected;  // of some rows, in double
};

// A module of E / 64 heads on x [B, N, E].
struct MultiHeadCase {
  CaseInfo info;
  Tensor x;
  std::shared_ptr<const MultiHeadAttention> module;
  Expected expected;  // of some rows, in double
};

// Every case whose name has one of the words in it, for so many threads; all if the only word is
// "products". Without matrices.
std::vector<CaseInfo> product_infos(const std::vector<std::string>& wanted, int threads);
std::vector<ScenarioInfo> list_products(const std::vector<std::string>& wanted);

ProductCase product_case(const CaseInfo& info);
MultiHeadCase multi_head_case(const CaseInfo& info);

std::vector<Contender> product_contenders(const ProductCase& c);
Contender multi_head_by_fovea(const MultiHeadCase& c);

// nn.MultiheadAttention, in a process of that Python.
class MultiHeadPeer {
 public:
  MultiHeadPeer(const std::string& python, int threads);
  const CompetitorInfo& info() const { return peers_.competitors().front(); }  // whether it is there, too
  std::vector<Contender> contenders(const MultiHeadCase& c, int number);       // one, or none
  void release() { peers_.release(); }                                         // forgets all cases

 private:
  PeerGroup peers_;
};

}  // namespace fovea::bench
