// Shares of the measures of one attention, put together.
#include <algorithm>
#include <cmath>

#include "core/fail.h"
#include "fovea/attention_merge.h"
#include "ops/head_means.h"
#include "ops/joined.h"

namespace fovea {
namespace {

using Parts = std::vector<AttentionStatistics>;

std::vector<const Tensor*> all_of(const Parts& parts, Tensor AttentionStatistics::*member) {
  std::vector<const Tensor*> tensors;
  for (const AttentionStatistics& part : parts) tensors.push_back(&(part.*member));
  return tensors;
}

// The largest share of a weight, of equals the first key's, in whatever order the parts come; NaN if one
// is.
void merge_maximum(const Parts& parts, AttentionStatistics& all) {
  all.maximum = parts.front().maximum;
  all.position = parts.front().position;
  all.visible = parts.front().visible;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    for (Index row = 0; row < all.maximum.shape().elements(); ++row) {
      const float weight = parts[i].maximum.data()[row];
      float& largest = all.maximum.data()[row];
      all.visible.data()[row] += parts[i].visible.data()[row];
      if (std::isnan(largest) || weight < largest) continue;
      const Index before = all.position.data()[row], position = parts[i].position.data()[row];
      if (weight == largest && (position < 0 || (before >= 0 && before < position))) continue;
      largest = weight;
      all.position.data()[row] = parts[i].position.data()[row];
    }
  }
  for (Index row = 0; row < all.maximum.shape().elements(); ++row) {
    if (!std::isnan(all.maximum.data()[row])) continue;
    all.position.data()[row] = -1;
    for (Tensor* measure : {&all.entropy, &all.diagonal, &all.distance}) {
      measure->data()[row] = all.maximum.data()[row];
    }
  }
}

void merge_rows(const Parts& parts, AttentionStatistics& all) {
  all.entropy = added("[merge_statistics] entropy", all_of(parts, &AttentionStatistics::entropy));
  all.diagonal = added("[merge_statistics] diagonal", all_of(parts, &AttentionStatistics::diagonal));
  all.distance = added("[merge_statistics] distance", all_of(parts, &AttentionStatistics::distance));
  std::vector<Tensor> sums;
  for (const AttentionStatistics& part : parts) sums.push_back(part.logsumexp);
  all.logsumexp = merge_logsumexp(sums);
  merge_maximum(parts, all);
  all.means = head_means(all);
}

void merge_thumbnails(const Parts& parts, AttentionStatistics& all) {
  all.thumbnail = added("[merge_statistics] thumbnail", all_of(parts, &AttentionStatistics::thumbnail));
  all.thumbnail_max = parts.front().thumbnail_max;
  for (const AttentionStatistics& part : parts) {
    for (Index i = 0; i < all.thumbnail.shape().elements(); ++i) {
      float& largest = all.thumbnail_max.data()[i];
      const float share = part.thumbnail_max.data()[i];
      if (share > largest || std::isnan(share)) largest = share;
    }
  }
}

// The k largest of all parts; of equal ones the earlier key stays first.
void merge_top(const Parts& parts, AttentionStatistics& all) {
  const Shape& shape = parts.front().top_weights.shape();
  const Index k = shape.back(), rows = k == 0 ? 0 : shape.elements() / k;
  all.top_weights = Tensor(shape);
  all.top_keys = Ids::filled(shape, -1);
  std::vector<std::pair<float, Index>> found;
  for (Index row = 0; row < rows; ++row) {
    found.clear();
    bool undefined = false;
    for (const AttentionStatistics& part : parts) {
      for (Index i = row * k; i < (row + 1) * k; ++i) {
        const float weight = part.top_weights.data()[i];
        undefined = undefined || std::isnan(weight);
        if (part.top_keys.data()[i] >= 0) found.emplace_back(weight, part.top_keys.data()[i]);
      }
    }
    if (undefined) {
      std::fill_n(all.top_weights.data() + row * k, k, std::nanf(""));
      continue;
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
      return a.first > b.first || (a.first == b.first && a.second < b.second);
    });
    for (Index i = 0; i < std::min(k, static_cast<Index>(found.size())); ++i) {
      all.top_weights.data()[row * k + i] = found[static_cast<std::size_t>(i)].first;
      all.top_keys.data()[row * k + i] = found[static_cast<std::size_t>(i)].second;
    }
  }
}

// Asked for the same, for the same rows?
bool alike(const AttentionStatistics& a, const AttentionStatistics& b) {
  return a.entropy.shape() == b.entropy.shape() && a.received.shape().rank() == b.received.shape().rank() &&
         a.thumbnail.shape() == b.thumbnail.shape() && a.top_weights.shape() == b.top_weights.shape() &&
         a.weights.shape().rank() == b.weights.shape().rank();
}

}  // namespace

AttentionStatistics merge_statistics(const Parts& parts) {
  if (parts.empty()) fail("[merge_statistics] got no parts, expected at least one");
  const AttentionStatistics& first = parts.front();
  for (const AttentionStatistics& part : parts) {
    if (!alike(part, first)) {
      fail("[merge_statistics] the parts were not asked for the same measures of the same queries");
    }
  }
  AttentionStatistics all;
  if (first.entropy.shape().rank() > 0) merge_rows(parts, all);
  if (first.received.shape().rank() > 0) {
    all.received = joined("[merge_statistics] received", all_of(parts, &AttentionStatistics::received), 0);
  }
  if (first.thumbnail.shape().rank() > 0) merge_thumbnails(parts, all);
  if (first.top_weights.shape().rank() > 0) merge_top(parts, all);
  if (first.weights.shape().rank() > 0) {
    all.weights = joined("[merge_statistics] weights", all_of(parts, &AttentionStatistics::weights), 0);
  }
  return all;
}

}  // namespace fovea
