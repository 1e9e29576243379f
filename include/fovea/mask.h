// Masks: who may see whom, as values with an algebra.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/api.h"
#include "fovea/array.h"
#include "fovea/score_part.h"
#include "fovea/tensor.h"

namespace fovea {

inline namespace internal {
class FOVEA_PRIVATE_API MaskNode;  // private, src/mask
}

// Where query 0 stands against the keys when N ≠ M.
enum class Align {
  bottom_right,  // the last query stands at the last key, as with a cache: p = i + M − N
  top_left,      // the first query stands at the first key: p = i
};

// A rectangle of the score matrix of one batch entry and head, [row_begin, row_end) × [key_begin, key_end).
struct FOVEA_API Tile {
  Index batch = 0, head = 0;
  Index row_begin = 0, row_end = 0;
  Index key_begin = 0, key_end = 0;
};
enum class TileClass { hidden, full, partial };

// Query i stands at position p = i + M − N. A mask owns its data, is immutable and cheap to copy.
// A key is hidden if a boolean mask is false or an additive value is −inf.
class FOVEA_API Mask {
 public:
  Mask() = default;  // none(): hides nothing
  static Mask none() { return {}; }
  static Mask causal(Align align = Align::bottom_right);   // keys 0..p
  static Mask padding(const Flags& real);                  // [B, M], 1 = real token
  static Mask padding(const Ids& ids, std::int64_t pad);   // [B, M], real where id ≠ pad
  static Mask lengths(const std::vector<Index>& lengths);  // B lengths: keys 0..length−1
  static Mask sliding_window(Index before, Index after);   // keys p−before..p+after
  static Mask sparse(Index stride);                        // |p−j| ≤ s, or p or j a multiple of s
  static Mask documents(const Ids& documents);             // [M] or [B, M]: same id as position p
  static Mask prefix(Index n);                             // j < n, or j ≤ p: prefix, then causal
  static Mask dense(const Flags& visible);  // [N, M] .. [A, B, H, N, M]; extents of 1 broadcast
  static Mask additive(ConstView values);   // same shapes; added to the scores
  // visible(b, h, i, j); called from several threads at once. It knows no batch: to_bool and density ask
  // for entry 0 and head 0, unless a mask it is combined with knows more.
  static Mask predicate(std::function<bool(Index, Index, Index, Index)> visible);

  // Both throw Error immediately if the two are for different numbers of batch entries, heads or keys.
  // GCC warns of `!a & b` whatever the type; write `(!a) & b` or `b & !a`.
  friend FOVEA_API Mask operator&(const Mask& a, const Mask& b);  // additive values are summed
  friend FOVEA_API Mask operator|(const Mask& a, const Mask& b);  // throws Error for an additive mask
  friend FOVEA_API Mask operator!(const Mask& a);                 // throws Error for an additive mask

  bool is_none() const { return node_ == nullptr; }
  bool is_additive() const;  // does it carry values to add?
  // Batch entries and heads the mask itself knows; 0: any number (causal), 1: one for all.
  Index batch() const;
  Index heads() const;

  // The mask of one batch entry and head, for calls on that head alone; of one batch entry, for calls on
  // all its heads.
  Mask select(Index batch_entry, Index head) const;
  Mask select(Index batch_entry) const;
  // The mask of a part of the scores, for calls on its queries and keys alone. Throws Error if the part is
  // not one of its own N × M; whether these are the mask's is checked by the call.
  Mask part(const ScorePart& part) const;
  // What at least one head of the batch entry sees: the visible keys of a mean of heads. Never additive.
  Mask of_any_head(Index batch_entry) const;

  // In the smallest shape that broadcasts over [B, H, N, M]: [N, M]; [B, 1, M] for padding and what is
  // made of it alone; [B, N, M]; [B, H, N, M]. The additive form is 0, −inf, or the values themselves.
  Flags to_bool(Index n, Index m) const;
  Tensor to_additive(Index n, Index m) const;

  // Share of visible pairs, over all batch entries and heads the mask knows. Nothing to see (N·M = 0): 1.
  double density(Index n, Index m) const;
  std::string describe(Index n, Index m) const;  // "causal and padding: 48.0 % visible"

  // What parse_mask makes this mask of again, "(causal & padding([[1,1,0]]))"; nothing if a dense or
  // additive mask or a predicate is in it.
  std::optional<std::string> expression() const;

  // Exact for every mask, without an N×M array: are all, none or some pairs of the tile visible?
  TileClass classify(const Tile& tile, Index n, Index m) const;
  // The same for all tiles of `width` keys within a band of rows, from the left; the last may be narrower.
  // Each row is asked once.
  std::vector<TileClass> classify_band(const Tile& band, Index width, Index n, Index m) const;

  const MaskNode* node() const { return node_.get(); }  // for the kernels

 private:
  explicit Mask(std::shared_ptr<const MaskNode> node) : node_(std::move(node)) {}
  std::shared_ptr<const MaskNode> node_;
};

// A mask from its text: "causal & window(2)", "!sparse(4) | padding([1,2,3,0,0])". & binds closer than |.
//   none  causal  causal(top_left)  window(w)  window(before, after)  sparse(s)  prefix(n)
//   padding(ids)  padding(ids, pad)  lengths(3, 2)  documents(ids)        ids: [1,2,0] or [[1,2,0],[3,0,0]]
// Throws Error naming the column and what was expected there.
FOVEA_API Mask parse_mask(std::string_view expression);

}  // namespace fovea
