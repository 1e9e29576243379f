#include "run/film_checks.h"

#include <cmath>

#include "core/fail.h"

namespace fovea {
namespace {

// Products of two such numbers, times such a scale, summed over a head, stay far from the end of float32.
constexpr float kLargestNumber = 1e12f, kLargestScale = 1e6f;

void check_numbers(const char* what, ConstView view, const std::string& where) {
  const Tensor numbers = Tensor::copy_of(view);  // contiguous, whatever the strides
  for (Index i = 0; i < numbers.shape().elements(); ++i) {
    if (std::fabs(numbers.data()[i]) <= kLargestNumber) continue;
    fail("{}: {} has {}, expected numbers up to {}", where, what, numbers.data()[i], kLargestNumber);
  }
}

void check_film_layer(const LayerView& layer, const std::string& where) {
  if (layer.stored() || layer.q.data() == nullptr || layer.k.data() == nullptr) {
    fail("{}: weights without queries and keys: a film keeps queries and keys", where);
  }
  if (layer.batch() != 1) fail("{}: {} sequences, expected one", where, layer.batch());
  if (!layer.options.bias.is_none()) fail("{}: a film keeps no biases", where);
  const float scale = layer.options.scale.value_or(1), softcap = layer.options.softcap;
  if (!(std::fabs(scale) <= kLargestScale)) {
    fail("{}: a scale of {}, expected at most {}", where, scale, kLargestScale);
  }
  if (!(softcap >= 0 && softcap <= kLargestNumber)) fail("{}: a softcap of {}", where, softcap);
  check_numbers("q", layer.q, where);
  check_numbers("k", layer.k, where);
}

void check_sequence(const std::vector<TokenSequence>& sequences, Index count, std::size_t text_bytes,
                    const std::string& where) {
  if (sequences.size() != 1 || static_cast<Index>(sequences[0].tokens.size()) != count) {
    fail("{}: names of {} tokens expected, got {}", where, count,
         sequences.empty() ? 0 : sequences[0].tokens.size());
  }
  const TokenSequence& one = sequences[0];
  const auto fits = [&](const char* what, const std::vector<Index>& list, Index most) {
    if (!list.empty() && static_cast<Index>(list.size()) != count) {
      fail("{}: {} {} for {} tokens", where, list.size(), what, count);
    }
    for (const Index value : list) {
      if (value < 0 || value > most) fail("{}: {} of a token are {}", where, what, value);
    }
  };
  constexpr Index kLargestId = Index{1} << 31;
  const auto bytes = static_cast<Index>(text_bytes);
  fits("ids", one.ids, kLargestId);
  fits("begins", one.begins, bytes);
  fits("ends", one.ends, bytes);
  fits("segments", one.segments, 1);
}

}  // namespace

void check_film_run(const Run& run, const std::string& text, const std::string& where) {
  if (run.layers().empty()) fail("{}: no layers", where);
  for (const AttentionKind kind : run.kinds()) {
    const LayerView& first = run.layer(kind, 0);
    for (Index l = 0; l < run.layers(kind); ++l) {
      const LayerView& layer = run.layer(kind, l);
      check_film_layer(layer, fmt::format("{}: {} layer {}", where, to_string(kind), l));
      const Shape &q = layer.q.shape(), &k = layer.k.shape();
      const bool same =
          q[1] == first.q.shape()[1] && q[2] == first.q.shape()[2] && k[2] == first.k.shape()[2];
      if (!same || q.elements() == 0 || k.elements() == 0) {
        fail("{}: {} layer {} has q {} and k {}, layer 0 {} and {}: heads and tokens should be as many",
             where, to_string(kind), l, q.to_string(), k.to_string(), first.q.shape().to_string(),
             first.k.shape().to_string());
      }
    }
    const std::string side = fmt::format("{}: {}", where, to_string(kind));
    check_sequence(run.tokens(kind).queries, first.queries(), text.size(), side + " queries");
    check_sequence(run.tokens(kind).keys, first.keys(), text.size(), side + " keys");
  }
}

void check_same_form(const Run& run, const Run& first, const std::string& where) {
  if (run.layers().size() != first.layers().size()) {
    fail("{}: {} layers, the first frame has {}", where, run.layers().size(), first.layers().size());
  }
  for (const LayerView& was : first.layers()) {
    const LayerView& is = run.layer(was.kind, was.layer);
    if (!(is.q.shape() == was.q.shape()) || !(is.k.shape() == was.k.shape())) {
      fail("{}: {} layer {} has q {} and k {}, in the first frame {} and {}", where, to_string(was.kind),
           was.layer, is.q.shape().to_string(), is.k.shape().to_string(), was.q.shape().to_string(),
           was.k.shape().to_string());
    }
    if (is.options.scale != was.options.scale || is.options.softcap != was.options.softcap ||
        is.options.mask.expression() != was.options.mask.expression()) {
      fail("{}: {} layer {} has another mask, scale or softcap than in the first frame", where,
           to_string(was.kind), was.layer);
    }
  }
  for (const AttentionKind kind : first.kinds()) {
    if (run.tokens(kind).queries != first.tokens(kind).queries ||
        run.tokens(kind).keys != first.tokens(kind).keys) {
      fail("{}: other tokens than in the first frame", where);
    }
  }
}

}  // namespace fovea
