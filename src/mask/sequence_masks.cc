// Masks by what stands at the keys: padding, lengths, documents. Their intervals are found once.
#include <algorithm>
#include <map>
#include <utility>

#include "core/fail.h"
#include "mask/intervals.h"
#include "mask/score_shape.h"

namespace fovea {
namespace {

// The extents of [B, M] or [M] (one sequence).
struct SequenceShape {
  Index batch = 1, keys = 0;
};

SequenceShape sequence_shape(const char* who, const Shape& shape) {
  if (shape.rank() != 1 && shape.rank() != 2) {
    fail("[mask] {} has shape {}, expected [B, M] or [M]", who, shape.to_string());
  }
  const Index batch = shape.rank() == 2 ? shape[0] : 1;
  if (batch == 0) fail("[mask] {} has shape {}, expected at least one sequence", who, shape.to_string());
  return {batch, shape.back()};
}

// [[1,1,0],[1,0,0]], as parse_mask reads it; id(b, key) are the numbers.
template <typename IdOf>
std::string ids_text(Index batch, Index keys, const IdOf& id) {
  std::string text = "[";
  for (Index b = 0; b < batch; ++b) {
    text += b == 0 ? "[" : ",[";
    for (Index key = 0; key < keys; ++key) text += fmt::format("{}{}", key == 0 ? "" : ",", id(b, key));
    text += "]";
  }
  return text + "]";
}

class PaddingMask final : public MaskNode {
 public:
  // is_real(k) for k in [0, B·M)
  template <typename IsReal>
  PaddingMask(const Shape& shape, const IsReal& is_real) {
    const auto [batch, keys] = sequence_shape("padding", shape);
    keys_ = keys;
    visible_.resize(static_cast<std::size_t>(batch));
    for (Index b = 0; b < batch; ++b) {
      for (Index key = 0; key < keys; ++key) {
        if (is_real(static_cast<std::size_t>(b * keys + key))) {
          append(visible_[static_cast<std::size_t>(b)], {key, key + 1});
        }
      }
    }
  }

  void visible_keys(const Row& row, Intervals& visible) const override {
    visible = visible_[static_cast<std::size_t>(row.batch % batch())];
  }
  void check(const ScoreExtents& extents) const override {
    check_batch("[mask] padding", batch(), extents);
    check_keys("[mask] padding", keys_, extents);
  }
  Index batch() const override { return static_cast<Index>(visible_.size()); }
  Index keys() const override { return keys_; }
  bool depends_on_query() const override { return false; }
  std::string name() const override { return "padding"; }
  std::string expression() const override {
    std::vector<std::uint8_t> real(static_cast<std::size_t>(batch() * keys_), 0);
    for (Index b = 0; b < batch(); ++b) {
      for (const Interval& run : visible_[static_cast<std::size_t>(b)]) {
        std::fill(real.begin() + b * keys_ + run.begin, real.begin() + b * keys_ + run.end,
                  std::uint8_t{1});
      }
    }
    return fmt::format("padding({})", ids_text(batch(), keys_, [&](Index b, Index key) {
                         return real[static_cast<std::size_t>(b * keys_ + key)];
                       }));
  }

 private:
  Index keys_ = 0;
  std::vector<Intervals> visible_;  // per batch entry
};

class LengthsMask final : public MaskNode {
 public:
  explicit LengthsMask(const std::vector<Index>& lengths) : lengths_(lengths) {
    if (lengths.empty()) fail("[mask] lengths is empty, expected one per sequence");
    for (const Index length : lengths) {
      if (length < 0) fail("[mask] length {} is negative", length);
    }
  }

  bool visible_interval(const Row& row, Interval& visible) const override {
    visible = {0, std::min(lengths_[static_cast<std::size_t>(row.batch % batch())], row.m)};
    return true;
  }
  void visible_keys(const Row& row, Intervals& visible) const override {
    Interval keys;
    visible_interval(row, keys);
    visible.clear();
    append(visible, keys);
  }
  void check(const ScoreExtents& extents) const override {
    check_batch("[mask] lengths", batch(), extents);
    for (const Index length : lengths_) {
      if (length > extents.m) fail("[mask] length {} exceeds the call's {} keys", length, extents.m);
    }
  }
  Index batch() const override { return static_cast<Index>(lengths_.size()); }
  bool depends_on_query() const override { return false; }
  std::string name() const override { return "lengths"; }
  std::string expression() const override {
    std::string text;
    for (const Index length : lengths_) text += fmt::format("{}{}", text.empty() ? "" : ", ", length);
    return fmt::format("lengths({})", text);
  }

 private:
  std::vector<Index> lengths_;
};

class DocumentsMask final : public MaskNode {
 public:
  explicit DocumentsMask(const Ids& ids) : has_batch_(ids.shape().rank() == 2) {
    const auto [batch, keys] = sequence_shape("documents", ids.shape());
    batch_ = batch;
    keys_ = keys;
    document_of_.reserve(ids.values().size());
    for (Index b = 0; b < batch; ++b) {
      std::map<std::int64_t, std::size_t> found;  // id → place in documents_, within this sequence
      for (Index key = 0; key < keys; ++key) {
        const std::int64_t id = ids.data()[b * keys + key];
        const auto [at, is_new] = found.emplace(id, documents_.size());
        if (is_new) documents_.emplace_back();
        append(documents_[at->second], {key, key + 1});
        document_of_.push_back(at->second);
      }
    }
  }

  void visible_keys(const Row& row, Intervals& visible) const override {
    visible.clear();
    const Index p = row.position();
    if (p < 0 || p >= keys_) return;
    visible = documents_[document_of_[static_cast<std::size_t>(row.batch % batch_ * keys_ + p)]];
  }
  void check(const ScoreExtents& extents) const override {
    check_batch("[mask] documents", batch_, extents);
    check_keys("[mask] documents", keys_, extents);
  }
  Index batch() const override { return has_batch_ ? batch_ : 0; }
  Index keys() const override { return keys_; }
  std::string name() const override { return "documents"; }
  std::string expression() const override {
    std::string text = ids_text(batch_, keys_, [&](Index b, Index key) {
      return document_of_[static_cast<std::size_t>(b * keys_ + key)];
    });
    if (!has_batch_) text = text.substr(1, text.size() - 2);
    return fmt::format("documents({})", text);
  }

 private:
  bool has_batch_;
  Index batch_ = 1, keys_ = 0;
  std::vector<std::size_t> document_of_;  // [B, M]: place in documents_
  std::vector<Intervals> documents_;      // the keys of each document; a document may have several runs
};

}  // namespace

Mask Mask::padding(const Flags& real) {
  const auto is_real = [&](std::size_t k) { return real.values()[k] != 0; };
  return Mask(std::make_shared<PaddingMask>(real.shape(), is_real));
}

Mask Mask::padding(const Ids& ids, std::int64_t pad) {
  const auto is_real = [&](std::size_t k) { return ids.values()[k] != pad; };
  return Mask(std::make_shared<PaddingMask>(ids.shape(), is_real));
}

Mask Mask::lengths(const std::vector<Index>& lengths) {
  return Mask(std::make_shared<LengthsMask>(lengths));
}

Mask Mask::documents(const Ids& documents) { return Mask(std::make_shared<DocumentsMask>(documents)); }

}  // namespace fovea
