#include "fovea/tokenizer_training.h"

#include <algorithm>
#include <map>

#include "core/fail.h"
#include "core/utf8.h"
#include "fovea/json_writer.h"
#include "fovea/tokenizer.h"
#include "io/json.h"
#include "io/messages.h"
#include "text/models/byte_alphabet.h"
#include "text/steps/pre_tokenizer.h"
#include "text/steps/split_pattern.h"
#include "text/training/byte_pair_trainer.h"
#include "text/unicode/unicode.h"

namespace fovea {
namespace {

constexpr const char* kUnknown = "<unk>";
constexpr const char* kPad = "<pad>";
constexpr Index kDefaultBytePairs = 1000;

using Counts = std::map<std::string, Index>;

void check_utf8(const std::string& text, std::size_t number) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = decode_utf8(text, at);
    if (!c.valid) {
      fail("[tokenizer] text {}: byte {} (0x{:02x}) is not valid UTF-8", number, at + 1,
           static_cast<unsigned char>(text[at]));
    }
    at += c.bytes;
  }
}

// The words as the tokenizer itself will split them.
void count_words(const std::string& text, Counts& counts) {
  static const PreTokenizers kWhitespace = [] {
    PreTokenizers list;
    bool byte_level = false;
    const Json json = parse_json(R"({"type": "Whitespace"})", "[tokenizer] words");
    read_pre_tokenizers(JsonField(json, "[tokenizer] words"), list, byte_level);
    return list;
  }();
  SplitText split = {AlignedText(text, 0), {{0, static_cast<std::uint32_t>(text.size())}}};
  for (const auto& step : kWhitespace) step->apply(split);
  for (const ByteSpan& piece : split.pieces) ++counts[text.substr(piece.begin, piece.end - piece.begin)];
}

void count_characters_of(const std::string& text, Counts& counts) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    next_code_point(text, at);
    ++counts[text.substr(begin, at - begin)];
  }
}

// Ideographs one by one, and what is between them.
void count_ideographs(const std::string& word, Counts& counts) {
  std::size_t begin = 0;
  const auto count = [&](std::size_t end) {
    if (end > begin) ++counts[word.substr(begin, end - begin)];
    begin = end;
  };
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t before = at;
    if (!is_bert_ideograph(next_code_point(word, at))) continue;
    count(before);
    count(at);
  }
  count(word.size());
}

void count_byte_level_words(const std::string& text, const TokenizerTraining& options, Counts& counts) {
  const std::string whole = options.prefix_space && !text.starts_with(' ') ? " " + text : text;
  for (std::size_t at = 0; at < whole.size();) {
    const std::size_t end = next_gpt2_word(whole, at);
    const std::string word = whole.substr(at, end - at);
    options.single_ideographs ? count_ideographs(word, counts) : static_cast<void>(++counts[word]);
    at = end;
  }
}

std::string in_lower_case(const std::string& text) {
  AlignedText aligned(text, 0);
  AlignedCharacters characters = aligned.characters();
  make_lower_case(characters);
  aligned.assign(characters);
  return std::string(aligned.bytes());
}

Counts count_pieces(const std::vector<std::string>& texts, const TokenizerTraining& options) {
  Counts counts;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    check_utf8(texts[i], i + 1);
    if (texts[i].empty()) continue;
    const std::string text = options.lower_case ? in_lower_case(texts[i]) : texts[i];
    if (options.kind == TokenizerKind::words) count_words(text, counts);
    if (options.kind == TokenizerKind::characters) count_characters_of(text, counts);
    if (options.kind == TokenizerKind::byte_pairs) count_byte_level_words(text, options, counts);
  }
  return counts;
}

