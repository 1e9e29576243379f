#include "fovea/attention_weights.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "core/fail.h"
#include "fovea/array_file.h"
#include "fovea/render.h"
#include "io/messages.h"
#include "io/weights_tokens.h"

namespace fovea {
namespace {

using Entry = ArrayFile::Entry;

// Where arrays come from: a file, of which only some are read, or memory.
struct Arrays {
  const std::string& source;
  const std::vector<Entry>& entries;
  std::function<Tensor(const std::string& name)> tensor;
  MetadataText text;
};

// Arrays whose names differ in one number, in the order of that number: "attentions.#" with 0, 1, ..
struct Series {
  std::map<Index, const Entry*> layers;
};

// "attentions.12" → "attentions.#" and 12: the last number of the name. Nothing if it has none.
std::optional<std::pair<std::string, Index>> series_name(const std::string& name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto last = std::find_if(name.rbegin(), name.rend(), is_digit);
  if (last == name.rend()) return std::nullopt;
  const auto first = std::find_if_not(last, name.rend(), is_digit);
  const std::string digits(first.base(), last.base());
  if (digits.size() > 6) return std::nullopt;  // no layer
  return std::pair(std::string(name.begin(), first.base()) + "#" + std::string(last.base(), name.end()),
                   static_cast<Index>(std::stoll(digits)));
}

std::map<std::string, Series> series_of(const Arrays& arrays) {
  std::map<std::string, Series> all;
  for (const Entry& entry : arrays.entries) {
    const int rank = entry.shape.rank();
    const auto named = series_name(entry.name);
    if (named && rank >= 2 && rank <= 4) all[named->first].layers.emplace(named->second, &entry);
  }
  return all;
}

// Series whose name begins with `key`; "attentions" finds attentions.# and attentions_#.
std::vector<std::string> series_with(const std::map<std::string, Series>& all, const std::string& key) {
  std::vector<std::string> names;
  for (const auto& [name, series] : all) {
    const std::string prefix = name.substr(0, name.find('#'));
    const std::size_t letters = prefix.find_last_not_of("._-") + 1;  // npos + 1 = 0: "#" alone
    if (key.empty() || key == name || key == prefix || key == prefix.substr(0, letters)) {
      names.push_back(name);
    }
  }
  return names;
}

std::string known_names(const Arrays& arrays) {
  std::vector<std::string> known;
  for (const Entry& entry : arrays.entries) {
    known.push_back(fmt::format("{} {}", in_quotes(entry.name), entry.shape.to_string()));
  }
  return known.empty() ? "none" : listed(known);
}

// What was chosen: one array, or one per layer.
struct Choice {
  const Entry* array = nullptr;
  const Series* series = nullptr;
  std::string name;
};

Choice choose(const Arrays& arrays, const std::map<std::string, Series>& all, const std::string& key) {
  const std::vector<std::string> usual = {"weights", "attention", "attentions", "attention_weights"};
  for (const std::string& name : key.empty() ? usual : std::vector<std::string>{key}) {
    for (const Entry& entry : arrays.entries) {
      if (entry.name == name) return {&entry, nullptr, name};
    }
  }
  if (key.empty() && arrays.entries.size() == 1) {
    return {&arrays.entries.front(), nullptr, arrays.entries.front().name};
  }
  const std::vector<std::string> found = series_with(all, key);
  if (found.size() == 1) return {nullptr, &all.at(found.front()), found.front()};
  if (key.empty()) {
    fail(
        "{}: which array holds the weights? There is no \"weights\"; there are {}; name one, or the "
        "common prefix of one array per layer",
        arrays.source, known_names(arrays));
  }
  fail("{}: there is no array {}, nor arrays of that name with a number; there are {}", arrays.source,
       in_quotes(key), known_names(arrays));
}

// The axes of an array of this rank; throws for letters that make no sense.
std::string axes_of(int rank, bool per_layer, const std::string& given, const std::string& where) {
  const int largest = per_layer ? 4 : 5;
  if (rank < 2 || rank > largest) {
    fail("{}: weights have rank 2 to {} ([N, M] to [{}H, N, M]), got rank {}", where, largest,
         per_layer ? "B, " : "L, B, ", rank);
  }
  if (given.empty()) {
    constexpr const char* kWhole[] = {"NM", "HNM", "LHNM", "LBHNM"};
    constexpr const char* kLayer[] = {"NM", "HNM", "BHNM"};
    return per_layer ? kLayer[rank - 2] : kWhole[rank - 2];
  }
  std::string sorted = given;
  std::sort(sorted.begin(), sorted.end());
  const bool once = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  const bool known = given.find_first_not_of(per_layer ? "BHNM" : "LBHNM") == std::string::npos;
  if (!once || !known || !given.ends_with("NM") || static_cast<int>(given.size()) != rank) {
    fail("{}: axes {}, expected {} letters: {} in the file's order, each at most once, then NM", where,
         in_quotes(given), rank, per_layer ? "B, H (the layers are arrays of their own)" : "L, B, H");
  }
  return given;
}

// The view with its axes as [L, B, H, N, M]; those the file does not have get extent 1.
ConstView five_axes(ConstView view, std::string axes) {
  const std::string wanted = "LBHNM";
  for (std::size_t axis = 0; axis < wanted.size(); ++axis) {
    const std::size_t at = axes.find(wanted[axis]);
    if (at == std::string::npos) {
      view = view.insert_axis(static_cast<int>(axis));
      axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(axis), wanted[axis]);
    } else if (at != axis) {
      view = view.transpose(static_cast<int>(axis), static_cast<int>(at));
      std::swap(axes[axis], axes[at]);
    }
  }
  return view;
}

void read_array(AttentionWeights& result, const Arrays& arrays, const Entry& entry,
                const WeightsFileOptions& options, const std::string& where) {
  result.axes = axes_of(entry.shape.rank(), false, options.axes, where);
  result.axes_assumed = options.axes.empty() && entry.shape.rank() == 4;
  Tensor tensor = arrays.tensor(entry.name);
  const ConstView view = five_axes(tensor, result.axes);
  result.values = view.is_contiguous() ? std::move(tensor).reshaped(view.shape()) : Tensor::copy_of(view);
}

void read_series(AttentionWeights& result, const Arrays& arrays, const Series& series,
                 const WeightsFileOptions& options, const std::string& where) {
  Index expected = 0;
  const Entry& first = *series.layers.begin()->second;
  for (const auto& [layer, entry] : series.layers) {
    if (layer != expected) fail("{}: layer {} is missing; the next is {}", where, expected, layer);
    if (!(entry->shape == first.shape)) {
      fail("{}: layer {} has shape {}, layer 0 has {}", where, layer, entry->shape.to_string(),
           first.shape.to_string());
    }
    ++expected;
  }
  result.axes = axes_of(first.shape.rank(), true, options.axes, where);
  for (const auto& [layer, entry] : series.layers) {
    const Tensor tensor = arrays.tensor(entry->name);
    const Tensor values = Tensor::copy_of(five_axes(tensor, result.axes));
    const Shape& one = values.shape();
    if (layer == 0) result.values = Tensor::uninitialized({expected, one[1], one[2], one[3], one[4]});
    std::copy_n(values.data(), one.elements(), result.values.data() + layer * one.elements());
  }
}

AttentionWeights weights_of(const Arrays& arrays, const WeightsFileOptions& options) {
  const std::map<std::string, Series> all = series_of(arrays);
  const Choice choice = choose(arrays, all, options.key);
  const std::string where = fmt::format("{}: {}", arrays.source, in_quotes(choice.name));
  AttentionWeights result;
  result.source = arrays.source;
  if (choice.series != nullptr) {
    read_series(result, arrays, *choice.series, options, where);
  } else {
    read_array(result, arrays, *choice.array, options, where);
  }
  if (result.values.shape().elements() == 0) {
    fail("{}: shape {} holds no weights", where, result.values.shape().to_string());
  }
  set_tokens_of_metadata(result, arrays.text, choice.name);
  return result;
}

}  // namespace

AttentionWeights attention_weights_of(const NamedArrays& arrays, const WeightsFileOptions& options) {
  std::vector<Entry> entries;
  std::map<std::string, const NamedArrays::Entry*> named;
  for (const NamedArrays::Entry& entry : arrays) {
    entries.push_back({entry.name, entry.shape(), entry.is_tensor()});
    named[entry.name] = &entry;
  }
  const auto tensor = [&](const std::string& name) {
    const NamedArrays::Entry& entry = *named.at(name);
    return entry.is_tensor() ? std::get<Tensor>(entry.array) : to_tensor(std::get<Ids>(entry.array));
  };
  const auto text = [&](const std::string& name) {
    const auto found = arrays.metadata().find(name);
    return found == arrays.metadata().end() ? "" : found->second;
  };
  return weights_of({arrays.source(), entries, tensor, text}, options);
}

AttentionWeights load_attention_weights(const std::string& path, const WeightsFileOptions& options) {
  const ArrayFile file(path);
  return weights_of(
      {file.source(), file.entries(), [&](const std::string& name) { return file.tensor(name); },
       [&](const std::string& name) { return file.text(name); }},
      options);
}

}  // namespace fovea
