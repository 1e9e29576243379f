// The order in which decoding reads the keys of a split.
#pragma once

#include "kernels/decode.h"

namespace fovea::kernels {

inline constexpr Index kScoreStride =
    kSplitKeys + 16;  // not a multiple of 4 KiB: stores would seem to hit loads
inline constexpr int kScoreStreams = 4, kValueStreams = 8;

// What one step reads: a key of every stream.
template <typename T, int NS>
struct StreamKeys {
  const T* row[NS];
  Index key[NS];  // its number in the split
};

// `count` keys in NS streams of equal length, walked through together. Stream s begins s keys after its
// first and takes those last: where all stood at the same key, rows of 512 bytes would be a multiple of
// 4 KiB apart and fight for the same eight places of the first cache (a tenth of the time).
template <int NS>
class Streams {
 public:
  explicit Streams(Index count) : length_(count / NS), count_(count) {}

  Index steps() const { return length_; }
  Index rest() const { return length_ * NS; }  // keys from here on are in no stream: fewer than NS

  template <typename T>
  StreamKeys<T, NS> at(Index step, const T* rows, Index stride) const {
    StreamKeys<T, NS> keys;
    for (int s = 0; s < NS; ++s) {
      Index shifted = step + s;
      while (shifted >= length_) shifted -= length_;
      keys.key[s] = s * length_ + shifted;
      keys.row[s] = rows + keys.key[s] * stride;
    }
    return keys;
  }

  // Those that are in no stream; the last one again and again where there are too few.
  template <typename T>
  StreamKeys<T, NS> left_over(const T* rows, Index stride) const {
    StreamKeys<T, NS> keys;
    for (int s = 0; s < NS; ++s) {
      keys.key[s] = rest() + s < count_ ? rest() + s : count_ - 1;
      keys.row[s] = rows + keys.key[s] * stride;
    }
    return keys;
  }

 private:
  Index length_, count_;
};

}  // namespace fovea::kernels
