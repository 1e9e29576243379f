#include "fovea/attribution.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "core/fail.h"
#include "fovea/activations.h"
#include "models/architecture.h"

namespace fovea {
namespace {

using Row = std::vector<double>;

// The stack whose stream ends in logits.
AttentionKind last_stack(const ModelConfig& config) {
  return config.has_decoder() ? AttentionKind::decoder : AttentionKind::encoder;
}

Index stack_tokens(const Model& model, const ModelInput& input) {
  const Ids& ids = model.config().is_encoder_decoder() ? input.decoder_ids : input.ids;
  return ids.empty() ? 1 : ids.shape()[1];
}

void check_one(const char* who, const Model& model, const ModelInput& input,
               const std::vector<Index>& positions) {
  if (input.ids.shape().rank() != 2 || input.ids.shape()[0] != 1) {
    fail("[{}] ids are {}, expected one sequence, [1, N]", who, input.ids.shape().to_string());
  }
  if (!model.config().has_logits) fail("[{}] {} has no output layer", who, model.name());
  const Index tokens = stack_tokens(model, input);
  for (const Index position : positions) {
    if (position >= 0 && position < tokens) continue;
    fail("[{}] position {}, there are 0 to {}", who, position, tokens - 1);
  }
}

double dot(const float* a, const Row& b) {
  double sum = 0;
  for (std::size_t i = 0; i < b.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

// Keeps one position's way through the last stack.
class PathProbe final : public Probe {
 public:
  struct Attention {
    AttentionKind kind = AttentionKind::decoder;
    Index layer = 0;
    std::vector<float> concat;  // [H·D]
    Tensor w_o, b_o;            // [H·D, E], [E] or empty
  };
  struct Point {
    Index layer = 0;
    StreamPoint point = StreamPoint::before;
    std::vector<float> x;  // [E]
  };

  PathProbe(AttentionKind stack, Index position) : stack_(stack), position_(position) {}

  void attention(const AttentionCall&) override {}
  bool wants_projections(AttentionKind kind, Index) const override { return is_mine(kind); }
  void projections(const ProjectionCall& call) override {
    attentions.push_back({call.kind, call.layer, row_of(call.concat), call.w_o, call.b_o});
  }
  void stream(const StreamCall& call) override {
    if (call.kind == stack_) points.push_back({call.layer, call.point, row_of(call.x)});
  }

  std::vector<Attention> attentions;
  std::vector<Point> points;

 private:
  bool is_mine(AttentionKind kind) const {
    return kind == stack_ || (stack_ == AttentionKind::decoder && kind == AttentionKind::cross);
  }
  std::vector<float> row_of(ConstView x) const {  // [1, N, width]
    const float* row = x.data() + position_ * x.shape()[2];
    return {row, row + x.shape()[2]};
  }

  AttentionKind stack_;
  Index position_;
};

// How the stream x [E] at the end becomes the logit of a token: logit = direction · x + constant.
struct Direction {
  Row direction;
  double constant = 0;
};

Direction direction_of(const Readout& readout, Index token, const std::vector<float>& x) {
  const std::size_t width = x.size();
  const auto count = static_cast<double>(width);
  const double mean = readout.centred ? std::accumulate(x.begin(), x.end(), 0.0) / count : 0;
  double squares = 0;
  for (const float value : x)
    squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
  const double deviation = std::sqrt(squares / count + static_cast<double>(readout.epsilon));
  const Tensor column = readout.output.weight_columns(token, token + 1);  // [E, 1]
  const Tensor bias = readout.output.bias_columns(token, token + 1);
  Direction result{Row(width), bias.empty() ? 0 : static_cast<double>(bias.data()[0])};
  double shared = 0;
  for (std::size_t i = 0; i < width; ++i) {
    const auto at = static_cast<Index>(i);
    const double unembedding = readout.scale * static_cast<double>(column.data()[at]);
    result.direction[i] = unembedding * static_cast<double>(readout.norm_weight.data()[at]) / deviation;
    shared += result.direction[i] / count;
    if (!readout.norm_bias.empty()) {
      result.constant += unembedding * static_cast<double>(readout.norm_bias.data()[at]);
    }
  }
  if (readout.centred) {
    for (double& value : result.direction) value -= shared;
  }
  return result;
}

void add_attention(const PathProbe::Attention& attention, Index heads, const Row& direction,
                   std::vector<LogitPart>& parts) {
  const Index width = attention.w_o.shape()[0] / heads, outputs = attention.w_o.shape()[1];
  for (Index head = 0; head < heads; ++head) {
    double value = 0;
    for (Index i = head * width; i < (head + 1) * width; ++i) {
      value += static_cast<double>(attention.concat[static_cast<std::size_t>(i)]) *
               dot(attention.w_o.data() + i * outputs, direction);
    }
    parts.push_back({LogitPart::What::head, attention.kind, attention.layer, head, value});
  }
  if (attention.b_o.empty()) return;
  parts.push_back({LogitPart::What::output_bias, attention.kind, attention.layer, 0,
                   dot(attention.b_o.data(), direction)});
}

}  // namespace

Tensor logit_lens(const Model& model, const ModelInput& input, const std::vector<Index>& positions,
                  const RunOptions& options) {
  check_one("lens", model, input, positions);
  const AttentionKind stack = last_stack(model.config());
  const Index layers = model.config().attention_layers(stack);
  std::vector<ActivationPlace> places;
  for (Index i = 0; i < layers; ++i) places.push_back({ActivationSite::resid_post, stack, i, {}});
  const std::vector<Tensor> streams = activations(model, input, places, options);
  const auto count = static_cast<Index>(positions.size());
  const Index width = streams.front().shape()[2];
  Tensor rows = Tensor::uninitialized({layers, count, width});
  for (Index i = 0; i < layers; ++i) {
    for (Index p = 0; p < count; ++p) {
      const float* from =
          streams[static_cast<std::size_t>(i)].data() + positions[static_cast<std::size_t>(p)] * width;
      std::copy(from, from + width, rows.data() + (i * count + p) * width);
    }
  }
  const Architecture& architecture = model.architecture();
  return architecture.logits(architecture.last_norm(std::move(rows)));
}

LogitAttribution attribute_logit(const Model& model, const ModelInput& input, Index position, Index token,
                                 const RunOptions& options) {
  check_one("attribution", model, input, {position});
  const std::optional<Readout> readout = model.architecture().readout();
  if (!readout) {
    fail("[attribution] {} is a {} model whose norms come last: its logits are no sum of its parts",
         model.name(), to_string(model.config().family));
  }
  if (token < 0 || token >= readout->output.outputs()) {
    fail("[attribution] token {}, there are 0 to {}", token, readout->output.outputs() - 1);
  }
  PathProbe path(last_stack(model.config()), position);
  RunOptions own = options;
  own.probe = &path;
  own.logits = true;
  own.logits_at = {position};
  const ModelOutput output = model.run(input, own);
  const auto [direction, constant] = direction_of(*readout, token, path.points.back().x);

  LogitAttribution result;
  result.logit = static_cast<double>(output.logits.data()[token]);
  std::vector<LogitPart>& parts = result.parts;
  parts.push_back({LogitPart::What::embedding, last_stack(model.config()), 0, 0,
                   dot(path.points.front().x.data(), direction)});
  std::size_t next = 0;  // of the attentions
  for (std::size_t i = 1; i < path.points.size(); ++i) {
    const PathProbe::Point &point = path.points[i], &before = path.points[i - 1];
    if (point.point == StreamPoint::before) continue;  // the same as after the layer below
    if (point.point == StreamPoint::after) {
      parts.push_back({LogitPart::What::feed_forward, last_stack(model.config()), point.layer, 0,
                       dot(point.x.data(), direction) - dot(before.x.data(), direction)});
    } else {
      add_attention(path.attentions.at(next++), model.config().heads, direction, parts);
    }
  }
  parts.push_back({LogitPart::What::readout_bias, last_stack(model.config()), 0, 0, constant});
  for (const LogitPart& part : parts) result.sum += part.value;
  return result;
}

}  // namespace fovea
