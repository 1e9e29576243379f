#include "run/sequence_json.h"

#include <utility>

#include "core/fail.h"

namespace fovea {
namespace {

void write_integers(JsonWriter& json, const char* name, const std::vector<Index>& values) {
  json.key(name).begin_array();
  for (const Index value : values) json.integer(value);
  json.end_array();
}

// In the order of the tokens, and among them: labels and measures rely on it.
std::vector<UnknownToken> read_unknown(const JsonFields& sequence, std::size_t tokens) {
  std::vector<UnknownToken> unknown;
  for (const Json& item : sequence.list("unknown")) {
    const JsonFields fields(item, sequence.where());
    const Index place = fields.integer("place"), least = unknown.empty() ? 0 : unknown.back().place + 1;
    if (place < least || place >= static_cast<Index>(tokens)) {
      fail("{}: an unknown token at {}, expected {} to {}", sequence.where(), place, least,
           static_cast<Index>(tokens) - 1);
    }
    unknown.push_back({place, fields.text("written")});
  }
  return unknown;
}

std::vector<TextReading> read_texts(const JsonFields& sequence) {
  std::vector<TextReading> texts;
  for (const Json& item : sequence.list("texts")) {
    const JsonFields fields(item, sequence.where());
    TextReading text;
    text.characters = fields.integer("characters");
    text.unknown_characters = fields.integer("unknown_characters");
    text.tokens = fields.integer("tokens");
    text.tokens_read = fields.integer("tokens_read");
    text.unknown_token = fields.text("unknown_token");
    const auto part = [&](const char* what, Index some, Index all) {
      if (some >= 0 && some <= all) return;
      fail("{}: {} is {}, expected 0 to {}", sequence.where(), what, some, all);
    };
    part("unknown_characters", text.unknown_characters, text.characters);
    part("tokens_read", text.tokens_read, text.tokens);
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace

void write_sequences(JsonWriter& json, const char* name, const std::vector<TokenSequence>& sequences) {
  json.key(name).begin_array();
  for (const TokenSequence& sequence : sequences) {
    json.begin_object();
    json.key("tokens").strings(sequence.tokens);
    write_integers(json, "ids", sequence.ids);
    write_integers(json, "begins", sequence.begins);
    write_integers(json, "ends", sequence.ends);
    write_integers(json, "segments", sequence.segments);
    if (!sequence.unknown.empty()) write_json(json.key("unknown"), sequence.unknown);
    if (!sequence.texts.empty()) write_json(json.key("texts"), sequence.texts);
    json.end_object();
  }
  json.end_array();
}

std::vector<TokenSequence> read_sequences(const JsonFields& root, const char* name) {
  std::vector<TokenSequence> sequences;
  for (const Json& item : root.list(name)) {
    const JsonFields fields(item, root.where());
    TokenSequence sequence;
    sequence.tokens = fields.texts("tokens");
    sequence.ids = fields.integers("ids");
    sequence.begins = fields.integers("begins");
    sequence.ends = fields.integers("ends");
    sequence.segments = fields.integers("segments");
    if (fields.has("unknown")) sequence.unknown = read_unknown(fields, sequence.tokens.size());
    if (fields.has("texts")) sequence.texts = read_texts(fields);
    sequences.push_back(std::move(sequence));
  }
  return sequences;
}

}  // namespace fovea
