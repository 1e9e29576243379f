#include "fovea/predict.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/fail.h"

namespace fovea {

std::string token_name(const TextModel& model, Index id) {
  return model.target_tokenizer().id_to_token(id).value_or(fmt::format("<{}>", id));
}

std::vector<double> log_probabilities(ConstView logits) {
  if (logits.shape().rank() != 1 || logits.shape()[0] < 1) {
    fail("[predict] logits are {}, expected [V]", logits.shape().to_string());
  }
  const auto count = static_cast<std::size_t>(logits.shape()[0]);
  std::vector<double> logs(count);
  for (std::size_t i = 0; i < count; ++i) {
    logs[i] = static_cast<double>(logits.data()[static_cast<Index>(i) * logits.stride(0)]);
  }
  const double largest = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  for (const double logit : logs) sum += std::exp(logit - largest);
  const double all = largest + std::log(sum);
  for (double& log : logs) log -= all;
  return logs;
}

double kl_divergence(ConstView before, ConstView after) {
  return kl_divergence(log_probabilities(before), log_probabilities(after));
}

double kl_divergence(const std::vector<double>& p, const std::vector<double>& q) {
  if (p.size() != q.size()) fail("[predict] {} logits before, {} after", p.size(), q.size());
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double share = std::exp(p[i]);
    if (share > 0) sum += share * (p[i] - q[i]);
  }
  return std::max(0.0, sum);  // rounding may leave −1e-17
}

double prediction_loss(ConstView logits, const std::vector<Index>& next) {
  if (logits.shape().rank() != 2 || logits.shape()[0] != static_cast<Index>(next.size()) || next.empty()) {
    fail("[predict] logits are {}, expected [{}, V], one row for each token", logits.shape().to_string(),
         next.size());
  }
  double sum = 0;
  for (std::size_t i = 0; i < next.size(); ++i) {
    if (next[i] < 0 || next[i] >= logits.shape()[1]) {
      fail("[predict] token {}, there are 0 to {}", next[i], logits.shape()[1] - 1);
    }
    sum -= log_probabilities(logits.select(0, static_cast<Index>(i)))[static_cast<std::size_t>(next[i])];
  }
  return sum / static_cast<double>(next.size());
}

std::vector<TokenPrediction> top_tokens(const TextModel& model, ConstView logits, Index count) {
  return top_tokens(model, logits, log_probabilities(logits), count);
}

std::vector<TokenPrediction> top_tokens(const TextModel& model, ConstView logits,
                                        const std::vector<double>& logs, Index count) {
  if (logits.shape().rank() != 1 || logits.shape()[0] != static_cast<Index>(logs.size())) {
    fail("[predict] logits are {}, expected [{}], as there are logarithms", logits.shape().to_string(),
         logs.size());
  }
  std::vector<Index> order(logs.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto shown = static_cast<std::ptrdiff_t>(std::min(static_cast<std::size_t>(count), order.size()));
  std::partial_sort(order.begin(), order.begin() + shown, order.end(), [&](Index a, Index b) {
    const double x = logs[static_cast<std::size_t>(a)], y = logs[static_cast<std::size_t>(b)];
    return x != y ? x > y : a < b;
  });
  std::vector<TokenPrediction> top;
  for (std::ptrdiff_t i = 0; i < shown; ++i) {
    const Index id = order[static_cast<std::size_t>(i)];
    top.push_back({id, token_name(model, id), static_cast<double>(logits.data()[id * logits.stride(0)]),
                   std::exp(logs[static_cast<std::size_t>(id)])});
  }
  return top;
}

std::vector<LogitMove> largest_moves(const TextModel& model, ConstView before, ConstView after,
                                     Index count) {
  if (!(before.shape() == after.shape()) || before.shape().rank() != 1) {
    fail("[predict] logits before are {}, after {}, expected [V] both", before.shape().to_string(),
         after.shape().to_string());
  }
  std::vector<LogitMove> moves;
  for (Index id = 0; id < before.shape()[0]; ++id) {
    moves.push_back({id,
                     {},
                     static_cast<double>(before.data()[id * before.stride(0)]),
                     static_cast<double>(after.data()[id * after.stride(0)])});
  }
  const auto shown = std::min(static_cast<std::size_t>(count), moves.size());
  std::partial_sort(moves.begin(), moves.begin() + static_cast<std::ptrdiff_t>(shown), moves.end(),
                    [](const LogitMove& a, const LogitMove& b) {
                      const double x = std::abs(a.after - a.before), y = std::abs(b.after - b.before);
                      return x != y ? x > y : a.id < b.id;
                    });
  moves.resize(shown);
  for (LogitMove& move : moves) move.token = token_name(model, move.id);
  return moves;
}

std::vector<Index> predicted_positions(const TextModel& model, const TextRun& run) {
  const ModelConfig& config = model.model().config();
  if (!config.has_logits) {
    fail("[predict] {} has no output layer: it makes vectors of texts, and predicts no tokens",
         model.model().name());
  }
  if (config.has_decoder()) {
    const Ids& ids = config.is_encoder_decoder() ? run.input.decoder_ids : run.input.ids;
    return {ids.shape()[1] - 1};
  }
  std::vector<Index> masks;
  std::string name;
  for (const char* token : {"[MASK]", "<mask>"}) {
    const std::optional<Index> id = model.tokenizer().token_to_id(token);
    if (!id) continue;
    name = token;
    for (Index n = 0; n < run.input.ids.shape()[1]; ++n) {
      if (run.input.ids(0, n) == *id) masks.push_back(n);
    }
  }
  if (masks.empty()) {
    fail(
        "[predict] {} predicts masked tokens, and there is no {} in the text; name a position to see what "
        "it says there",
        model.model().name(), name.empty() ? "mask" : name);
  }
  return masks;
}

std::vector<double> sentence_vector(const Tensor& hidden) {
  const Shape& shape = hidden.shape();
  if (shape.rank() != 3 || shape[0] != 1 || shape[1] < 1) {
    fail("[predict] hidden states are {}, expected [1, N, E]", shape.to_string());
  }
  std::vector<double> mean(static_cast<std::size_t>(shape[2]));
  for (Index n = 0; n < shape[1]; ++n) {
    for (Index i = 0; i < shape[2]; ++i) {
      mean[static_cast<std::size_t>(i)] += static_cast<double>(hidden.data()[n * shape[2] + i]);
    }
  }
  for (double& value : mean) value /= static_cast<double>(shape[1]);
  return mean;
}

double cosine(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) fail("[predict] vectors of {} and {} numbers", a.size(), b.size());
  const auto dot = [](const std::vector<double>& x, const std::vector<double>& y) {
    return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
  };
  const double lengths = std::sqrt(dot(a, a) * dot(b, b));
  return lengths == 0 ? 0 : dot(a, b) / lengths;
}

}  // namespace fovea
