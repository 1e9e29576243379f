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
std::optional<std::vector<HeadChoice>> parse_places(const std::string& list) {
  std::vector<HeadChoice> places;
  for (const std::string& item : split_list(list)) {
    Reader reader(item);
    if (!reader.accept('L')) return std::nullopt;
    const std::optional<Index> layer = reader.number();
    if (!layer || !reader.accept('H')) return std::nullopt;
    const std::optional<Index> head = reader.number();
    if (!head || !reader.done()) return std::nullopt;
    places.push_back({.layer = *layer, .head = *head});
  }
  return places;
}

}  // namespace

void HeadSelection::declare(OptionList& options) {
  options.text("--layer,--layers", "LIST", layers_, tr("layers, counted from 0: 5, 0-3,7 or all"));
  options.text(
      "--head,--heads", "LIST", heads_,
      tr("heads, counted from 0: 0, 0-3,7, all, L5H0 (layer and head), or mean or max over the heads"));
  options.integer("--batch", "I", batch_, 0, 1 << 30, tr("batch entry, counted from 0; default: 0"));
}

std::vector<HeadChoice> HeadSelection::places(Index layers, Index heads, DefaultHeads otherwise) const {
  for (const auto& [option, list] : {std::pair("--heads", &heads_), std::pair("--layer", &layers_)}) {
    const auto named = *list ? parse_places(**list) : std::nullopt;
    if (!named) continue;
    if (layers_ && heads_) {
      throw UsageError(fmt::format("{}: {} already names layers and heads; drop the other option", option,
                                   one_line(**list)));
    }
    for (const HeadChoice& place : *named) {
      check_range(option, "layer", place.layer, layers);
      check_range(option, "head", place.head, heads);
    }
    return *named;
  }
  const bool all = otherwise == DefaultHeads::all;
  const std::string head_list = heads_.value_or(all ? "all" : heads == 1 ? "0" : "mean");
  const HeadMerge merge = head_list == "mean"  ? HeadMerge::mean
                          : head_list == "max" ? HeadMerge::max
                                               : HeadMerge::none;
  const std::vector<Index> head_indices = merge == HeadMerge::none
                                              ? parse_indices("--heads", "head", head_list, 'H', heads)
                                              : std::vector<Index>{0};
  std::vector<HeadChoice> chosen;
  for (const Index layer :
       parse_indices("--layer", "layer", layers_.value_or(all ? "all" : "0"), 'L', layers)) {
    for (const Index head : head_indices) chosen.push_back({.layer = layer, .head = head, .merge = merge});
  }
  return chosen;
}

std::vector<HeadChoice> HeadSelection::choose(const OpenRun& open, DefaultHeads otherwise) const {
  std::vector<HeadChoice> chosen = places(open.layers(), open.layer().heads(), otherwise);
  for (HeadChoice& choice : chosen) {
    choice.kind = open.kind;
    choice.batch = batch_entry(open);
  }
  return chosen;
}

Index HeadSelection::batch_entry(const OpenRun& open) const {
  check_range("--batch", "entry", batch_.value_or(0), open.layer().batch());
  return batch_.value_or(0);
}

}  // namespace fovea::command