// The most frequent of them, at most `room`; equal ones in the order of their bytes.
std::vector<std::string> most_frequent(const Counts& counts, Index room, Index min_count) {
  std::vector<std::pair<std::string, Index>> list(counts.begin(), counts.end());
  std::erase_if(list, [&](const auto& entry) { return entry.second < min_count; });
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (room >= 0 && static_cast<Index>(list.size()) > room) list.resize(static_cast<std::size_t>(room));
  std::vector<std::string> result;
  for (auto& [piece, count] : list) result.push_back(std::move(piece));
  return result;
}

// What the parts of a tokenizer.json are for each kind.
struct TokenizerFile {
  TokenizerKind kind = TokenizerKind::words;
  bool only_spaces = false;          // words: marks do not separate them
  bool single_digits = false;        // words: each digit is one
  bool unspaced = false;             // words: there need be nothing between them
  std::vector<std::string> special;  // the unknown token included
  std::vector<std::string> tokens;   // by id
  std::vector<LearnedPair> merges;
  std::string end;
  bool lower_case = false, prefix_space = false;

  std::string json() const {
    JsonWriter json;
    json.begin_object();
    json.key("version").string("1.0");
    json.key("truncation").null();
    json.key("padding").null();
    write_added_tokens(json);
    json.key("normalizer");
    lower_case ? write_type(json, "Lowercase") : json.null();
    json.key("pre_tokenizer");
    write_pre_tokenizer(json);
    json.key("post_processor");
    write_post_processor(json);
    json.key("decoder");
    write_decoder(json);
    json.key("model");
    write_model(json);
    json.end_object();
    return json.take();
  }

 private:
  void write_byte_level(JsonWriter& json) const {
    json.begin_object();
    json.key("type").string("ByteLevel");
    json.key("add_prefix_space").boolean(prefix_space);
    json.key("trim_offsets").boolean(true);
    json.key("use_regex").boolean(true);
    json.end_object();
  }

  static void write_type(JsonWriter& json, const char* type) {
    json.begin_object();
    json.key("type").string(type);
    json.end_object();
  }

  void write_added_tokens(JsonWriter& json) const {
    json.key("added_tokens").begin_array();
    for (const std::string& token : special) {
      json.begin_object();
      json.key("id").integer(id_of(token));
      json.key("content").string(token);
      for (const char* name : {"single_word", "lstrip", "rstrip", "normalized"})
        json.key(name).boolean(false);
      json.key("special").boolean(true);
      json.end_object();
    }
    json.end_array();
  }

  void write_pre_tokenizer(JsonWriter& json) const {
    if (kind == TokenizerKind::characters) return json.null();
    if (kind == TokenizerKind::byte_pairs) return write_byte_level(json);
    if (!single_digits) return write_type(json, only_spaces ? "WhitespaceSplit" : "Whitespace");
    json.begin_object();
    json.key("type").string("Sequence");
    json.key("pretokenizers").begin_array();
    write_type(json, "WhitespaceSplit");
    json.begin_object();
    json.key("type").string("Digits");
    json.key("individual_digits").boolean(true);
    json.end_object();
    json.end_array();
    json.end_object();
  }

  Index id_of(const std::string& token) const {
    return std::find(tokens.begin(), tokens.end(), token) - tokens.begin();
  }

  // A text, or two, each with the end behind it.
  void write_post_processor(JsonWriter& json) const {
    if (end.empty()) return json.null();
    const auto piece = [&json](const char* what, const std::string& name, Index type) {
      json.begin_object();
      json.key(what).begin_object();
      json.key("id").string(name);
      json.key("type_id").integer(type);
      json.end_object();
      json.end_object();
    };
    const auto text = [&](const char* name, Index type) {
      piece("Sequence", name, type);
      piece("SpecialToken", end, type);
    };
    json.begin_object();
    json.key("type").string("TemplateProcessing");
    json.key("single").begin_array();
    text("A", 0);
    json.end_array();
    json.key("pair").begin_array();
    text("A", 0);
    text("B", 1);
    json.end_array();
    json.key("special_tokens").begin_object();
    json.key(end).begin_object();
    json.key("id").string(end);
    json.key("ids").integers({id_of(end)});
    json.key("tokens").strings({end});
    json.end_object();
    json.end_object();
    json.end_object();
  }

