// The orders in which decoding reads the keys of a split.
#pragma once

#include <algorithm>

#include "kernels/decode.h"

namespace fovea::kernels {

inline constexpr Index kScoreStride =
    kSplitKeys + 16;  // not a multiple of 4 KiB: stores would seem to hit loads
inline constexpr int kScoreStreams = 4, kValueStreams = 8;
inline constexpr Index kLineBytes = 64;  // of a cache

// What one step reads: a key of every stream.
template <typename T, int NS>
struct StreamKeys {
  const T* row[NS];
  Index key[NS];  // its number in the split
  // How many bytes after it the row stands that is to be fetched into the first cache, and that into the
  // second; 0 where the streams end before.
  Index near = 0, far = 0;
};

// How many bytes before a stream reads a line it is fetched into the first cache, and into the second; both
// 0: never.
struct FetchDistance {
  Index near, far;
};

inline Index whole_rows(Index bytes, Index row_bytes) {
  return (bytes + row_bytes - 1) / std::max<Index>(1, row_bytes);
}

// `count` keys in NS streams of equal length, walked through together. Stream s begins s keys after its
// first and takes those last: where all stood at the same key, rows of 512 bytes would be a multiple of
// 4 KiB apart and fight for the same eight places of the first cache (a tenth of the time).
template <int NS>
class Streams {
 public:
  static constexpr int kKeys = NS;  // of a step

  Streams(Index count, FetchDistance ahead, Index row_bytes)
      : length_(count / NS),
        count_(count),
        near_(whole_rows(ahead.near, row_bytes)),
        far_(whole_rows(ahead.far, row_bytes)) {}

  Index steps() const { return length_; }
  Index rest() const { return length_ * NS; }  // keys from here on are in no stream: fewer than NS

  template <typename T>
  StreamKeys<T, NS> at(Index step, const T* rows, Index stride) const {
    StreamKeys<T, NS> keys;
    const Index bytes = stride * static_cast<Index>(sizeof(T));
    keys.near = step + near_ < length_ ? near_ * bytes : 0;
    keys.far = step + far_ < length_ ? far_ * bytes : 0;
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
  Index length_, count_, near_, far_;
};

// `count` keys in the order of memory, NS neighbours in a step; `following` more lie after them, which are
// fetched already when the last ones are read.
template <int NS>
class Neighbours {
 public:
  static constexpr int kKeys = NS;

  // Lines are fetched into the first cache only.
  Neighbours(Index count, Index following, Index ahead, Index row_bytes)
      : count_(count),
        all_(count + following),
        row_bytes_(row_bytes),
        near_(whole_rows(ahead, row_bytes)) {}

  Index steps() const { return count_ / NS; }
  Index rest() const { return count_ / NS * NS; }

  // Whether the rows lie in memory one after the other, without gaps.
  template <typename T>
  bool is_dense(Index stride) const {
    return stride * static_cast<Index>(sizeof(T)) == row_bytes_;
  }

  template <typename T>
  StreamKeys<T, NS> at(Index step, const T* rows, Index stride) const {
    StreamKeys<T, NS> keys;
    const Index bytes = stride * static_cast<Index>(sizeof(T));
    keys.near = step * NS + near_ < all_ ? near_ * bytes : 0;
    for (int s = 0; s < NS; ++s) {
      keys.key[s] = step * NS + s;
      keys.row[s] = rows + keys.key[s] * stride;
    }
    return keys;
  }

 private:
  Index count_, all_, row_bytes_, near_;
};

}  // namespace fovea::kernels
