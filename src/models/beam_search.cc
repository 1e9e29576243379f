// Beam search: several texts grow side by side, and the most likely go on.
//
// Per step every open text, a beam, is continued by every token. Of the 2 × beams best continuations (more
// where a model has several end tokens), those that end are whole texts if they are among the first
// `beams`; the best others are the beams of the next step.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/fail.h"
#include "models/architecture.h"
#include "models/generation_input.h"
#include "models/token_rules.h"

namespace fovea {
namespace {

struct Beam {
  std::vector<Index> written;  // prompt and new tokens
  double score = 0;            // log p of the new tokens
  Index row = 0;               // its place in the caches
};

struct Continuation {
  std::size_t beam = 0;
  Index token = 0;
  double score = 0;
};

// Of equals, the better beam, then the lower token.
bool comes_first(const Continuation& a, const Continuation& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.beam != b.beam ? a.beam < b.beam : a.token < b.token;
}

class BeamSearch {
 public:
  BeamSearch(const Model& model, const std::vector<Index>& prompt, const GenerationOptions& options);
  std::vector<Generation> run();

 private:
  // The best continuations of all beams by logits [beams, V].
  std::vector<Continuation> best_continuations(Tensor& logits) const;
  // Keeps whole texts; the next beams are the others. False: the search is over.
  bool take(const std::vector<Continuation>& best);
  void keep_whole(const Continuation& from, bool ended);
  void keep(Generation text);
  // Rows of the caches for the next beams: one that goes on in its parent's row copies nothing.
  void assign_rows(std::vector<Beam>& next);
  double final_score(double score, Index tokens) const {
    return score / std::pow(static_cast<double>(tokens), options_.length_penalty);
  }
  Index new_tokens() const { return static_cast<Index>(beams_.front().written.size()) - prompt_; }
  Ids next_input() const;

