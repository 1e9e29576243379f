// Studies that are shown: what every head does over a corpus, as the page asks for it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/json_writer.h"
#include "fovea/study.h"

namespace fovea::explorer {

inline constexpr std::size_t kMostStudies = 4;     // side by side are two
inline constexpr Index kShownBins = 64;            // of a histogram: a card is a few hundred pixels wide
inline constexpr Index kMostStudyHeads = 1 << 14;  // a page of more heads would not open

// All answers are made at the start, a few megabytes each, and are not changed: any thread may read them.
class StudyStore {
 public:
  using Body = std::shared_ptr<const std::string>;  // there once, for however many clients

  StudyStore() = default;
  // Throws Error for more than kMostStudies, a study without texts, or one of too many heads.
  explicit StudyStore(const std::vector<Study>& studies);

  bool empty() const { return studies_.empty(); }
  std::size_t size() const { return studies_.size(); }

  // Of the state: [{"id": "s0", "model", "corpus", "kind", "layers", "heads", "texts", ..}]
  void write_json(JsonWriter& json) const;

  // "s0": the means of all heads, their roles and the map of heads. RequestError 404.
  Body overview(const std::string& id) const;
  // A card: histograms, distances, strongest places, tokens and pairs of one head, counted through all
  // layers. RequestError 404.
  Body head(const std::string& id, Index head) const;
  Index heads(const std::string& id) const;  // of all layers

 private:
  struct Shown {
    std::string id, model, corpus, shard;
    AttentionKind kind = AttentionKind::encoder;
    Index layers = 0, heads = 0, length = 0;
    StudyCounts counts;
    Body overview;
    std::vector<Body> cards;
  };
  const Shown& get(const std::string& id) const;

  std::vector<Shown> studies_;
};

}  // namespace fovea::explorer
