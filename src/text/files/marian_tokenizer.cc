// Marian's tokenizer, as Helsinki-NLP publishes it: source.spm and target.spm cut texts into pieces,
// vocab.json numbers the pieces of both. Two vocabularies are vocab.json and target_vocab.json.
#include <filesystem>

#include "core/fail.h"
#include "fovea/file.h"
#include "io/json.h"
#include "io/messages.h"
#include "text/files/model_json.h"
#include "text/models/renamed_tokens.h"
#include "text/steps/tokenizer_parts.h"

namespace fovea {
namespace {

TokenId need_token(const TokenTable& tokens, const char* name, const std::string& where) {
  const TokenId id = tokens.find(name);
  if (id == kNoToken) fail("{}: Marian's vocabulary needs {}, which is missing", where, name);
  return id;
}

void set_marian_specials(TokenizerParts& parts, TokenId end) {
  std::vector<AddedToken> added;
  for (const char* name : {"<unk>", "</s>", "<pad>"}) {
    AddedToken token;
    token.id = parts.tokens.find(name);
    token.content = name;
    added.push_back(std::move(token));
  }
  set_added_tokens(parts, std::move(added));
  using Kind = TemplatePiece::Kind;
  parts.post_processor.single = {{Kind::first, 0, {}}, {Kind::special, 0, {end}}};
  parts.post_processor.pair = {{Kind::first, 0, {}}, {Kind::second, 0, {}}, {Kind::special, 0, {end}}};
}

// One side: pieces by one file, their ids by another.
TokenizerParts read_marian_side(const std::string& pieces_path, const std::string& vocabulary_path) {
  const std::string where = "[tokenizer] " + pieces_path, vocabulary = "[tokenizer] " + vocabulary_path;
  TokenizerParts parts = read_sentence_piece(read_file(pieces_path), where, WordBreaks::spaces);
  for (const AddedToken& token : parts.added.tokens()) {
    if (token.special) continue;
    fail("{}: unsupported: the piece {}, defined by its maker, is always one token", where,
         in_quotes(token.content));
  }
  TokenTable tokens;
  const Json json = parse_json(read_file(vocabulary_path), vocabulary);
  read_vocabulary(JsonField(json, vocabulary), tokens);
  const TokenId unknown = need_token(tokens, "<unk>", vocabulary),
                end = need_token(tokens, "</s>", vocabulary);
  need_token(tokens, "<pad>", vocabulary);
  parts.model = make_renamed_tokens(std::move(parts.model), parts.tokens, tokens, unknown);
  parts.tokens = std::move(tokens);
  parts.language_codes = true;
  parts.decoders.clear();
  add_marian_decoders(parts.decoders);
  set_marian_specials(parts, end);
  return parts;
}

bool has_two_vocabularies(const std::filesystem::path& folder) {
  const std::filesystem::path config = folder / "tokenizer_config.json";
  if (!std::filesystem::exists(config)) return false;
  const std::string where = "[tokenizer] " + config.string();
  const Json json = parse_json(read_file(config.string()), where);
  return JsonField(json, where).flag_or("separate_vocabs", false);
}

}  // namespace

TokenizerParts load_marian_tokenizer(const std::filesystem::path& folder) {
  const bool two = has_two_vocabularies(folder);
  for (const char* name : {"source.spm", "target.spm", "vocab.json", "target_vocab.json"}) {
    if (std::filesystem::exists(folder / name) || (!two && name == std::string_view("target_vocab.json")))
      continue;
    fail("[tokenizer] {}: there is no {}; Marian's tokenizer is source.spm, target.spm and vocab.json{}",
         folder.string(), name,
         two ? ", and target_vocab.json where tokenizer_config.json has separate_vocabs" : "");
  }
  const auto side = [&](const char* pieces, const char* vocabulary) {
    return read_marian_side((folder / pieces).string(), (folder / vocabulary).string());
  };
  TokenizerParts parts = side("source.spm", "vocab.json");
  parts.target =
      std::make_shared<const TokenizerParts>(side("target.spm", two ? "target_vocab.json" : "vocab.json"));
  return parts;
}

}  // namespace fovea
