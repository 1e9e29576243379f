#include "models/intervener.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/fail.h"

namespace fovea {
namespace {

using What = InterventionStep::What;

void check_layer(const ActivationPlace& place, const ModelConfig& config) {
  const Index layers = config.attention_layers(place.kind);
  if (place.layer >= 0 && place.layer < layers) return;
  fail("[intervention] {} layer {}: the model has {}", to_string(place.kind), place.layer,
       layers == 0 ? "none" : fmt::format("0 to {}", layers - 1));
}

std::vector<Index> all_of(const std::vector<Index>& chosen, Index count, const char* what) {
  std::vector<Index> all = chosen;
  for (Index i = 0; all.size() < static_cast<std::size_t>(count) && chosen.empty(); ++i) all.push_back(i);
  for (const Index i : all) {
    if (i < 0 || i >= count) fail("[intervention] {} {}, there are 0 to {}", what, i, count - 1);
  }
  return all;
}

bool is_at(const InterventionStep& step, AttentionKind kind, Index layer) {
  return !step.place.is_stream() && step.place.kind == kind && step.place.layer == layer;
}

// out [B, N, H, D] := values at the step's heads and positions.
void replace_heads(const InterventionStep& step, View out) {
  const Shape &shape = out.shape(), &got = step.values.shape();
  const bool fits = got.rank() == 4 && (got[0] == 1 || got[0] == shape[0]) && got[1] == shape[1] &&
                    got[2] == shape[2] && got[3] == shape[3];
  if (!fits) {
    fail("[intervention] {} of layer {} is {}, its replacement {}", to_string(step.place.site),
         step.place.layer, shape.to_string(), got.to_string());
  }
  const std::vector<Index> positions = all_of(step.positions, shape[1], "position");
  const std::vector<Index> heads = all_of(step.place.heads, shape[2], "head");
  for (Index b = 0; b < shape[0]; ++b) {
    for (const Index n : positions) {
      for (const Index h : heads) {
        const View to = out.select(0, b).select(0, n).select(0, h);
        const float* from =
            step.values.data() + (((got[0] == 1 ? 0 : b) * got[1] + n) * got[2] + h) * got[3];
        for (Index d = 0; d < shape[3]; ++d) to.data()[d * to.stride(0)] = from[d];
      }
    }
  }
}

// The same of a stream [B, N, E].
void replace_stream(const InterventionStep& step, View x) {
  const Shape &shape = x.shape(), &got = step.values.shape();
  const bool fits =
      got.rank() == 3 && (got[0] == 1 || got[0] == shape[0]) && got[1] == shape[1] && got[2] == shape[2];
  if (!fits) {
    fail("[intervention] {} of layer {} is {}, its replacement {}", to_string(step.place.site),
         step.place.layer, shape.to_string(), got.to_string());
  }
  for (Index b = 0; b < shape[0]; ++b) {
    for (const Index n : all_of(step.positions, shape[1], "position")) {
      const float* from = step.values.data() + ((got[0] == 1 ? 0 : b) * got[1] + n) * got[2];
      std::copy(from, from + got[2], x.data() + (b * shape[1] + n) * shape[2]);
    }
  }
}

// Dense flags of any rank, as Mask::to_bool gives them: [N, M], [B, 1, M], [B, N, M], [B, H, N, M].
bool flag_at(const Flags& flags, Index b, Index h, Index i, Index j) {
  const Shape& shape = flags.shape();
  const auto within = [](Index at, Index extent) { return extent == 1 ? 0 : at; };
  Index at = shape.rank() > 2 ? within(b, shape[0]) : 0;
  if (shape.rank() > 3) at = at * shape[1] + within(h, shape[1]);
  at = at * shape.back(1) + within(i, shape.back(1));
  return flags.data()[at * shape.back() + j] != 0;
}

void hide_edges(const InterventionStep& step, Index n, Index m, Index heads, AttentionOptions& options) {
  if (step.place.heads.empty()) {
    options.mask = options.mask & step.visible;
    return;
  }
  const auto flags = std::make_shared<const Flags>(step.visible.to_bool(n, m));
  std::vector<bool> chosen(static_cast<std::size_t>(heads));
  for (const Index h : all_of(step.place.heads, heads, "head")) chosen[static_cast<std::size_t>(h)] = true;
  options.mask = options.mask & Mask::predicate([flags, chosen](Index b, Index h, Index i, Index j) {
                   return !chosen[static_cast<std::size_t>(h)] || flag_at(*flags, b, h, i, j);
                 });
}

// Row by row of one head [N, D].
void scale_rows(View rows, float factor) {
  for (Index n = 0; n < rows.shape()[0]; ++n) {
    float* row = rows.data() + n * rows.stride(0);
    // Not a product: what is ablated may be infinite.
    for (Index d = 0; d < rows.shape()[1]; ++d) row[d] = factor == 0 ? 0.0f : row[d] * factor;
  }
}

// `counts`: 1 for each row that counts, or null.
void set_mean(View rows, const std::uint8_t* counts) {
  const Index n = rows.shape()[0], width = rows.shape()[1];
  for (Index d = 0; d < width; ++d) {
    double sum = 0;
    Index counted = 0;
    for (Index i = 0; i < n; ++i) {
      if (counts != nullptr && counts[i] == 0) continue;
      sum += static_cast<double>(rows.data()[i * rows.stride(0) + d]);
      ++counted;
    }
    const auto mean = static_cast<float>(counted == 0 ? 0 : sum / static_cast<double>(counted));
    for (Index i = 0; i < n; ++i) rows.data()[i * rows.stride(0) + d] = mean;
  }
}

ActivationSite site_of(StreamPoint point) {
  switch (point) {
    case StreamPoint::before:
      return ActivationSite::resid_pre;
    case StreamPoint::middle:
      return ActivationSite::resid_mid;
    case StreamPoint::cross:
      return ActivationSite::resid_cross;
    case StreamPoint::after:
      break;
  }
  return ActivationSite::resid_post;
}

}  // namespace

inline namespace internal {

Intervener::Intervener(const Intervention& intervention, const ModelInput& input, const ModelConfig& config,
                       Probe* next)
    : intervention_(intervention),
      input_(input),
      encoder_decoder_(config.is_encoder_decoder()),
      next_(next) {
  for (const auto& step : intervention_.steps()) {
    if (step->place.is_stream() && step->place.kind == AttentionKind::cross) {
      fail("[intervention] {} is of the encoder or the decoder, not of cross-attention",
           to_string(step->place.site));
    }
    check_layer(step->place, config);
    if (step->place.site == ActivationSite::resid_cross &&
        (step->place.kind != AttentionKind::decoder || !encoder_decoder_)) {
      fail("[intervention] resid_cross: there is no cross-attention in this part of the model");
    }
  }
}

void Intervener::attention(const AttentionCall& call) {
  if (next_ != nullptr) next_->attention(call);
}

bool Intervener::wants_projections(AttentionKind kind, Index layer) const {
  return next_ != nullptr && next_->wants_projections(kind, layer);
}

void Intervener::projections(const ProjectionCall& call) { next_->projections(call); }

void Intervener::stream(const StreamCall& call) {
  for (const auto& step : intervention_.steps()) {
    const ActivationPlace& place = step->place;
    if (place.is_stream() && place.kind == call.kind && place.layer == call.layer &&
        place.site == site_of(call.point)) {
      replace_stream(*step, call.x);
    }
  }
  if (next_ != nullptr) next_->stream(call);
}

bool Intervener::changes(AttentionKind kind, Index layer) const {
  if (next_ != nullptr && next_->changes(kind, layer)) return true;
  return std::any_of(intervention_.steps().begin(), intervention_.steps().end(),
                     [&](const auto& step) { return is_at(*step, kind, layer); });
}

void Intervener::change(AttentionChange& call) {
  for (const auto& step : intervention_.steps()) {
    if (!is_at(*step, call.kind, call.layer)) continue;
    if (step->what == What::hide) {
      hide_edges(*step, call.q.shape()[2], call.k.shape()[2], call.q.shape()[1], call.options);
    } else if (step->what == What::replace && step->place.site != ActivationSite::z) {
      const View& part = step->place.site == ActivationSite::q   ? call.q
                         : step->place.site == ActivationSite::k ? call.k
                                                                 : call.v;
      replace_heads(*step, part.transpose(1, 2));
    }
  }
  if (next_ != nullptr && next_->changes(call.kind, call.layer)) next_->change(call);
}

void Intervener::change_outputs(const HeadOutputs& call) {
  // What an encoder-decoder model writes has no pads.
  const bool padded = !input_.real.empty() && (call.kind == AttentionKind::encoder || !encoder_decoder_);
  for (const auto& step : intervention_.steps()) {
    if (!is_at(*step, call.kind, call.layer) || step->place.site != ActivationSite::z ||
        step->what == What::hide) {
      continue;
    }
    if (step->what == What::replace) {
      replace_heads(*step, call.heads);
      continue;
    }
    const Index tokens = call.heads.shape()[1];
    for (const Index h : all_of(step->place.heads, call.heads.shape()[2], "head")) {
      for (Index b = 0; b < call.heads.shape()[0]; ++b) {
        const View rows = call.heads.select(0, b).select(1, h);
        if (step->what == What::scale) {
          scale_rows(rows, step->factor);
        } else {
          set_mean(rows, padded ? input_.real.data() + b * tokens : nullptr);
        }
      }
    }
  }
  if (next_ != nullptr && next_->changes(call.kind, call.layer)) next_->change_outputs(call);
}

}  // namespace internal
}  // namespace fovea
