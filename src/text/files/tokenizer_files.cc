// Which file of a folder holds the tokenizer; and the plain vocabulary files of BERT and GPT-2.
#include <filesystem>

#include "core/fail.h"
#include "core/lines.h"
#include "core/utf8.h"
#include "fovea/file.h"
#include "io/json.h"
#include "io/messages.h"
#include "text/files/model_json.h"
#include "text/models/byte_pair.h"
#include "text/models/word_piece.h"
#include "text/steps/tokenizer_parts.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

AddedToken special_token(const TokenTable& tokens, std::string_view content) {
  AddedToken token;
  token.id = tokens.find(content);
  token.content = content;
  return token;
}

// Those of the tokens that the vocabulary has.
std::vector<AddedToken> special_tokens(const TokenTable& tokens,
                                       std::initializer_list<std::string_view> names) {
  std::vector<AddedToken> found;
  for (const std::string_view name : names) {
    if (tokens.find(name) != kNoToken) found.push_back(special_token(tokens, name));
  }
  return found;
}

// tokenizer_config.json next to vocab.txt says whether the model knows upper case.
bool lower_case_of(const fs::path& folder) {
  const fs::path config = folder / "tokenizer_config.json";
  if (!fs::exists(config)) return true;
  const std::string where = "[tokenizer] " + config.string();
  const Json json = parse_json(read_file(config.string()), where);
  return JsonField(json, where).flag_or("do_lower_case", true);
}

TokenizerParts load_file(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::string where = "[tokenizer] " + path.string();
  if (path.extension() == ".spm") return load_marian_tokenizer(path.parent_path());
  const std::string bytes = read_file(path.string());
  if (name == "vocab.json" || name == "merges.txt") {
    const fs::path folder = path.parent_path();
    return read_vocab_and_merges(read_file((folder / "vocab.json").string()),
                                 read_file((folder / "merges.txt").string()), where);
  }
  if (path.extension() == ".json") return read_tokenizer_json(bytes, where);
  if (path.extension() == ".model") return read_sentence_piece(bytes, where);
  if (path.extension() == ".bin") return read_llama2c_tokenizer(bytes, where);
  if (path.extension() == ".txt") return read_word_list(bytes, lower_case_of(path.parent_path()), where);
  fail(
      "{}: expected tokenizer.json, spiece.model, tokenizer.model, source.spm, vocab.json, vocab.txt or "
      "tokenizer.bin",
      where);
}

}  // namespace

TokenizerParts load_tokenizer(const std::string& path) {
  if (!fs::is_directory(path)) return load_file(path);
  for (const char* name : {"tokenizer.json", "spiece.model", "tokenizer.model", "source.spm", "target.spm",
                           "vocab.json", "vocab.txt", "tokenizer.bin"}) {
    const fs::path file = fs::path(path) / name;
    if (fs::exists(file)) return load_file(file);
  }
  fail(
      "[tokenizer] {}: there is no tokenizer.json, spiece.model, tokenizer.model, source.spm, vocab.json, "
      "vocab.txt or tokenizer.bin",
      path);
}

TokenizerParts read_word_list(std::string_view vocab_txt, bool lower_case, const std::string& where) {
  TokenizerParts parts;
  TokenId id = 0;
  for (std::string_view line : lines_of(vocab_txt)) {
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
    if (!is_utf8(line)) fail("{}: line {} is not UTF-8: {}", where, id + 1, in_quotes(line));
    parts.tokens.add(line, id++);
  }
  const auto need = [&](const char* name) {
    const TokenId found = parts.tokens.find(name);
    if (found == kNoToken) fail("{}: a WordPiece vocabulary needs {}, which is missing", where, name);
    return found;
  };
  parts.normalizers.push_back(
      make_bert_normalizer({.strip_accents = lower_case, .lower_case = lower_case}));
  parts.pre_tokenizers.push_back(make_bert_pre_tokenizer());
  parts.model = make_word_piece(parts.tokens, {.unknown = need("[UNK]")});
  parts.post_processor = make_bert_processor(need("[CLS]"), need("[SEP]"));
  parts.decoders.push_back(make_word_piece_decoder("##", true));
  set_added_tokens(parts, special_tokens(parts.tokens, {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}));
  return parts;
}

TokenizerParts read_vocab_and_merges(std::string_view vocab_json, std::string_view merges_txt,
                                     const std::string& where) {
  TokenizerParts parts;
  const Json vocabulary = parse_json(vocab_json, where);
  read_vocabulary(JsonField(vocabulary, where), parts.tokens);
  std::vector<MergeRule> merges;
  std::size_t number = 0;
  for (const std::string_view line : lines_of(merges_txt)) {
    ++number;
    if (line.starts_with("#version") || line.empty()) continue;
    const std::size_t space = line.find(' ');
    if (space == line.npos || line.find(' ', space + 1) != line.npos) {
      fail("{}: line {} of merges.txt: expected two tokens separated by a space, got {}", where, number,
           in_quotes(line));
    }
    merges.push_back(find_merge(line.substr(0, space), line.substr(space + 1), parts.tokens,
                                fmt::format("{}: line {} of merges.txt", where, number)));
  }
  add_byte_level(parts.pre_tokenizers, false, true);
  parts.model = make_byte_pair(parts.tokens, merges, {.byte_level = true});
  parts.decoders.push_back(make_byte_level_decoder());
  std::vector<AddedToken> specials =
      special_tokens(parts.tokens, {"<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>"});
  for (AddedToken& token : specials) token.strip_left = token.content == "<mask>";
  const TokenId begin = parts.tokens.find("<s>"), end = parts.tokens.find("</s>");
  if (begin != kNoToken && end != kNoToken) {  // RoBERTa; GPT-2 adds nothing
    parts.post_processor = make_roberta_processor(begin, end);
    parts.post_processor.trim_offsets = true;
    parts.post_processor.add_prefix_space = false;
  }
  set_added_tokens(parts, std::move(specials));
  return parts;
}

}  // namespace fovea
