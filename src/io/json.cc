#include "io/json.h"

#include <algorithm>

#include "core/fail.h"
#include "fovea/file.h"
#include "io/messages.h"

namespace fovea {
inline namespace internal {
namespace {

// "line 3, column 7" of byte `position`, counted from 1.
std::string place_of(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, std::min(position == 0 ? 0 : position - 1, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t newline = before.rfind('\n');
  const std::string_view last = newline == before.npos ? before : before.substr(newline + 1);
  const auto column = 1 + std::count_if(last.begin(), last.end(), [](char c) {
                        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;  // not a continuation byte
                      });
  return fmt::format("line {}, column {}", line, column);
}

// Builds the document. nlohmann's own builder neither limits the depth nor sees duplicate keys, and with
// its callback it takes quadratic time for an object of many objects.
class DocumentBuilder : public nlohmann::json_sax<Json> {
 public:
  DocumentBuilder(std::string_view text, const std::string& where, const JsonOptions& options)
      : text_(text), where_(where), options_(options) {}

  Json take() { return std::move(root_); }

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // not in texts

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    auto& members = open_.back()->get_ref<Json::object_t&>();
    const auto [member, is_new] = members.try_emplace(name);
    if (!is_new && options_.unique_keys) fail("{}: the key {} appears twice", where_, in_quotes(name));
    member_ = &member->second;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const Json::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: what is wrong"
    std::string_view message = error.what();
    message.remove_prefix(std::min(message.size(), message.find("] ") + 2));
    if (message.starts_with("parse error at")) message.remove_prefix(message.find(": ") + 2);
    constexpr std::size_t kLongest = 160;  // the message repeats the last token, of any length
    fail("{}: {}: {}{}", where_, place_of(text_, position), message.substr(0, kLongest),
         message.size() > kLongest ? "…" : "");
  }

 private:
  Json* place(Json value) {
    Json* target = &root_;
    if (!open_.empty() && open_.back()->is_array()) {
      auto& items = open_.back()->get_ref<Json::array_t&>();
      target = &items.emplace_back();  // stays there until this item is finished
    } else if (!open_.empty()) {
      target = member_;
    }
    *target = std::move(value);
    return target;
  }
  bool put(Json value) { return place(std::move(value)) != nullptr; }
  bool open(Json value) {
    if (static_cast<int>(open_.size()) >= options_.max_depth) {
      fail("{}: lists and objects are nested deeper than {}", where_, options_.max_depth);
    }
    open_.push_back(place(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view text_;
  const std::string& where_;
  const JsonOptions& options_;
  Json root_;
  std::vector<Json*> open_;  // the lists and objects around the place now read
  Json* member_ = nullptr;   // where the value of the last key goes
};

}  // namespace

Json parse_json(std::string_view text, const std::string& where, const JsonOptions& options) {
  // nlohmann takes a zero byte for the end of the text and would not look at what follows.
  if (const std::size_t zero = text.find('\0'); zero != text.npos) {
    fail("{}: {}: a zero byte", where, place_of(text, zero + 1));
  }
  DocumentBuilder builder(text, where, options);
  Json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

Json load_json(const std::string& path, const JsonOptions& options) {
  return parse_json(read_file(path), "[json] " + path, options);
}

std::vector<double> json_numbers(const Json& list, const std::string& where) {
  if (!list.is_array()) fail("{}: expected a list of numbers, got {}", where, list.type_name());
  std::vector<double> numbers;
  numbers.reserve(list.size());
  for (const Json& item : list) {
    if (!item.is_number()) {
      fail("{}: expected a number at position {}, got {}", where, numbers.size() + 1, item.type_name());
    }
    numbers.push_back(item.get<double>());
  }
  return numbers;
}

std::string json_string(std::string_view text, const std::string& where) {
  try {
    return Json(text).dump();
  } catch (const Json::exception&) {
    fail("{}: {} is not UTF-8", where, in_quotes(text));
  }
}

}  // namespace internal
}  // namespace fovea
