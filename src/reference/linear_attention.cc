#include "reference/linear_attention.h"

#include <cmath>

#include "reference/extents.h"

namespace fovea::reference {
namespace {

double feature(const FeatureMap& map, double x) {
  switch (map.kind()) {
    case FeatureMap::Kind::elu_plus_one:
      return x < 0 ? std::exp(x) : x + 1;
    case FeatureMap::Kind::relu:
      return x < 0 ? 0 : x;
    case FeatureMap::Kind::exp:
      return std::exp(x);
    case FeatureMap::Kind::identity:
      return x;
    case FeatureMap::Kind::custom:
      break;
  }
  return static_cast<double>(map(static_cast<float>(x)));
}

double derivative(const FeatureMap& map, double x) {
  switch (map.kind()) {
    case FeatureMap::Kind::elu_plus_one:
      return x < 0 ? std::exp(x) : 1;
    case FeatureMap::Kind::relu:
      return x <= 0 ? 0 : 1;
    case FeatureMap::Kind::exp:
      return std::exp(x);
    case FeatureMap::Kind::identity:
      return 1;
    case FeatureMap::Kind::custom:
      break;
  }
  return static_cast<double>(map.derivative(static_cast<float>(x)));
}

DoubleArray features(const FeatureMap& map, DoubleArray x) {
  for (double& value : x.values) value = feature(map, value);
  return x;
}

// φ(q_i) · φ(k_j)
double dot(const double* a, const double* b, Index length) {
  double sum = 0;
  for (Index c = 0; c < length; ++c) sum += a[c] * b[c];
  return sum;
}

}  // namespace

DoubleArray linear_attention(const DoubleArray& q, const DoubleArray& k, const DoubleArray& v,
                             const LinearAttentionOptions& options) {
  const CallExtents e(q, k, v);
  const DoubleArray features_q = features(options.feature_map, q),
                    features_k = features(options.feature_map, k);
  DoubleArray output(shape_with_last(q.shape, e.dv));
  for (Index h = 0; h < e.heads_total; ++h) {
    for (Index i = 0; i < e.n; ++i) {
      // Weight by weight, as the kernel must not do it: φ(q_i) · φ(k_j).
      double norm = 0;
      double* out = output.row(h * e.n + i);
      const Index last = options.causal ? i + e.m - e.n : e.m - 1;
      if (last < 0) continue;  // sees nothing
      for (Index j = 0; j <= last; ++j) {
        const Index key = e.key_head(h) * e.m + j;
        const double weight = dot(features_q.row(h * e.n + i), features_k.row(key), e.d);
        norm += weight;
        for (Index c = 0; c < e.dv; ++c) out[c] += weight * v.row(key)[c];
      }
      for (Index c = 0; c < e.dv; ++c) out[c] /= norm + static_cast<double>(options.epsilon);
    }
  }
  return output;
}

LinearAttentionGradients linear_attention_backward(const DoubleArray& q, const DoubleArray& k,
                                                   const DoubleArray& v, const DoubleArray& doutput,
                                                   const LinearAttentionOptions& options) {
  const CallExtents e(q, k, v);
  const DoubleArray features_q = features(options.feature_map, q),
                    features_k = features(options.feature_map, k);
  const DoubleArray output = linear_attention(q, k, v, options);
  LinearAttentionGradients result{DoubleArray(q.shape), DoubleArray(k.shape), DoubleArray(v.shape)};
  for (Index h = 0; h < e.heads_total; ++h) {
    for (Index i = 0; i < e.n; ++i) {
      const Index query = h * e.n + i, first_key = e.key_head(h) * e.m;
      const Index last = options.causal ? i + e.m - e.n : e.m - 1;
      // Pass 1: the denominator again.
      double denominator = static_cast<double>(options.epsilon);
      for (Index j = 0; j <= last; ++j) {
        denominator += dot(features_q.row(query), features_k.row(first_key + j), e.d);
      }
      // Pass 2: output = Σ weight_j · v_j / denominator, so d output / d weight_j = (v_j − output) /
      // denominator.
      for (Index j = 0; j <= last; ++j) {
        const double* value = v.row(first_key + j);
        const double weight = dot(features_q.row(query), features_k.row(first_key + j), e.d);
        double dweight = 0;
        for (Index c = 0; c < e.dv; ++c) {
          const double upstream = doutput.row(query)[c] / denominator;
          result.dv.row(first_key + j)[c] += weight * upstream;
          dweight += upstream * (value[c] - output.row(query)[c]);
        }
        for (Index c = 0; c < e.d; ++c) {
          result.dq.row(query)[c] += dweight * features_k.row(first_key + j)[c];
          result.dk.row(first_key + j)[c] += dweight * features_q.row(query)[c];
        }
      }
    }
  }
  // Pass 3: through the feature map.
  const auto through_map = [&](const DoubleArray& x, DoubleArray& dx) {
    for (std::size_t at = 0; at < x.values.size(); ++at) {
      dx.values[at] *= derivative(options.feature_map, x.values[at]);
    }
  };
  through_map(q, result.dq);
  through_map(k, result.dk);
  return result;
}

}  // namespace fovea::reference