  // Without a decoder there is a space between tokens.
  void write_decoder(JsonWriter& json) const {
    if (kind == TokenizerKind::words && !unspaced) return json.null();
    if (kind == TokenizerKind::byte_pairs) return write_byte_level(json);
    write_type(json, "Fuse");
  }

  // Every word costs the same: the best way to cut a text is the one with the fewest.
  void write_unigram(JsonWriter& json) const {
    json.begin_object();
    json.key("type").string("Unigram");
    json.key("unk_id").integer(std::find(tokens.begin(), tokens.end(), kUnknown) - tokens.begin());
    json.key("vocab").begin_array();
    for (const std::string& token : tokens) {
      json.begin_array();
      json.string(token);
      json.number(-1);
      json.end_array();
    }
    json.end_array();
    json.key("byte_fallback").boolean(false);
    json.end_object();
  }

  // Characters are byte pairs without pairs: a text is spelled and stays so.
  void write_model(JsonWriter& json) const {
    if (unspaced) return write_unigram(json);
    const bool words = kind == TokenizerKind::words, bytes = kind == TokenizerKind::byte_pairs;
    json.begin_object();
    json.key("type").string(words ? "WordLevel" : "BPE");
    if (!words) {
      json.key("dropout").null();
      json.key("unk_token");
      bytes ? json.null() : json.string(kUnknown);
      json.key("continuing_subword_prefix").null();
      json.key("end_of_word_suffix").null();
      for (const char* name : {"fuse_unk", "byte_fallback", "ignore_merges"}) json.key(name).boolean(false);
    }
    json.key("vocab").begin_object();
    for (std::size_t id = 0; id < tokens.size(); ++id) json.key(tokens[id]).integer(static_cast<Index>(id));
    json.end_object();
    if (words) {
      json.key("unk_token").string(kUnknown);
    } else {
      json.key("merges").begin_array();
      for (const LearnedPair& pair : merges) {
        json.strings(
            {tokens[static_cast<std::size_t>(pair.left)], tokens[static_cast<std::size_t>(pair.right)]});
      }
      json.end_array();
    }
    json.end_object();
  }
};

// All bytes, in the order of the characters that stand for them.
std::vector<std::string> byte_characters() {
  std::vector<std::string> characters;
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(static_cast<unsigned char>(byte));
    characters.push_back(bytes_as_characters({&c, 1}));
  }
  std::sort(characters.begin(), characters.end());  // UTF-8 sorts as its code points do
  return characters;
}

void check_special(const std::vector<std::string>& special) {
  for (std::size_t i = 0; i < special.size(); ++i) {
    const bool twice = std::find(special.begin(), special.begin() + static_cast<std::ptrdiff_t>(i),
                                 special[i]) != special.begin() + static_cast<std::ptrdiff_t>(i);
    if (special[i].empty() || !is_utf8(special[i]) || twice) {
      fail("[tokenizer] the special token {} is {}", in_quotes(special[i]),
           special[i].empty() ? "empty"
           : twice            ? "there twice"
                              : "not valid UTF-8");
    }
  }
}

}  // namespace

std::string to_string(TokenizerKind kind) {
  return kind == TokenizerKind::words ? "words" : kind == TokenizerKind::characters ? "characters" : "bpe";
}

TokenizerKind tokenizer_kind(std::string_view name) {
  for (const auto kind : {TokenizerKind::words, TokenizerKind::characters, TokenizerKind::byte_pairs}) {
    if (name == to_string(kind)) return kind;
  }
  fail("[tokenizer] there is no kind {}; there are words, characters, bpe", in_quotes(name));
}

