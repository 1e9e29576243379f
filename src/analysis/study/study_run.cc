// A study from the first text of a corpus to the last, interrupted or not.
#include <chrono>
#include <filesystem>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/study/study_file.h"
#include "analysis/study/study_state.h"
#include "analysis/study/study_text.h"
#include "core/fail.h"
#include "core/parallel.h"
#include "fovea/study.h"

namespace fovea {

// Texts come in order; those of other shards are read and left.
class StudyRunner {
 public:
  StudyRunner(const TextModel& model, Corpus& corpus, const StudyRunOptions& options)
      : model_(model), corpus_(corpus), options_(options), study_(model, options.study) {
    if (options.shards < 1 || options.shard < 1 || options.shard > options.shards) {
      fail("[study] got shard {} of {}, expected 1/N .. N/N", options.shard, options.shards);
    }
    if (options.shards > 1) {
      study_.state_->shards = options.shards;
      study_.state_->parts = {options.shard};
    }
  }

  Study run() {
    go_on();
    begin_ = last_saved_ = Clock::now();
    CorpusText text;
    try {
      while (next(text)) {
        const bool own = (position_.texts - 1) % options_.shards == options_.shard - 1;
        if (own) waiting_.push_back(std::move(text.text));
        if (waiting_.size() >= kTextsAtATime) measure();
        check_stop(options_.stop, "study");
      }
      measure();
    } catch (const Stopped&) {
      add_last();
      save();
      throw;
    }
    add_last();
    take_counts();
    return std::move(study_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kTextsAtATime = 16;  // what is measured of a text takes a megabyte or two

  static double seconds_since(Clock::time_point time) {
    return std::chrono::duration<double>(Clock::now() - time).count();
  }

  bool next(CorpusText& text) {
    if (!corpus_.next(text)) return false;
    ++position_.texts;
    position_.hash = text_hash(text.text, text_hash(std::string_view("\0", 1), position_.hash));
    return true;
  }

  // The texts that wait; those measured before them are added meanwhile.
  void measure() {
    const std::vector<MeasuredText> last = take_last();
    last_ = add_and_measure(*study_.state_, last, model_, waiting_, options_.stop);
    last_position_ = position_;
    measured_ += static_cast<Index>(waiting_.size());
    waiting_.clear();
    if (options_.progress) {
      options_.progress({position_.texts, measured_, corpus_.expected(), seconds_since(begin_)});
    }
    if (seconds_since(last_saved_) >= options_.checkpoint_seconds) save();
  }

  void add_last() { add_texts(*study_.state_, take_last()); }

  // To be added at once.
  std::vector<MeasuredText> take_last() {
    saved_position_ = last_position_;
    return std::exchange(last_, {});
  }

  // What waits, or was measured and not added yet, is not in it: that is read again.
  void save() {
    last_saved_ = Clock::now();
    if (!options_.checkpoint.empty()) save_state(options_.checkpoint, *study_.state_, &saved_position_);
  }

  void go_on() {
    if (options_.checkpoint.empty() || !std::filesystem::exists(options_.checkpoint)) return;
    const std::string& path = options_.checkpoint;
    StudyPosition saved;
    std::unique_ptr<StudyState> state = load_state(path, &saved);
    const StudyState& own = *study_.state_;
    const auto key = [](const StudyState& s) {
      return std::tuple(s.header.model, s.header.parameters, s.header.kind, s.header.layers, s.header.heads,
                        s.header.vocabulary, s.header.weights, s.header.precision, s.header.options.length,
                        s.header.options.similarity_rows, s.header.options.corpus, s.shards, s.parts);
    };
    if (key(*state) != key(own)) {
      fail("[study] {}: is of another study; remove it to begin anew", path);
    }
    CorpusText text;
    while (position_.texts < saved.texts && next(text)) check_stop(options_.stop, "study");
    if (position_.texts != saved.texts || position_.hash != saved.hash) {
      fail("[study] {}: the corpus has changed since; remove it to begin anew", path);
    }
    study_.state_ = std::move(state);
    last_position_ = saved_position_ = position_;
  }

  // Every shard reads all rows; the first counts what is wrong with them.
  void take_counts() {
    if (options_.shard != 1) return;
    StudyCounts& counts = study_.state_->counts;
    counts.broken = corpus_.counts().broken;
    counts.repaired = corpus_.counts().repaired;
    counts.empty = corpus_.counts().empty;
  }

  const TextModel& model_;
  Corpus& corpus_;
  const StudyRunOptions& options_;
  Study study_;
  std::vector<std::string> waiting_;
  std::vector<MeasuredText> last_;  // measured, not added yet
  // After the texts that were read; after those in last_; after those that were added.
  StudyPosition position_{0, text_hash("")}, last_position_ = position_, saved_position_ = position_;
  Index measured_ = 0;
  Clock::time_point begin_, last_saved_;
};

Study study_corpus(const TextModel& model, Corpus& corpus, const StudyRunOptions& options) {
  return StudyRunner(model, corpus, options).run();
}

}  // namespace fovea
