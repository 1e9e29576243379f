// PyTorch, in float32 and in bfloat16, ONNX Runtime, and fovea of another commit: each lives in a process
// of its own, behind the same commands (peers/serve.py, before/peer.cc).
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
  return id == "pytorch"        ? "PyTorch"
         : id == "pytorch_bf16" ? "PyTorch bfloat16"
         : id == "onnxruntime"  ? "ONNX Runtime"
                                : id;
}

// [N, M] stays, [B, N, M] gets its axis of heads.
Shape with_heads(const Shape& shape) {
  return shape.rank() == 3 ? Shape{shape[0], 1, shape[1], shape[2]} : shape;
}

// Masks and biases of fovea are values that another fovea makes by itself, from `spec`; the others get
// arrays.
void write_arrays(const Problem& problem, bool as_arrays, Handover& to) {
  const Case& c = problem.spec;
  to.tensor("q", problem.q());
  to.tensor("k", problem.k());
  to.tensor("v", problem.v());
  if (!problem.doutput().empty()) to.tensor("dout", problem.doutput());
  const Mask& mask = problem.options.mask;
  if (!mask.is_none() && !(c.mask_id == "causal" && c.queries == c.m())) {
    const Flags visible = as_arrays || c.mask_id == "padding" ? mask.to_bool(c.queries, c.m()) : Flags();
    if (as_arrays) {
      to.array("mask", "uint8", with_heads(visible.shape()), visible.data(), visible.shape().elements());
    }
    if (c.mask_id == "padding") {
      Ids lengths = Ids::filled({c.batch}, 0);
      for (Index b = 0; b < c.batch; ++b) {
        for (Index j = 0; j < c.m(); ++j) lengths(b) += visible(visible.shape()[0] == 1 ? 0 : b, 0, j);
      }
      to.array("lengths", "int64", lengths.shape(), lengths.data(), 8 * c.batch);
    }
  }
  if (as_arrays && !problem.options.bias.is_none()) {
    Tensor bias = problem.options.bias.to_dense(c.heads, c.queries, c.m());
    const Shape shape = bias.shape();
    if (shape.rank() == 3) bias = std::move(bias).reshaped({1, shape[0], shape[1], shape[2]});
    to.tensor("bias", bias);
  }
}

std::string describe(const Problem& problem, bool as_arrays, const PeerProcess& process) {
  JsonWriter json;
  const auto integer = [&](std::string_view name, Index value) { json.key(name).integer(value); };
  json.begin_object();
  json.key("operation").string(bench::name_of(problem.spec.operation));
  json.key("mask").string(problem.spec.mask_id);
  json.key("bias").string(problem.spec.bias_id);
  json.key("cache").string(problem.info.cache);
  json.key("causal").boolean(problem.spec.causal);
  json.key("dropout").number(problem.info.dropout);
  integer("heads", problem.info.heads);
  integer("key_heads", problem.info.key_heads);
  integer("queries", problem.info.queries);
  integer("keys", problem.info.keys);
  integer("copies", problem.info.copies);
  json.key("arrays").begin_object();
  Handover handover(process, json);
  write_arrays(problem, as_arrays, handover);
  json.end_object();
  json.end_object();
  return json.take();
}

std::vector<Shape> result_shapes(const Problem& problem) {
  const Case& c = problem.spec;
  if (c.operation == Operation::forward || c.operation == Operation::linear) {
    return {{c.batch, c.heads, c.queries, c.dv()}};
  }
  return {problem.q().shape(), problem.k().shape(), problem.v().shape()};
}

class Peer final : public Competitor {
 public:
  Peer(std::shared_ptr<PeerProcess> process, CompetitorInfo info)
      : process_(std::move(process)), info_(std::move(info)), is_fovea_(info_.id == "before") {}

  CompetitorInfo info() const override { return info_; }
  FloatType inputs() const override {
    return info_.id == "pytorch_bf16" ? FloatType::bfloat16 : FloatType::float32;
  }

  Preparation prepare(int number, const Problem& problem) override {
    const std::string json = describe(problem, !is_fovea_, *process_);
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
  bool is_fovea_;
  std::map<int, const Problem*> problems_;
};

// What a process says of itself before it is asked anything.
CompetitorInfo introduction(PeerProcess& process, const std::string& id) {
  CompetitorInfo info{id, name_of_peer(id), "", "", true, "it did not introduce itself"};
  for (auto words = process.answer(); words.front() != "ready"; words = process.answer()) {
    words.resize(4);  // what a line lacks is empty
    if (words[1] != id) continue;
    info.absent = words[0] != "peer";
    info.version = info.absent ? "" : words[2], info.detail = words[3];
    info.reason = info.absent ? words[2] : "";
  }
  return info;
}

}  // namespace

Peers make_peers(const std::string& python, int threads) {
  Peers peers;
  peers.python = python;
  const std::vector<std::string> ids = {"pytorch", "pytorch_bf16", "onnxruntime"};
  std::map<std::string, std::shared_ptr<PeerProcess>> processes;
  std::map<std::string, std::string> reasons;
  for (const std::string& id : ids) {  // all start at once: importing PyTorch takes seconds
    try {
      if (python.empty()) fail("{}", kNotAskedFor);
      processes[id] =
          std::make_shared<PeerProcess>(python_command(python, kPeersScript), threads, std::vector{id});
    } catch (const Error& error) {
      reasons[id] = error.what();
    }
  }
  for (const std::string& id : ids) {
    CompetitorInfo info{id, name_of_peer(id), "", "", true, reasons[id]};
    try {
      if (processes[id] != nullptr) info = introduction(*processes[id], id);
    } catch (const Error& error) {
      info.reason = error.what();
    }
    if (info.absent) {
      peers.absent.push_back(info);
    } else {
      peers.present.push_back(std::make_unique<Peer>(processes[id], info));
    }
  }
  if (peers.present.empty()) peers.python.clear();
  return peers;
}

std::unique_ptr<Competitor> make_before(const std::string& program, int threads) {
  try {
    // A name without a slash is a file here, too, and not looked for among the commands.
    const std::string path = program.find('/') == std::string::npos ? "./" + program : program;
    auto process = std::make_shared<PeerProcess>(std::vector{path}, threads);
    const CompetitorInfo info = introduction(*process, "before");
    if (info.absent) fail("{}", info.reason);
    return std::make_unique<Peer>(std::move(process), info);
  } catch (const Error& error) {
    fail("[bench] --before {}: {}; expected a program made by scripts/build_before", program, error.what());
  }
}

}  // namespace fovea::bench
