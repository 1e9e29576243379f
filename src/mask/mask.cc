// What a mask says about itself, row by row from its visible keys; an N×M array only if that is the answer.
#include "fovea/mask.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/fail.h"
#include "core/parallel.h"
#include "mask/intervals.h"

namespace fovea {

void MaskNode::visible_bits(const Row& row, KeyBits& bits) const {
  ScratchIntervals visible;
  visible_keys(row, *visible);
  std::fill(bits.begin(), bits.end(), 0);
  for (const Interval& keys : *visible) set_bits(bits, keys.begin, keys.end);
}

void MaskNode::add_values(const Row&, Index, Index, float*) const {}

bool Mask::is_additive() const { return node_ != nullptr && node_->is_additive(); }
Index Mask::batch() const { return node_ == nullptr ? 0 : node_->batch(); }
Index Mask::heads() const { return node_ == nullptr ? 0 : node_->heads(); }

namespace {

// The mask over all entries and heads it knows, at N queries and M keys.
ScoreExtents checked_extents(const Mask& mask, Index n, Index m) {
  if (n < 0 || m < 0) fail("[mask] {} queries and {} keys, expected both ≥ 0", n, m);
  ScoreExtents extents;
  extents.batch = extents.inner_batch = std::max<Index>(mask.batch(), 1);
  extents.heads = std::max<Index>(mask.heads(), 1);
  extents.n = n;
  extents.m = m;
  if (!mask.is_none()) mask.node()->check(extents);
  return extents;
}

void visible_keys(const Mask& mask, const Row& row, Intervals& visible) {
  if (mask.is_none()) {
    visible.clear();
    append(visible, {0, row.m});
  } else {
    mask.node()->visible_keys(row, visible);
  }
}

// The smallest shape that broadcasts, and the rows in it.
struct Form {
  Shape shape;
  Index batch = 1, heads = 1, rows = 0;  // row-major [batch, heads, rows, M]
};

Form smallest_form(const Mask& mask, const ScoreExtents& e) {
  if (mask.heads() > 0) return {Shape{e.batch, e.heads, e.n, e.m}, e.batch, e.heads, e.n};
  if (mask.batch() == 0) return {Shape{e.n, e.m}, 1, 1, e.n};
  const Index rows = mask.node()->depends_on_query() ? e.n : 1;
  return {Shape{e.batch, rows, e.m}, e.batch, 1, rows};
}

// write(row, visible keys, offset of the row) for every row of the form.
template <typename Write>
void for_each_row(const Mask& mask, const Form& form, Index n, Index m, const Write& write) {
  Intervals visible;
  Index offset = 0;
  for (Index batch = 0; batch < form.batch; ++batch) {
    for (Index head = 0; head < form.heads; ++head) {
      for (Index query = 0; query < form.rows; ++query, offset += m) {
        const Row row{batch, head, query, n, m};
        visible_keys(mask, row, visible);
        write(row, visible, offset);
      }
    }
  }
}

void check_within(const char* what, Index begin, Index end, Index extent) {
  if (begin < 0 || end < begin || end > extent) {
    fail("[mask] the tile's {} {}..{} are outside 0..{}", what, begin, end, extent);
  }
}

// An extent of 0 or 1 fits every entry.
void check_entry(const char* what, Index entry, Index extent) {
  if (entry < 0 || (extent > 1 && entry >= extent)) {
    fail("[mask] the tile's {} {} is outside the mask's {}", what, entry, extent);
  }
}

}  // namespace

Flags Mask::to_bool(Index n, Index m) const {
  const Form form = smallest_form(*this, checked_extents(*this, n, m));
  Flags flags = Flags::filled(form.shape, 0);
  for_each_row(*this, form, n, m, [&](const Row&, const Intervals& visible, Index offset) {
    for (const Interval& keys : visible) {
      std::fill(flags.data() + offset + keys.begin, flags.data() + offset + keys.end, std::uint8_t{1});
    }
  });
  return flags;
}

Tensor Mask::to_additive(Index n, Index m) const {
  const Form form = smallest_form(*this, checked_extents(*this, n, m));
  Tensor values = Tensor::filled(form.shape, -std::numeric_limits<float>::infinity());
  for_each_row(*this, form, n, m, [&](const Row& row, const Intervals& visible, Index offset) {
    for (const Interval& keys : visible) {
      float* out = values.data() + offset;
      std::fill(out + keys.begin, out + keys.end, 0.0f);
      if (is_additive()) node_->add_values(row, keys.begin, keys.end, out + keys.begin);
    }
  });
  return values;
}

double Mask::density(Index n, Index m) const {
  const ScoreExtents extents = checked_extents(*this, n, m);
  if (is_none() || n == 0 || m == 0) return 1.0;
  // Rows of all batch entries and heads, counted through; a task is large enough to be worth a thread.
  const Index queries = node_->depends_on_query() ? n : 1;
  const Index rows = extents.batch * extents.heads * queries;
  constexpr Index kRowsPerTask = 256;
  std::vector<Index> visible_pairs(static_cast<std::size_t>((rows + kRowsPerTask - 1) / kRowsPerTask), 0);
  parallel_for(static_cast<Index>(visible_pairs.size()), [&](Index task) {
    ScratchIntervals visible;
    const Index end = std::min(rows, (task + 1) * kRowsPerTask);
    for (Index row = task * kRowsPerTask; row < end; ++row) {
      const Index head = row / queries;  // counted over the batch entries
      node_->visible_keys({head / extents.heads, head % extents.heads, row % queries, n, m}, *visible);
      visible_pairs[static_cast<std::size_t>(task)] += count_keys(*visible);
    }
  });
  const Index total = std::accumulate(visible_pairs.begin(), visible_pairs.end(), Index{0});
  return static_cast<double>(total) / (static_cast<double>(rows) * static_cast<double>(m));
}

std::string Mask::describe(Index n, Index m) const {
  constexpr std::size_t kLongest = 1000;  // for a person; expression() has it all
  std::string name = is_none() ? "none" : node_->name();
  if (name.size() > kLongest) name = name.substr(0, name.rfind(' ', kLongest)) + " …";
  return fmt::format("{}: {:.1f} % visible", name, 100.0 * density(n, m));
}

std::optional<std::string> Mask::expression() const {
  const std::string text = is_none() ? "none" : node_->expression();
  if (text.empty()) return std::nullopt;
  return text;
}

TileClass Mask::classify(const Tile& tile, Index n, Index m) const {
  const std::vector<TileClass> all = classify_band(tile, std::max<Index>(1, m), n, m);
  return all.empty() ? TileClass::hidden : all.front();
}

std::vector<TileClass> Mask::classify_band(const Tile& band, Index width, Index n, Index m) const {
  checked_extents(*this, n, m);
  check_entry("batch entry", band.batch, batch());
  check_entry("head", band.head, heads());
  check_within("rows", band.row_begin, band.row_end, n);
  check_within("keys", band.key_begin, band.key_end, m);
  if (width < 1) fail("[mask] tiles of {} keys, expected ≥ 1", width);

  struct Seen {
    Interval keys;
    bool some_visible = false, some_hidden = false;
  };
  std::vector<Seen> tiles;
  for (Index begin = band.key_begin; begin < band.key_end; begin += std::min(width, band.key_end - begin)) {
    tiles.push_back({{begin, begin + std::min(width, band.key_end - begin)}});
  }
  ScratchIntervals visible;
  for (Index query = band.row_begin; query < band.row_end; ++query) {
    visible_keys(*this, {band.batch, band.head, query, n, m}, *visible);
    std::size_t next = 0;  // the first interval that may reach into the tile
    for (Seen& tile : tiles) {
      Index seen = 0;
      while (next < (*visible).size() && (*visible)[next].end <= tile.keys.begin) ++next;
      for (std::size_t i = next; i < (*visible).size() && (*visible)[i].begin < tile.keys.end; ++i) {
        seen += std::min((*visible)[i].end, tile.keys.end) - std::max((*visible)[i].begin, tile.keys.begin);
      }
      tile.some_visible = tile.some_visible || seen > 0;
      tile.some_hidden = tile.some_hidden || seen < tile.keys.end - tile.keys.begin;
    }
  }
  std::vector<TileClass> classes;
  for (const Seen& tile : tiles) {
    classes.push_back(!tile.some_visible ? TileClass::hidden
                      : tile.some_hidden ? TileClass::partial
                                         : TileClass::full);
  }
  return classes;
}

}  // namespace fovea
