// Python peers that solve whole cases: who of them is there, and each as a contender.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "competitors/peer_process.h"
#include "contest.h"

namespace fovea::bench {

class PeerGroup {
 public:
  struct Peer {
    std::string id, name;
  };
  // Starts a process of that Python on a script; without a Python, or if it cannot be started, all are
  // absent.
  PeerGroup(const std::string& python, const char* script, int threads, const std::vector<Peer>& peers);

  const std::vector<CompetitorInfo>& competitors() const { return competitors_; }  // those absent too

  // One contender per peer that is there. `describe` writes the case's arrays and returns its JSON; the
  // result has the shape `result`.
  std::vector<Contender> contenders(int number, const Shape& result,
                                    const std::function<std::string(const PeerProcess&)>& describe);
  void release();  // forgets all cases

 private:
  Contender contender(const std::string& id, int number, const Shape& result,
                      const std::function<std::string(const PeerProcess&)>& describe);

  std::shared_ptr<PeerProcess> process_;  // null: nobody is there
  std::vector<CompetitorInfo> competitors_;
};

}  // namespace fovea::bench
