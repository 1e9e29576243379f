// transformers and ONNX Runtime: both live in one Python process (peers/models.py, peers/serve.py).
#include <fmt/format.h>

#include <cstdlib>

#include "competitors/handover.h"
#include "competitors/peer_process.h"
#include "core/fail.h"
#include "models/contender.h"

namespace fovea::bench {

extern const char* const kModelPeersScript;  // made a string by the build

namespace {

std::string name_of_peer(const std::string& id) {
  return id == "pytorch" ? "PyTorch" : id == "attentions" ? "with attentions" : "ONNX Runtime";
}

std::string describe(const std::string& folder, const ModelCase& c, const PeerProcess& process) {
  JsonWriter json;
  json.begin_object();
  json.key("operation").string(name_of(c.info.operation));
  json.key("folder").string(folder);
  json.key("threads").integer(c.info.threads);
  json.key("tokens").integer(c.tokens);
  json.key("arrays").begin_object();
  Handover(process, json).array("ids", "int64", c.ids.shape(), c.ids.data(), 8 * c.ids.shape().elements());
  json.end_object();
  json.end_object();
  return json.take();
}

// [B, N, E], or the new tokens.
Shape result_shape(const ModelCase& c) {
  if (c.info.operation == Operation::generation) return {c.tokens};
  return {c.ids.shape()[0], c.ids.shape()[1], c.info.width};
}

}  // namespace

ModelPeers::ModelPeers(const std::string& python, int threads) {
  const auto all_absent = [&](const std::string& reason) {
    process_.reset();
    competitors_.clear();
    for (const char* id : {"pytorch", "attentions", "onnxruntime"}) {
      competitors_.push_back({id, name_of_peer(id), "", "", true, reason});
    }
  };
  if (python.empty()) {
    all_absent(kNotAskedFor);
    return;
  }
  try {
    process_ = std::make_shared<PeerProcess>(python, kModelPeersScript, threads);
    for (auto words = process_->answer(); words.front() != "ready"; words = process_->answer()) {
      words.resize(4);
      const bool there = words[0] == "peer";
      competitors_.push_back({words[1], name_of_peer(words[1]), there ? words[2] : "", words[3], !there,
                              there ? "" : words[2]});
    }
  } catch (const Error& error) {
    all_absent(error.what());
  }
}

ModelPeers::~ModelPeers() = default;

std::vector<Contender> ModelPeers::contenders(const std::string& folder, const ModelCase& c, int number) {
  std::vector<Contender> result;
  for (const CompetitorInfo& info : competitors_) {
    if (info.absent) continue;
    const std::string name = fmt::format("{} {}", info.id, number);
    Contender contender{info.id, {}, {}, {}};
    try {
      const std::string json = describe(folder, c, *process_);
      const auto words = process_->ask(fmt::format("prepare {}\n{}", name, json));
      contender.preparation = {words.front() == "ok", words.size() > 1 ? words[1] : ""};
    } catch (const Error& error) {
      contender.preparation = {false, error.what()};
    }
    contender.check = [process = process_, name, shape = result_shape(c)] {
      const auto words = process->ask("check " + name);
      Checked checked;
      const double extra = words.size() > 1 ? std::strtod(words[1].c_str(), nullptr) : -1;
      if (extra >= 0) checked.extra_memory = extra;
      checked.results.push_back(Tensor::uninitialized(shape));
      process->read(0, checked.results.back().data(), 4 * shape.elements());
      return checked;
    };
    contender.run = [process = process_, name](double seconds) {
      const auto words = process->ask(fmt::format("run {} {}", name, seconds));
      return words.size() > 1 ? std::strtod(words[1].c_str(), nullptr) : 0;
    };
    result.push_back(std::move(contender));
  }
  return result;
}

void ModelPeers::release() {
  if (process_ != nullptr) process_->ask("release");
}

}  // namespace fovea::bench
