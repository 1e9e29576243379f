// PyTorch and ONNX Runtime: both live in one Python process, behind the same commands (peers/serve.py).
#include <fmt/format.h>

#include <cstdlib>

#include "competitors/competitor.h"
#include "competitors/handover.h"
#include "competitors/peer_process.h"
#include "core/fail.h"
#include "fovea/json_writer.h"

namespace fovea::bench {

extern const char* const kPeersScript;  // peers/*.py, made a string by the build

namespace {

std::string name_of_peer(const std::string& id) {
  return id == "pytorch" ? "PyTorch" : id == "onnxruntime" ? "ONNX Runtime" : id;
}

// [N, M] stays, [B, N, M] gets its axis of heads.
Shape with_heads(const Shape& shape) {
  return shape.rank() == 3 ? Shape{shape[0], 1, shape[1], shape[2]} : shape;
}

void write_arrays(const Problem& problem, Handover& to) {
  const Case& c = problem.spec;
  to.tensor("q", problem.q());
  to.tensor("k", problem.k());
  to.tensor("v", problem.v());
  if (!problem.doutput().empty()) to.tensor("dout", problem.doutput());
  const Mask& mask = problem.options.mask;
  if (!mask.is_none() && !(c.mask_id == "causal" && c.queries == c.m())) {
    const Flags visible = mask.to_bool(c.queries, c.m());
    to.array("mask", "uint8", with_heads(visible.shape()), visible.data(), visible.shape().elements());
    if (c.mask_id == "padding") {
      Ids lengths = Ids::filled({c.batch}, 0);
      for (Index b = 0; b < c.batch; ++b) {
        for (Index j = 0; j < c.m(); ++j) lengths(b) += visible(visible.shape()[0] == 1 ? 0 : b, 0, j);
      }
      to.array("lengths", "int64", lengths.shape(), lengths.data(), 8 * c.batch);
    }
  }
  if (!problem.options.bias.is_none()) {
    Tensor bias = problem.options.bias.to_dense(c.heads, c.queries, c.m());
    const Shape shape = bias.shape();
    if (shape.rank() == 3) bias = std::move(bias).reshaped({1, shape[0], shape[1], shape[2]});
    to.tensor("bias", bias);
  }
}

std::string describe(const Problem& problem, const PeerProcess& process) {
  JsonWriter json;
  const auto integer = [&](std::string_view name, Index value) { json.key(name).integer(value); };
  json.begin_object();
  json.key("operation").string(bench::name_of(problem.spec.operation));
  json.key("mask").string(problem.spec.mask_id);
  json.key("dropout").number(problem.info.dropout);
  integer("heads", problem.info.heads);
  integer("key_heads", problem.info.key_heads);
  integer("queries", problem.info.queries);
  integer("keys", problem.info.keys);
  integer("copies", problem.info.copies);
  json.key("arrays").begin_object();
  Handover handover(process, json);
  write_arrays(problem, handover);
  json.end_object();
  json.end_object();
  return json.take();
}

std::vector<Shape> result_shapes(const Problem& problem) {
  const Case& c = problem.spec;
  if (c.operation == Operation::forward) return {{c.batch, c.heads, c.queries, c.dv()}};
  return {problem.q().shape(), problem.k().shape(), problem.v().shape()};
}

class Peer final : public Competitor {
 public:
  Peer(std::shared_ptr<PeerProcess> process, CompetitorInfo info)
      : process_(std::move(process)), info_(std::move(info)) {}

  CompetitorInfo info() const override { return info_; }

  Preparation prepare(int number, const Problem& problem) override {
    const std::string json = describe(problem, *process_);
    const auto words = process_->ask(fmt::format("prepare {} {}\n{}", info_.id, number, json));
    problems_[number] = &problem;
    return {words.front() == "ok", words.size() > 1 ? words[1] : ""};
  }

  Checked check(int number) override {
    const auto words = process_->ask(fmt::format("check {} {}", info_.id, number));
    Checked checked;
    const double extra = words.size() > 1 ? std::strtod(words[1].c_str(), nullptr) : -1;
    if (extra >= 0) checked.extra_memory = extra;
    if (problems_.at(number)->spec.dropout > 0) return checked;  // its own generator
    Index at = 0;
    for (const Shape& shape : result_shapes(*problems_.at(number))) {
      Tensor result = Tensor::uninitialized(shape);
      process_->read(at, result.data(), 4 * shape.elements());
      at += 4 * shape.elements();
      checked.results.push_back(std::move(result));
    }
    return checked;
  }

  double run(int number, double seconds) override {
    const auto words = process_->ask(fmt::format("run {} {} {}", info_.id, number, seconds));
    return words.size() > 1 ? std::strtod(words[1].c_str(), nullptr) : 0;
  }

  void release() override {
    process_->ask("release");
    problems_.clear();
  }

 private:
  std::shared_ptr<PeerProcess> process_;
  CompetitorInfo info_;
  std::map<int, const Problem*> problems_;
};

}  // namespace

Peers make_peers(const std::string& python, int threads) {
  Peers peers;
  const auto all_absent = [&](const std::string& reason) {
    peers.present.clear();
    peers.absent.clear();
    for (const char* id : {"pytorch", "onnxruntime"}) {
      peers.absent.push_back({id, name_of_peer(id), "", "", true, reason});
    }
  };
  if (python.empty()) {
    all_absent(kNotAskedFor);
    return peers;
  }
  try {
    const auto process = std::make_shared<PeerProcess>(python, kPeersScript, threads);
    for (auto words = process->answer(); words.front() != "ready"; words = process->answer()) {
      words.resize(4);
      if (words[0] == "peer") {
        peers.present.push_back(std::make_unique<Peer>(
            process, CompetitorInfo{words[1], name_of_peer(words[1]), words[2], words[3], false, ""}));
      } else {
        peers.absent.push_back({words[1], name_of_peer(words[1]), "", "", true, words[2]});
      }
    }
    peers.python = python;
  } catch (const Error& error) {
    all_absent(error.what());
  }
  return peers;
}

}  // namespace fovea::bench