std::string train_tokenizer(const std::vector<std::string>& texts, const TokenizerTraining& options) {
  if (options.vocabulary < 0 || options.min_count < 0) {
    fail("[tokenizer] a vocabulary of {}, {} times at least: expected nothing negative", options.vocabulary,
         options.min_count);
  }
  check_special(options.special);
  const auto& special = options.special;
  if (!options.end.empty() && std::find(special.begin(), special.end(), options.end) == special.end()) {
    fail("[tokenizer] the end of texts is {}, expected one of the special tokens", in_quotes(options.end));
  }
  const bool bytes = options.kind == TokenizerKind::byte_pairs;
  TokenizerFile file;
  file.kind = options.kind;
  file.special = options.special;
  file.end = options.end;
  file.lower_case = options.lower_case;
  file.prefix_space = options.prefix_space;
  const bool has_unknown =
      std::find(file.special.begin(), file.special.end(), kUnknown) != file.special.end();
  if (!bytes && !has_unknown) file.special.emplace_back(kUnknown);
  file.tokens = file.special;
  Counts counts = count_pieces(texts, options);
  if (counts.empty()) fail("[tokenizer] the texts hold nothing to make tokens of");
  for (const std::string& token : file.special) counts.erase(token);

  const Index vocabulary =
      options.vocabulary == 0 && bytes ? kDefaultBytePairs : options.vocabulary;  // 0: all
  const Index fixed = static_cast<Index>(file.tokens.size()) + (bytes ? 256 : 1);
  if (vocabulary > 0 && vocabulary < fixed) {
    fail("[tokenizer] a vocabulary of {} tokens, {} need {} at least", vocabulary,
         bytes ? "the bytes" : to_string(options.kind), fixed);
  }
  if (!bytes && (options.prefix_space || options.single_ideographs)) {
    fail("[tokenizer] a space in front and single ideographs are for byte pairs, not for {}",
         to_string(options.kind));
  }
  if (bytes) {
    const std::vector<std::string> alphabet = byte_characters();
    const std::size_t first = file.tokens.size();
    file.tokens.insert(file.tokens.end(), alphabet.begin(), alphabet.end());
    BytePairs pairs =
        train_byte_pairs(counts, std::move(file.tokens), first, vocabulary, options.min_count);
    file.tokens = std::move(pairs.tokens);
    file.merges = std::move(pairs.merges);
    return file.json();
  }
  const Index room = vocabulary == 0 ? -1 : vocabulary - static_cast<Index>(file.tokens.size());
  std::vector<std::string> kept = most_frequent(counts, room, options.min_count);
  if (options.kind == TokenizerKind::characters) std::sort(kept.begin(), kept.end());
  file.tokens.insert(file.tokens.end(), kept.begin(), kept.end());
  return file.json();
}

namespace {

// The file, if every word comes back as the one token that it is.
std::string json_that_knows(const TokenizerFile& file, const std::vector<std::string>& words) {
  check_special(file.tokens);
  std::string json = file.json();
  const Tokenizer tokenizer = Tokenizer::from_json(json);
  for (std::size_t id = 0; id < words.size(); ++id) {
    if (tokenizer.encode(words[id]).ids == std::vector<Index>{static_cast<Index>(id)}) continue;
    fail("[tokenizer] {} would not be read as one word", in_quotes(words[id]));
  }
  return json;
}

}  // namespace

std::string word_tokenizer(const std::vector<std::string>& words, bool single_digits) {
  TokenizerFile file;
  file.only_spaces = true;
  file.single_digits = single_digits;
  file.special = {kUnknown};
  file.tokens = words;
  file.tokens.emplace_back(kUnknown);
  return json_that_knows(file, words);
}

std::string segmenting_tokenizer(const std::vector<std::string>& words) {
  TokenizerFile file;
  file.only_spaces = true;
  file.unspaced = true;
  file.special = {kUnknown, kPad};
  file.tokens = words;
  file.tokens.insert(file.tokens.end(), file.special.begin(), file.special.end());
  return json_that_knows(file, words);
}

}  // namespace fovea
