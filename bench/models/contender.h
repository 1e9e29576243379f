// Who runs the cases of a model.
#pragma once

#include <string>
#include <vector>

#include "competitors/peer_group.h"
#include "contest.h"
#include "fovea/model.h"

namespace fovea::bench {

// An encoder's run on ids [B, N], or a decoder that goes on from ids [1, N] by `tokens`.
struct ModelCase {
  CaseInfo info;
  Ids ids;
  Index tokens = 0;
};

// Results are hidden states [B, N, E], or the new tokens. With every attention call captured, and without.
// A decoder writes without a probe: one contender.
std::vector<Contender> fovea_contenders(const Model& model, const ModelCase& c);

// transformers and ONNX Runtime, in a process of that Python.
class ModelPeers {
 public:
  ModelPeers(const std::string& python, int threads);
  const std::vector<CompetitorInfo>& competitors() const {
    return peers_.competitors();
  }  // those absent too
  std::vector<Contender> contenders(const std::string& folder, const ModelCase& c, int number);
  void release() { peers_.release(); }  // forgets all cases

 private:
  PeerGroup peers_;
};

}  // namespace fovea::bench
