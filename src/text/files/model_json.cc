#include "text/files/model_json.h"

#include "core/fail.h"
#include "io/json.h"
#include "io/messages.h"
#include "text/models/unigram.h"
#include "text/models/word_level.h"
#include "text/models/word_piece.h"

namespace fovea {
namespace {

// The id of the token that the setting names; kNoToken if it is null.
TokenId read_token(const JsonField& json, const TokenTable& tokens) {
  if (json.is_null()) return kNoToken;
  const TokenId id = tokens.find(json.text());
  if (id == kNoToken)
    fail("{}: the token {} is not in the vocabulary", json.where(), in_quotes(json.text()));
  return id;
}

std::unique_ptr<TokenModel> read_word_piece(const JsonField& json, TokenTable& tokens) {
  read_vocabulary(json["vocab"], tokens);
  WordPieceOptions options;
  options.unknown = read_token(json["unk_token"], tokens);
  options.continuation = json.text_or("continuing_subword_prefix", "##");
  if (json.has("max_input_chars_per_word")) {
    options.longest_word = json["max_input_chars_per_word"].integer(0, INT32_MAX);
  }
  if (options.unknown == kNoToken) fail("{}.unk_token: WordPiece needs one, got null", json.where());
  return make_word_piece(tokens, options);
}

std::unique_ptr<TokenModel> read_word_level(const JsonField& json, TokenTable& tokens) {
  read_vocabulary(json["vocab"], tokens);
  const TokenId unknown = read_token(json["unk_token"], tokens);
  if (unknown == kNoToken) fail("{}.unk_token: WordLevel needs one, got null", json.where());
  return make_word_level(tokens, unknown);
}

// "a b", or ["a", "b"]
MergeRule read_merge(const JsonField& json, const TokenTable& tokens) {
  if (json.value().is_array()) {
    if (json.size() != 2) fail("{}: expected two tokens, got {}", json.where(), json.size());
    return find_merge(json.at(0).text(), json.at(1).text(), tokens, json.where());
  }
  const std::string_view pair = json.text();
  const std::size_t space = pair.find(' ');
  if (space == pair.npos || pair.find(' ', space + 1) != pair.npos) {
    fail("{}: expected two tokens separated by a space, got {}", json.where(), in_quotes(pair));
  }
  return find_merge(pair.substr(0, space), pair.substr(space + 1), tokens, json.where());
}

std::unique_ptr<TokenModel> read_byte_pair(const JsonField& json, bool byte_level, TokenTable& tokens) {
  read_vocabulary(json["vocab"], tokens);
  for (const char* name : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (!json.text_or(name, "").empty())
      fail("{}.{}: only the empty string is supported", json.where(), name);
  }
  if (json.has("dropout") && json["dropout"].number() != 0) {
    fail("{}.dropout: got {}, only 0 is supported: tokens must not depend on chance", json.where(),
         json["dropout"].number());
  }
  std::vector<MergeRule> merges;
  const JsonField list = json["merges"];
  merges.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) merges.push_back(read_merge(list.at(i), tokens));
  BytePairOptions options;
  options.byte_level = byte_level;
  options.unknown = read_token(json.or_null("unk_token"), tokens);
  options.fuse_unknown = json.flag_or("fuse_unk", false);
  options.byte_fallback = json.flag_or("byte_fallback", false);
  options.ignore_merges = json.flag_or("ignore_merges", false);
  return make_byte_pair(tokens, merges, options);
}

std::unique_ptr<TokenModel> read_unigram(const JsonField& json, TokenTable& tokens) {
  const JsonField list = json["vocab"];
  std::vector<double> scores;
  scores.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonField entry = list.at(i);
    if (entry.size() != 2) fail("{}: expected a token and its score", entry.where());
    tokens.add(entry.at(0).text(), static_cast<TokenId>(i));
    scores.push_back(entry.at(1).number());
  }
  UnigramOptions options;
  if (json.has("unk_id")) {
    options.unknown =
        static_cast<TokenId>(json["unk_id"].integer(0, static_cast<std::int64_t>(list.size()) - 1));
  }
  options.byte_fallback = json.flag_or("byte_fallback", false);
  return make_unigram(tokens, std::move(scores), options);
}

// Files before the field existed: a list of scores, merges, or words.
std::string model_type(const JsonField& json) {
  if (json.has("type")) return json.type();
  if (json["vocab"].value().is_array()) return "Unigram";
  return json.has("merges") ? "BPE" : "WordPiece";
}

}  // namespace

void read_vocabulary(const JsonField& json, TokenTable& tokens) {
  if (!json.value().is_object())
    fail("{}: expected an object, got {}", json.where(), json.value().type_name());
  // A table is indexed by id: one huge id must not fill the memory.
  const auto largest = 4 * static_cast<std::int64_t>(json.value().size()) + 65536;
  for (const auto& [token, id] : json.value().items()) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() > static_cast<std::uint64_t>(largest)) {
      JsonField(id, fmt::format("{}[{}]", json.where(), in_quotes(token))).integer(0, largest);
    }
    tokens.add(token, static_cast<TokenId>(id.get<std::uint64_t>()));
  }
}

MergeRule find_merge(std::string_view left, std::string_view right, const TokenTable& tokens,
                     const std::string& where) {
  const auto id_of = [&](std::string_view token) {
    const TokenId id = tokens.find(token);
    if (id == kNoToken) fail("{}: the token {} is not in the vocabulary", where, in_quotes(token));
    return id;
  };
  std::string whole(left);
  whole += right;
  return {id_of(left), id_of(right), id_of(whole)};
}

std::unique_ptr<TokenModel> read_model(const JsonField& json, bool byte_level, TokenTable& tokens) {
  const std::string type = model_type(json);
  if (byte_level && type != "BPE") {
    fail("{}: a ByteLevel pre-tokenizer needs BPE, got {}", json.where(), in_quotes(type));
  }
  if (type == "WordPiece") return read_word_piece(json, tokens);
  if (type == "WordLevel") return read_word_level(json, tokens);
  if (type == "BPE") return read_byte_pair(json, byte_level, tokens);
  if (type == "Unigram") return read_unigram(json, tokens);
  fail("{}: unknown type {}; supported: WordPiece, WordLevel, BPE, Unigram", json.where(), in_quotes(type));
}

}  // namespace fovea