  const Architecture& architecture_;
  const GenerationOptions& options_;
  Index prompt_;  // tokens of the decoder's prompt
  TokenRules rules_;
  DecodingState state_;
  std::vector<Beam> beams_;        // best first
  std::vector<Generation> whole_;  // best first, at most options.beams
};

BeamSearch::BeamSearch(const Model& model, const std::vector<Index>& prompt,
                       const GenerationOptions& options)
    : architecture_(model.architecture()),
      options_(options),
      prompt_(static_cast<Index>(decoder_part(model.config(), prompt).size())),
      rules_(model.config(), options, prompt_) {
  const std::vector<Index> read = encoder_part(model.config(), prompt);
  beams_.push_back({decoder_part(model.config(), prompt), 0, 0});
  check_encoder_part(model.config(), read);
  check_decoder_part(model.config(), beams_.front().written, 0);
  state_.cache = cache_type(model, options.cache);
  architecture_.start(state_, one_sequence(read), nullptr);
}

// scores [V] → their log-probabilities, summed in double.
void log_softmax(float* scores, Index count) {
  double largest = -INFINITY, sum = 0;
  for (Index i = 0; i < count; ++i) {
    if (std::isnan(scores[i])) fail("[generate] the model produced logits that are not finite");
    largest = std::max(largest, static_cast<double>(scores[i]));
  }
  for (Index i = 0; i < count; ++i) sum += std::exp(static_cast<double>(scores[i]) - largest);
  const double all = largest + std::log(sum);
  for (Index i = 0; i < count; ++i) {
    scores[i] = static_cast<float>(static_cast<double>(scores[i]) - all);
  }
}

std::vector<Continuation> BeamSearch::best_continuations(Tensor& logits) const {
  const Index vocabulary = architecture_.config().vocabulary;
  const auto kept = static_cast<std::size_t>(
      std::max<Index>(2, 1 + static_cast<Index>(rules_.ends().size())) * options_.beams);
  std::vector<Continuation> best;  // a heap, the worst in front
  for (std::size_t b = 0; b < beams_.size(); ++b) {
    float* row = logits.data() + beams_[b].row * vocabulary;
    log_softmax(row, vocabulary);
    rules_.apply(beams_[b].written, row);
    for (Index token = 0; token < vocabulary; ++token) {
      const Continuation found = {b, token, beams_[b].score + static_cast<double>(row[token])};
      if (found.score == -INFINITY) continue;
      if (best.size() == kept) {
        if (!comes_first(found, best.front())) continue;
        std::pop_heap(best.begin(), best.end(), comes_first);
        best.pop_back();
      }
      best.push_back(found);
      std::push_heap(best.begin(), best.end(), comes_first);
    }
  }
  std::sort_heap(best.begin(), best.end(), comes_first);
  return best;
}

void BeamSearch::keep_whole(const Continuation& from, bool ended) {
  Generation text;
  const std::vector<Index>& written = beams_[from.beam].written;
  text.ids.assign(written.begin() + prompt_, written.end());
  if (!ended) text.ids.push_back(from.token);
  text.ended = ended;
  text.score = final_score(from.score, new_tokens() + 1);
  keep(std::move(text));
}

void BeamSearch::keep(Generation text) {
  const auto worse = [&](const Generation& other) { return other.score < text.score; };
  whole_.insert(std::find_if(whole_.begin(), whole_.end(), worse), std::move(text));
  if (static_cast<Index>(whole_.size()) > options_.beams) whole_.pop_back();
}

void BeamSearch::assign_rows(std::vector<Beam>& next) {
  std::vector<Index> from(next.size());
  std::vector<bool> taken(next.size(), false);
  std::vector<Beam*> others;
  for (Beam& beam : next) {  // rows are those of the parents so far
    const auto row = static_cast<std::size_t>(beam.row);
    if (next.size() == beams_.size() && !taken[row]) {
      taken[row] = true;
      from[row] = beam.row;
    } else {
      others.push_back(&beam);
    }
  }
  for (Beam* beam : others) {
    const auto free =
        static_cast<std::size_t>(std::find(taken.begin(), taken.end(), false) - taken.begin());
    taken[free] = true;
    from[free] = std::exchange(beam->row, static_cast<Index>(free));
  }
  state_.reorder(from);
}

bool BeamSearch::take(const std::vector<Continuation>& best) {
  const bool last = new_tokens() + 1 == rules_.limit();
  std::vector<Beam> next;
  for (std::size_t rank = 0; rank < best.size(); ++rank) {
    const Continuation& one = best[rank];
    const bool ended = rules_.is_end(one.token);
    if (ended || last) {
      if (static_cast<Index>(rank) < options_.beams) keep_whole(one, ended);
    } else if (static_cast<Index>(next.size()) < options_.beams) {
      Beam beam = {beams_[one.beam].written, one.score, beams_[one.beam].row};
      beam.written.push_back(one.token);
      next.push_back(std::move(beam));
    }
  }
  if (next.empty()) return false;
  assign_rows(next);
  beams_ = std::move(next);
  if (static_cast<Index>(whole_.size()) < options_.beams) return true;
  // An open text is taken for as good as if it ended now.
  return !options_.early_end && final_score(beams_.front().score, new_tokens()) > whole_.back().score;
}

Ids BeamSearch::next_input() const {
  if (new_tokens() == 0) return one_sequence(beams_.front().written);
  Ids input = Ids::filled({static_cast<Index>(beams_.size()), 1}, 0);
  for (const Beam& beam : beams_) input(beam.row, 0) = beam.written.back();
  return input;
}

std::vector<Generation> BeamSearch::run() {
  if (rules_.limit() == 0) return {Generation()};
  bool open = true;
  while (open && !options_.stop.stop_requested()) {
    const Ids input = next_input();
    Tensor logits = architecture_.next(state_, input, nullptr);
    state_.tokens += input.shape()[1];
    open = take(best_continuations(logits));
  }
  if (open && new_tokens() > 0) {  // stopped: what there is
    for (const Beam& beam : beams_) {
      keep({{beam.written.begin() + prompt_, beam.written.end()},
            false,
            final_score(beam.score, new_tokens())});
    }
  }
  if (whole_.empty()) whole_.emplace_back();
  return std::move(whole_);
}

}  // namespace

std::vector<Generation> beam_search(const Model& model, const std::vector<Index>& prompt,
                                    const GenerationOptions& options) {
  check_generation(options);
  return BeamSearch(model, prompt, options).run();
}

}  // namespace fovea
