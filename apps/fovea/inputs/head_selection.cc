#include "inputs/head_selection.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "output/output.h"
#include "words.h"

namespace fovea::command {
namespace {

// Reads "L5H0", "0-3", "H7" from the front.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool accept(char letter) {  // in either case
    if (text_.empty() || (text_.front() | 0x20) != (letter | 0x20)) return false;
    text_.remove_prefix(1);
    return true;
  }
  std::optional<Index> number() {
    Index value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc{} || value < 0) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }
  bool done() const { return text_.empty(); }

 private:
  std::string_view text_;
};

[[noreturn]] void not_understood(const char* option, const std::string& got, const char* expected) {
  throw UsageError(fmt::format("{}: got \"{}\", expected {}", option, one_line(got), expected));
}

void check_range(const char* option, const char* what, Index got, Index count) {
  if (got < count) return;
  throw UsageError(fmt::format("{}: got {} {}, there {} {}: {}", option, what, got,
                               count == 1 ? "is" : "are", count,
                               count == 1 ? "only 0" : fmt::format("0 to {}", count - 1)));
}

// "0-3,7", "L5" for letter L, "all".
std::vector<Index> parse_indices(const char* option, const char* what, const std::string& list, char letter,
                                 Index count) {
  std::vector<Index> indices;
  for (const std::string& item : split_list(list)) {
    Reader reader(item);
    reader.accept(letter);
    std::optional<Index> first = reader.number(), last = first;
    if (first && reader.accept('-')) {
      reader.accept(letter);
      last = reader.number();
    }
    if (item == "all") first = 0, last = count - 1;
    if (!first || !last || *last < *first || (!reader.done() && item != "all")) {
      not_understood(option, list,
                     letter == 'H' ? "mean, max, all, a number from 0, 0-3,7 or L5H0"
                                   : "all, a number from 0, or 0-3,7");
    }
    check_range(option, what, *last, count);
    for (Index i = *first; i <= *last; ++i) {
      if (std::find(indices.begin(), indices.end(), i) == indices.end()) indices.push_back(i);
    }
  }
  return indices;
}

// "L5H0,L3H7"; nothing if the list is not of that form.
std::optional<std::vector<HeadPlace>> parse_places(const std::string& list) {
  std::vector<HeadPlace> places;
  for (const std::string& item : split_list(list)) {
    Reader reader(item);
    if (!reader.accept('L')) return std::nullopt;
    const std::optional<Index> layer = reader.number();
    if (!layer || !reader.accept('H')) return std::nullopt;
    const std::optional<Index> head = reader.number();
    if (!head || !reader.done()) return std::nullopt;
    places.push_back({*layer, *head});
  }
  return places;
}

// The heads [H, N, M] of one layer, as one matrix written to out [N, M].
void combine_heads(ConstView heads, CombineHeads how, float* out) {
  const Index count = heads.shape()[0], rows = heads.shape()[1], keys = heads.shape()[2];
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < keys; ++j) {
      double sum = 0;
      float largest = 0;
      for (Index h = 0; h < count; ++h) {
        sum += static_cast<double>(heads(h, i, j));
        largest = std::max(largest, heads(h, i, j));
      }
      *out++ = how == CombineHeads::max ? largest : static_cast<float>(sum / static_cast<double>(count));
    }
  }
}

}  // namespace

std::string ChosenHeads::name(std::size_t i) const {
  const HeadPlace& place = places[i];
  if (place.head >= 0) return fmt::format("L{}H{}", place.layer, place.head);
  return fmt::format("L{} {}", place.layer, combine == CombineHeads::max ? "max" : "mean");
}

void HeadSelection::declare(OptionList& options) {
  options.text("--layer,--layers", "LIST", layers_, tr("layers, counted from 0: 5, 0-3,7 or all"));
  options.text(
      "--head,--heads", "LIST", heads_,
      tr("heads, counted from 0: 0, 0-3,7, all, L5H0 (with its layer), or mean or max over the heads"));
  options.integer("--batch", "I", batch_, 0, 1 << 30, tr("the entry of a batch, from 0; default: 0"));
}

ChosenHeads HeadSelection::choose(Index layers, Index heads, DefaultHeads otherwise) const {
  ChosenHeads chosen;
  const auto single = [&](const std::optional<std::string>& option) {
    return option ? parse_places(*option) : std::nullopt;
  };
  for (const auto& [option, list] : {std::pair("--heads", &heads_), std::pair("--layer", &layers_)}) {
    const auto places = single(*list);
    if (!places) continue;
    if (layers_ && heads_) {
      throw UsageError(fmt::format("{}: {} names layers and heads; leave the other option out", option,
                                   one_line(**list)));
    }
    for (const HeadPlace& place : *places) {
      check_range(option, "layer", place.layer, layers);
      check_range(option, "head", place.head, heads);
    }
    chosen.places = *places;
    return chosen;
  }
  const bool all = otherwise == DefaultHeads::all;
  const std::string head_list = heads_.value_or(all ? "all" : heads == 1 ? "0" : "mean");
  if (head_list == "mean") chosen.combine = CombineHeads::mean;
  if (head_list == "max") chosen.combine = CombineHeads::max;
  const std::vector<Index> head_indices = chosen.combine == CombineHeads::no
                                              ? parse_indices("--heads", "head", head_list, 'H', heads)
                                              : std::vector<Index>{-1};
  for (const Index layer :
       parse_indices("--layer", "layer", layers_.value_or(all ? "all" : "0"), 'L', layers)) {
    for (const Index head : head_indices) chosen.places.push_back({layer, head});
  }
  return chosen;
}

Index HeadSelection::batch_entry(Index batch) const {
  check_range("--batch", "entry", batch_.value_or(0), batch);
  return batch_.value_or(0);
}

SelectedWeights HeadSelection::select(const AttentionWeights& weights, DefaultHeads otherwise) const {
  SelectedWeights selected{choose(weights.layers(), weights.heads(), otherwise), {}};
  const Index entry = batch_entry(weights.batch()), rows = weights.queries(), keys = weights.keys();
  const auto count = static_cast<Index>(selected.heads.places.size());
  selected.values = Tensor::uninitialized({count, rows, keys});
  float* out = selected.values.data();
  for (const HeadPlace& place : selected.heads.places) {
    const ConstView heads = weights.values.view().select(0, place.layer).select(0, entry);
    if (place.head < 0) {
      combine_heads(heads, selected.heads.combine, out);
    } else {
      std::copy_n(heads.select(0, place.head).data(), rows * keys, out);
    }
    out += rows * keys;
  }
  return selected;
}

}  // namespace fovea::command
