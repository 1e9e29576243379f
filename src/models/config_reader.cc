#include "models/config_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/fail.h"
#include "fovea/render.h"
#include "io/json.h"
#include "io/messages.h"

namespace fovea {
namespace {

// −1 for what is no integer, and for one that Index cannot hold.
Index integer_of(const Json& value) {
  if (!value.is_number_integer()) return -1;
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<Index>::max())) {
    return -1;
  }
  return value.get<Index>();
}

}  // namespace

ConfigReader::ConfigReader(const Json& config, std::string where)
    : config_(config), where_(std::move(where)) {
  if (!config.is_object()) fail("{}: expected an object, got {}", where_, config.type_name());
}

ConfigReader::Found ConfigReader::find(const Names& names) const {
  for (const char* name : names) {
    const auto found = config_.find(name);
    if (found != config_.end() && !found->is_null()) return {name, &*found};
  }
  return {names.front(), nullptr};
}

void ConfigReader::wrong(const Found& found, const std::string& expected) {
  complain(found.value == nullptr
               ? fmt::format("{} is missing, expected {}", found.name, expected)
               : fmt::format("{} is {}, expected {}", found.name,
                             in_quotes(found.value->dump(-1, ' ', true, Json::error_handler_t::replace)),
                             expected));
}

bool ConfigReader::has(const char* name) const { return find({name}).value != nullptr; }

Index ConfigReader::size(const Names& names, std::optional<Index> fallback) {
  return positive(names, fallback, (Index{1} << 31) - 1);
}

Index ConfigReader::layers(const Names& names, std::optional<Index> fallback) {
  return positive(names, fallback, 1024);  // the deepest published models have 126
}

Index ConfigReader::positive(const Names& names, std::optional<Index> fallback, Index largest) {
  const Found found = find(names);
  if (found.value == nullptr && fallback) return *fallback;
  const Index value = found.value == nullptr ? 0 : integer_of(*found.value);
  if (value >= 1 && value <= largest) return value;
  wrong(found, fmt::format("an integer from 1 to {}", largest));
  return 1;
}

std::optional<Index> ConfigReader::id(const char* name) {
  const std::vector<Index> all = ids(name);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

std::vector<Index> ConfigReader::ids(const char* name) {
  const Found found = find({name});
  if (found.value == nullptr) return {};
  std::vector<Index> ids;
  const Json list = found.value->is_array() ? *found.value : Json::array({*found.value});
  for (const Json& item : list) {
    // −1 stands for "none" in some files.
    if (const Index id = integer_of(item); id >= 0 && id < (Index{1} << 31)) {
      ids.push_back(id);
    } else if (!item.is_number_integer()) {
      wrong(found, "a token id or a list of them");
      return {};
    }
  }
  return ids;
}

std::vector<std::vector<Index>> ConfigReader::id_lists(const char* name) {
  const Found found = find({name});
  std::vector<std::vector<Index>> lists;
  if (found.value == nullptr) return lists;
  const auto is_id = [](const Json& item) { return integer_of(item) >= 0; };
  const auto is_list = [&](const Json& item) {
    return item.is_array() && !item.empty() && std::all_of(item.begin(), item.end(), is_id);
  };
  if (!found.value->is_array() || !std::all_of(found.value->begin(), found.value->end(), is_list)) {
    wrong(found, "lists of token ids");
    return lists;
  }
  for (const Json& list : *found.value) {
    std::vector<Index>& ids = lists.emplace_back();
    for (const Json& id : list) ids.push_back(integer_of(id));
  }
  return lists;
}

float ConfigReader::number(const Names& names, std::optional<float> fallback) {
  const Found found = find(names);
  if (found.value == nullptr && fallback) return *fallback;
  if (found.value != nullptr && found.value->is_number()) {
    const double value = found.value->get<double>();
    if (std::isfinite(value) && std::abs(value) < 1e30) return static_cast<float>(value);
  }
  wrong(found, "a number");
  return 1;
}

bool ConfigReader::flag(const char* name, bool fallback) {
  const Found found = find({name});
  if (found.value == nullptr) return fallback;
  if (found.value->is_boolean()) return found.value->get<bool>();
  wrong(found, "true or false");
  return fallback;
}

std::string ConfigReader::text(const char* name, const std::string& fallback) {
  const Found found = find({name});
  if (found.value == nullptr) return fallback;
  if (found.value->is_string()) return found.value->get<std::string>();
  wrong(found, "a text");
  return fallback;
}

std::optional<Activation> ConfigReader::activation_named(const std::string& name) {
  if (name == "relu") return Activation::relu;
  if (name == "silu" || name == "swish") return Activation::silu;
  if (name == "gelu") return Activation::gelu;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_fast")
    return Activation::gelu_tanh;
  return std::nullopt;
}

Activation ConfigReader::activation(const Names& names, const char* fallback) {
  const Found found = find(names);
  const std::string name = text(found.name, fallback);
  if (const std::optional<Activation> known = activation_named(name)) return *known;
  wrong(found, "relu, gelu, gelu_new, gelu_pytorch_tanh, gelu_fast or silu");
  return Activation::relu;
}

const Json* ConfigReader::object(const char* name) {
  const Found found = find({name});
  if (found.value == nullptr || found.value->is_object()) return found.value;
  wrong(found, "an object");
  return nullptr;
}

void ConfigReader::finish() const {
  if (problems_.empty()) return;
  fail("{}: {}", where_, listed(problems_, 20, "; "));
}

}  // namespace fovea
