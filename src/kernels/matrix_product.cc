#include "kernels/matrix_product.h"

#include <algorithm>
#include <iterator>

#include "core/parallel.h"
#include "fovea/tensor.h"
#include "fovea/threads.h"
#include "kernels/few_rows.h"
#include "kernels/instruction_set.h"
#include "kernels/product_plan.h"
#include "kernels/tile_sizes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix_product.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

#include "kernels/few_rows-inl.h"
#include "kernels/product_piece-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

TileWidth ProductTile() { return {static_cast<Index>(hn::Lanes(Floats())), kMostVectors}; }

void RunPiece(const MatrixProduct& product, const ProductPlan& plan, Index number) {
  ProductPiece(product, plan, number).Run();
}

// Where C is one panel, nothing is packed and no sums are kept: of the 3 µs that 64 × 64 × 64 takes, plan
// and piece would be 1 %. False if that is not so.
bool RunOnePanel(const MatrixProduct& p) {
  const Index lanes = static_cast<Index>(hn::Lanes(Floats())), vectors = p.columns / lanes;
  const bool plain = p.alpha == 1 && p.beta == 0 && p.bias == nullptr;
  if (!plain || p.depth > kDepthBlock || vectors * lanes != p.columns || vectors > kMostVectors)
    return false;
  if (p.a.column_stride != 1 || p.b.column_stride != 1) return false;
  KernelFor<TileWalk::along>(vectors)({p.a.data, p.a.row_stride, 1}, p.rows, p.b.data, p.b.row_stride,
                                      p.depth, nullptr, p.c, p.c_stride, nullptr);
  return true;
}

