// Which heads look at the same things.
#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "fovea/api.h"
#include "fovea/matrix.h"
#include "fovea/run.h"
#include "fovea/tensor.h"

namespace fovea {

struct FOVEA_API HeadSimilarity {
  Matrix divergence;         // [heads, heads] Jensen–Shannon in nats, mean over the rows: 0 same .. ln 2
  Matrix layout;             // [heads, 2] a map: distances near √divergence (classical scaling)
  std::vector<Index> order;  // the heads, similar ones side by side (average linkage)
};

struct FOVEA_API HeadSimilarityOptions {
  Index rows = 0;  // compare so many rows, evenly spaced; 0: all. The cost is heads² · rows · M logarithms
  std::vector<HeadChoice> heads = {};         // of a run: these alone; none: all
  std::function<void(double)> progress = {};  // told the share that is done
  std::stop_token stop = {};                  // a request ends the work with Stopped
};

// All heads of a run of one kind and one sequence (Run::select), layer by layer, in order; in bands of
// rows. Rows are brought to a sum of 1; a row that only one of two heads sees counts as ln 2, one that
// neither sees does not count.
FOVEA_API HeadSimilarity head_similarity(const Run& run, const HeadSimilarityOptions& = {});
// weights [H, N, M], or more axes in front (layers): all of them count as heads.
FOVEA_API HeadSimilarity head_similarity(ConstView weights, const HeadSimilarityOptions& = {});

// Points in the plane whose distances come near √squared, a symmetric matrix of squared distances:
// classical multidimensional scaling, [n, 2]. The first axis is the longest; the largest coordinate of
// each axis is positive.
FOVEA_API Matrix classical_scaling(const Matrix& squared);

// The leaves of average linkage over a symmetric matrix of distances, turned so that neighbours are near.
FOVEA_API std::vector<Index> clustering_order(const Matrix& distances);

}  // namespace fovea
