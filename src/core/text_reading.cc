#include "fovea/text_reading.h"

#include "core/text_layout.h"
#include "core/utf8.h"
#include "fovea/json_writer.h"

namespace fovea {

std::vector<std::string> token_labels(std::vector<std::string> tokens,
                                      const std::vector<UnknownToken>& unknown) {
  constexpr int kMostColumns = 16;  // of what was written: the mark behind it has to stay in sight
  for (const UnknownToken& token : unknown) {
    if (token.place < 0 || token.place >= static_cast<Index>(tokens.size())) continue;
    std::string& label = tokens[static_cast<std::size_t>(token.place)];
    label.insert(0, shorten(printable(token.written), kMostColumns) + " ");
  }
  return tokens;
}

void write_json(JsonWriter& json, const TextReading& reading) {
  json.begin_object();
  json.key("characters").integer(reading.characters);
  json.key("unknown_characters").integer(reading.unknown_characters);
  json.key("unknown_token").string(reading.unknown_token);
  json.key("tokens").integer(reading.tokens);
  json.key("tokens_read").integer(reading.tokens_read);
  json.end_object();
}

void write_json(JsonWriter& json, const std::vector<TextReading>& readings) {
  json.begin_array();
  for (const TextReading& reading : readings) write_json(json, reading);
  json.end_array();
}

void write_json(JsonWriter& json, const std::vector<UnknownToken>& tokens) {
  json.begin_array();
  for (const UnknownToken& token : tokens) {
    json.begin_object();
    json.key("place").integer(token.place);
    json.key("written").string(token.written);
    json.end_object();
  }
  json.end_array();
}

}  // namespace fovea