// Columns [column, column + columns) of the result.
void RunFewRows(const FewRows& f, Index column, Index columns) {
  HWY_ALIGN float sums[kFewRowsSums];
  if (f.transposed) {
    DotRows(f, column, columns, sums);
  } else {
    HWY_ALIGN float block[kFewRowsSums];
    SweepRows(f, column, columns, sums, block);
  }
  for (Index r = 0; r < f.rows; ++r) {
    for (Index j = 0; j < columns; ++j) {
      float* c = f.c + r * f.c_row_stride + (column + j) * f.c_column_stride;
      float y = f.alpha * sums[r * columns + j];
      if (f.beta != 0) y += f.beta * *c;
      if (f.bias != nullptr) y += f.bias[r * f.bias_row_stride + (column + j) * f.bias_column_stride];
      *c = y;
    }
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(ProductTile);
HWY_EXPORT(RunPiece);
HWY_EXPORT(RunOnePanel);
HWY_EXPORT(RunFewRows);

namespace {

// Waking a thread takes longer than this takes one.
constexpr double kFlopsOfOneTask = 2e6;
constexpr Index kDepthPart = 6 * kDepthBlock;
constexpr Index kRowsPerPiece = 1024;  // share a panel that was packed once
constexpr Index kPanelsPerPiece = 4;   // share rows of A that were read once
constexpr Index kRowsInPlace = 256;    // at most these read B where it is,
constexpr Index kFewInPlace = 32;      // these also if B is farther away, or its rows cross cache lines
constexpr Index kFewColumns = 4;       // fewer than a vector holds

bool is_small(Index rows, Index columns, Index depth) {
  return 2.0 * static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(depth) <
         kFlopsOfOneTask;
}

Index bytes_of(const MatrixFactor& x, Index rows, Index columns) {
  return 4 * (x.column_stride == 1 ? rows * x.row_stride : columns * x.column_stride);
}

// What only few rows use is not worth packing, as long as it is in L2: farther away the tile would read it
// in too small pieces. Many rows gain by a packed panel, which stays in L1 whatever the stride of B is:
// with 4096 × 256 × 256 (Zen 3, one thread) 83 % of peak instead of 71. Rows that do not begin with a cache
// line touch more lines than they fill, and a block of a panel no longer fits L1: packing 64 × 257 × 65
// gains 8 % there. Not with AVX-512, whose tiles leave half of the loads free: it loses 9 % (Zen 5), and
// 16 % of 33 × 257 × 65.
bool reads_b_in_place(const MatrixProduct& p) {
  if (p.b.column_stride != 1) return false;
  const Index bytes = bytes_of(p.b, p.depth, p.columns), l2 = cache_sizes().l2;
  const bool loads_are_free =
      p.b.row_stride % 16 == 0 || HWY_DYNAMIC_DISPATCH(ProductTile)().most_vectors > 3;
  const Index most_rows = loads_are_free ? kRowsInPlace : kFewInPlace;
  return (p.rows <= most_rows && bytes <= l2 / 2) || (p.rows <= kFewInPlace && bytes <= 2 * l2);
}

// The rows of a transposed A lie side by side, and a tile uses half a cache line at a time.
bool reads_a_in_place(const MatrixProduct& p) {
  return p.a.column_stride == 1 || bytes_of(p.a, p.rows, p.depth) <= cache_sizes().l2 / 8;
}

// Several pieces for each thread; few rows only where panels alone are not enough.
void cut_for_panels(const MatrixProduct& p, Index threads, Index& row_pieces, ProductPlan& plan) {
  const Index panels = plan.layout.panels();
  row_pieces = (p.rows + kRowsPerPiece - 1) / kRowsPerPiece;
  if (threads > 1) row_pieces = std::max(row_pieces, std::min(4 * threads / panels, p.rows / 64));
  plan.panels_per_piece = std::clamp<Index>(row_pieces * panels / (8 * threads), 1, kPanelsPerPiece);
}

// Where A is packed as well, pieces are few and large: each packs its rows of A and its panels of B once,
// one block of the depth at a time.
void cut_for_both(const MatrixProduct& p, Index threads, Index& row_pieces, ProductPlan& plan) {
  Index panel_pieces = 1;
  while (threads > 1 && row_pieces * panel_pieces < 2 * threads) {
    (p.rows / row_pieces >= p.columns / panel_pieces ? row_pieces : panel_pieces) *= 2;
  }
  plan.panels_per_piece = (plan.layout.panels() + panel_pieces - 1) / panel_pieces;
  plan.depth_part = kDepthBlock;
}

ProductPlan plan_of(const MatrixProduct& p, const PanelLayout& layout) {
  ProductPlan plan = {.layout = layout,
                      .rows_per_piece = p.rows,
                      .panels_per_piece = layout.panels(),
                      .depth_part = kDepthPart,
                      .a_in_place = reads_a_in_place(p),
                      .b_in_place = reads_b_in_place(p)};
  if (is_small(p.rows, p.columns, p.depth)) return plan;
  Index row_pieces = 1;
  const auto cut = plan.a_in_place ? cut_for_panels : cut_for_both;
  cut(p, thread_count(), row_pieces, plan);
  plan.rows_per_piece = ((p.rows + row_pieces - 1) / row_pieces + 7) / 8 * 8;  // whole tiles
  row_pieces = (p.rows + plan.rows_per_piece - 1) / plan.rows_per_piece;
  plan.panel_pieces = (layout.panels() + plan.panels_per_piece - 1) / plan.panels_per_piece;
  plan.pieces = row_pieces * plan.panel_pieces;
  return plan;
}

void multiply_tiles(const MatrixProduct& p, const PanelLayout& layout) {
  const ProductPlan plan = plan_of(p, layout);
  if (plan.pieces == 1) return HWY_DYNAMIC_DISPATCH(RunPiece)(p, plan, 0);
  parallel_for(plan.pieces, [&](Index piece) { HWY_DYNAMIC_DISPATCH(RunPiece)(p, plan, piece); });
}

// `f` without x, which is copied if the elements of its rows do not stand side by side.
void multiply_few(FewRows f, const MatrixFactor& x) {
  f.x = x.data;
  f.x_stride = x.row_stride;
  Tensor copy;
  float small_copy[512];  // memory from the heap is 3 % of 33 × 257 × 65
  if (x.column_stride != 1) {
    float* to = small_copy;
    if (f.rows * f.depth > std::ssize(small_copy)) {
      copy = Tensor::uninitialized({f.rows, f.depth});
      to = copy.data();
    }
    for (Index r = 0; r < f.rows; ++r) {
      for (Index t = 0; t < f.depth; ++t) {
        to[r * f.depth + t] = x.data[r * x.row_stride + t * x.column_stride];
      }
    }
    f.x = to;
    f.x_stride = f.depth;
  }
  Index width = kFewRowsSums / f.rows;
  if (!is_small(f.rows, f.columns, f.depth)) {
    width = std::clamp<Index>(f.columns / (2 * thread_count()) / 64 * 64, 64, width);
  }
  const Index pieces = (f.columns + width - 1) / width;
  const auto run = [&](Index piece) {
    const Index column = piece * width;
    HWY_DYNAMIC_DISPATCH(RunFewRows)(f, column, std::min(width, f.columns - column));
  };
  if (is_small(f.rows, f.columns, f.depth)) {
    for (Index piece = 0; piece < pieces; ++piece) run(piece);
  } else {
    parallel_for(pieces, run);
  }
}

// The rows of A are the few.
void multiply_few_rows(const MatrixProduct& p) {
  const bool transposed = p.b.column_stride != 1;
  multiply_few({.rows = p.rows,
                .y = p.b.data,
                .y_stride = transposed ? p.b.column_stride : p.b.row_stride,
                .columns = p.columns,
                .transposed = transposed,
                .depth = p.depth,
                .c = p.c,
                .c_row_stride = p.c_stride,
                .c_column_stride = 1,
                .bias = p.bias,
                .bias_row_stride = 0,
                .bias_column_stride = 1,
                .alpha = p.alpha,
                .beta = p.beta},
               p.a);
}

// The columns of B are the few: Cᵀ = Bᵀ · Aᵀ.
void multiply_few_columns(const MatrixProduct& p) {
  const bool transposed = p.a.column_stride == 1;
  multiply_few({.rows = p.columns,
                .y = p.a.data,
                .y_stride = transposed ? p.a.row_stride : p.a.column_stride,
                .columns = p.rows,
                .transposed = transposed,
                .depth = p.depth,
                .c = p.c,
                .c_row_stride = 1,
                .c_column_stride = p.c_stride,
                .bias = p.bias,
                .bias_row_stride = 1,
                .bias_column_stride = 0,
                .alpha = p.alpha,
                .beta = p.beta},
               {p.b.data, p.b.column_stride, p.b.row_stride});
}

// Columns [begin, end).
MatrixProduct columns_of(const MatrixProduct& p, Index begin, Index end) {
  MatrixProduct part = p;
  part.columns = end - begin;
  part.b.data += begin * p.b.column_stride;
  part.c += begin;
  if (p.bias != nullptr) part.bias += begin;
  return part;
}

void multiply_nothing(const MatrixProduct& p) {
  for (Index r = 0; r < p.rows; ++r) {
    float* c = p.c + r * p.c_stride;
    for (Index j = 0; j < p.columns; ++j) {
      c[j] = (p.beta == 0 ? 0 : p.beta * c[j]) + (p.bias == nullptr ? 0 : p.bias[j]);
    }
  }
}

}  // namespace

void matrix_product(const MatrixProduct& p) {
  if (p.rows == 0 || p.columns == 0) return;
  if (p.depth == 0) return multiply_nothing(p);
  apply_forced_instruction_set();
  if (p.rows == 1 || (p.rows <= kFewRows && !reads_b_in_place(p))) return multiply_few_rows(p);
  if (p.columns <= kFewColumns) return multiply_few_columns(p);
  if (is_small(p.rows, p.columns, p.depth) && HWY_DYNAMIC_DISPATCH(RunOnePanel)(p)) return;
  const TileWidth tile = HWY_DYNAMIC_DISPATCH(ProductTile)();
  const PanelLayout layout(p.columns, tile);
  // One or two columns beyond the last whole vector are not worth a vector.
  const Index beyond = layout.beyond(), whole = p.columns - beyond;
  if (beyond > 0 && beyond <= tile.lanes / 8 && whole > 0) {
    multiply_tiles(columns_of(p, 0, whole), PanelLayout(whole, tile));
    return multiply_few_columns(columns_of(p, whole, p.columns));
  }
  multiply_tiles(p, layout);
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
