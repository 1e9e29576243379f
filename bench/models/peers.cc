// transformers and ONNX Runtime: both live in one Python process (peers/models.py, peers/serve.py).
#include "competitors/handover.h"
#include "models/contender.h"

namespace fovea::bench {

extern const char* const kModelPeersScript;  // made a string by the build

namespace {

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

ModelPeers::ModelPeers(const std::string& python, int threads)
    : peers_(python, kModelPeersScript, threads,
             {{"pytorch", "PyTorch"}, {"attentions", "with attentions"}, {"onnxruntime", "ONNX Runtime"}}) {
}

std::vector<Contender> ModelPeers::contenders(const std::string& folder, const ModelCase& c, int number) {
  return peers_.contenders(number, result_shape(c),
                           [&](const PeerProcess& process) { return describe(folder, c, process); });
}

}  // namespace fovea::bench
