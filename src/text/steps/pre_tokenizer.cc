#include "text/steps/pre_tokenizer.h"

#include <algorithm>

#include "core/fail.h"
#include "core/utf8.h"
#include "io/messages.h"
#include "text/steps/replace_pattern.h"
#include "text/steps/split_pattern.h"
#include "text/steps/splitting.h"
#include "text/unicode/unicode.h"

namespace fovea {
namespace {

// Words between white space; each punctuation mark is a word.
class BertPreTokenizer final : public PreTokenizer {
 public:
  BertPreTokenizer() {
    for (char32_t c = 0; c < 128; ++c) ascii_[c] = kind_of(c);
  }

  void apply(SplitText& split) const override {
    cut_pieces(split, [&](std::string_view bytes, ByteSpan piece, std::vector<ByteSpan>& pieces) {
      std::uint32_t begin = piece.begin;
      for (std::size_t at = piece.begin; at < piece.end;) {
        const auto here = static_cast<std::uint32_t>(at);
        const auto byte = static_cast<unsigned char>(bytes[at]);
        const char32_t c = next_code_point(bytes, at);
        const Kind kind = byte < 0x80 ? ascii_[byte] : kind_of(c);
        if (kind == Kind::word) continue;
        if (begin < here) pieces.push_back({begin, here});
        begin = static_cast<std::uint32_t>(at);
        if (kind == Kind::punctuation) pieces.push_back({here, begin});
      }
      if (begin < piece.end) pieces.push_back({begin, piece.end});
    });
  }

 private:
  enum class Kind : std::uint8_t { word, space, punctuation };
  static Kind kind_of(char32_t c) {
    return is_white_space(c) ? Kind::space : is_bert_punctuation(c) ? Kind::punctuation : Kind::word;
  }
  Kind ascii_[128];
};

class WhiteSpaceSplit final : public PreTokenizer {
 public:
  void apply(SplitText& split) const override {
    split_at_characters(split, SplitBehavior::removed, is_white_space);
  }
};

// \w+|[^\w\s]+
class Whitespace final : public PreTokenizer {
 public:
  void apply(SplitText& split) const override {
    cut_pieces(split, [](std::string_view bytes, ByteSpan piece, std::vector<ByteSpan>& pieces) {
      enum class RunKind { space, word, symbol } last = RunKind::space;
      std::uint32_t begin = piece.begin;
      for (std::size_t at = piece.begin; at < piece.end;) {
        const auto here = static_cast<std::uint32_t>(at);
        const char32_t c = next_code_point(bytes, at);
        const RunKind kind = is_white_space(c)      ? RunKind::space
                             : is_word_character(c) ? RunKind::word
                                                    : RunKind::symbol;
        if (kind == last) continue;
        if (last != RunKind::space) pieces.push_back({begin, here});
        begin = here;
        last = kind;
      }
      if (last != RunKind::space) pieces.push_back({begin, piece.end});
    });
  }
};

template <typename Matches>
class CharacterSplit final : public PreTokenizer {
 public:
  CharacterSplit(Matches matches, SplitBehavior behavior) : matches_(matches), behavior_(behavior) {}
  void apply(SplitText& split) const override { split_at_characters(split, behavior_, matches_); }

 private:
  Matches matches_;
  SplitBehavior behavior_;
};

// Split at a known regular expression, all of whose matches are words.
class ScannerSplit final : public PreTokenizer {
 public:
  explicit ScannerSplit(SplitPattern next) : next_(next) {}
  void apply(SplitText& split) const override {
    cut_pieces(split, [&](std::string_view bytes, ByteSpan piece, std::vector<ByteSpan>& pieces) {
      const std::string_view text = bytes.substr(0, piece.end);
      for (std::uint32_t at = piece.begin; at < piece.end;) {
        const auto end = static_cast<std::uint32_t>(next_(text, at));
        pieces.push_back({at, end});
        at = end;
      }
    });
  }

 private:
  SplitPattern next_;
};

class PatternSplit final : public PreTokenizer {
 public:
  PatternSplit(ReplacePattern pattern, SplitBehavior behavior, bool invert)
      : pattern_(std::move(pattern)), behavior_(behavior), invert_(invert) {}
  void apply(SplitText& split) const override {
    std::vector<Stretch> stretches;
    cut_pieces(split, [&](std::string_view bytes, ByteSpan piece, std::vector<ByteSpan>& pieces) {
      stretches.clear();
      const std::string_view text = bytes.substr(0, piece.end);
      std::uint32_t at = piece.begin;
      while (const auto match = pattern_.find(text, at)) {
        const auto begin = static_cast<std::uint32_t>(match->begin),
                   end = static_cast<std::uint32_t>(match->end);
        if (at < begin) stretches.push_back({{at, begin}, invert_});
        stretches.push_back({{begin, end}, !invert_});
        at = end;
      }
      if (at < piece.end) stretches.push_back({{at, piece.end}, invert_});
      append_pieces(stretches, behavior_, pieces);
    });
  }

 private:
  ReplacePattern pattern_;
  SplitBehavior behavior_;
  bool invert_;
};

// Rewrites every piece, character by character, and what is between them is lost.
template <typename Rewrite>
void rewrite_pieces(SplitText& split, const Rewrite& rewrite) {
  const AlignedCharacters characters = split.text.characters();
  AlignedCharacters result;
  result.reserve(characters.size() + split.pieces.size());
  std::vector<std::size_t> sizes;  // of the pieces, in characters
  std::size_t i = 0, byte = 0;
  const std::string_view bytes = split.text.bytes();
  for (const ByteSpan& piece : split.pieces) {
    for (; byte < piece.begin; ++i) next_code_point(bytes, byte);
    const std::size_t first = i, before = result.size();
    for (; byte < piece.end; ++i) next_code_point(bytes, byte);
    rewrite(&characters[first], i - first, result);
    sizes.push_back(result.size() - before);
  }
  split.text.assign(result);
  std::size_t at = 0;
  const std::string_view text = split.text.bytes();
  for (std::size_t p = 0; p < sizes.size(); ++p) {
    split.pieces[p].begin = static_cast<std::uint32_t>(at);
    for (std::size_t n = 0; n < sizes[p]; ++n) next_code_point(text, at);
    split.pieces[p].end = static_cast<std::uint32_t>(at);
  }
}

// The first half of ByteLevel: a space before every piece that has none.
class FirstSpace final : public PreTokenizer {
 public:
  void apply(SplitText& split) const override {
    const std::string_view bytes = split.text.bytes();
    const bool all_have_it = std::all_of(split.pieces.begin(), split.pieces.end(),
                                         [&](const ByteSpan& piece) { return bytes[piece.begin] == ' '; });
    if (all_have_it) return;
    rewrite_pieces(split, [](const AlignedCharacter* piece, std::size_t size, AlignedCharacters& out) {
      if (piece[0].value != U' ') out.push_back({U' ', piece[0].origin});
      out.insert(out.end(), piece, piece + size);
    });
  }
};

// Spaces become visible (▁), one is put before the text, and every ▁ begins a word.
class Metaspace final : public PreTokenizer {
 public:
  Metaspace(char32_t replacement, PrependScheme scheme) : replacement_(replacement), scheme_(scheme) {}
  void apply(SplitText& split) const override {
    rewrite_pieces(split, [&](const AlignedCharacter* piece, std::size_t size, AlignedCharacters& out) {
      const bool has_it = scheme_ != PrependScheme::every_word &&
                          (piece[0].value == U' ' || piece[0].value == replacement_);
      const bool wanted = scheme_ == PrependScheme::always || scheme_ == PrependScheme::every_word ||
                          (scheme_ == PrependScheme::first && piece[0].origin.begin == 0);
      if (wanted && !has_it) out.push_back({replacement_, piece[0].origin});
      for (std::size_t i = 0; i < size; ++i) {
        out.push_back({piece[i].value == U' ' ? replacement_ : piece[i].value, piece[i].origin});
      }
    });
  }

 private:
  char32_t replacement_;
  PrependScheme scheme_;
};

template <typename Matches>
std::unique_ptr<PreTokenizer> make_character_split(Matches matches, SplitBehavior behavior) {
  return std::make_unique<CharacterSplit<Matches>>(matches, behavior);
}

std::unique_ptr<PreTokenizer> read_split(const JsonField& json) {
  const SplitBehavior behavior = read_split_behavior(json["behavior"]);
  const bool invert = json.flag_or("invert", false);
  const JsonField pattern = json["pattern"];
  if (pattern.has("Regex")) {
    const std::string& regex = pattern["Regex"].text();
    const auto scanner = find_split_pattern(regex);
    // With matches everywhere there is nothing between them to remove, to merge or to invert.
    if (scanner &&
        (behavior == SplitBehavior::isolated || (behavior == SplitBehavior::removed && invert))) {
      return std::make_unique<ScannerSplit>(*scanner);
    }
    if (scanner) fail("{}: this behavior is not supported with this pattern; Isolated is", json.where());
  }
  return std::make_unique<PatternSplit>(ReplacePattern::read(pattern), behavior, invert);
}

PrependScheme read_prepend_scheme(const JsonField& json) {
  const std::string scheme = json.text_or("prepend_scheme", "always");
  if (!json.flag_or("add_prefix_space", true) || scheme == "never") return PrependScheme::never;
  if (scheme == "first") return PrependScheme::first;
  if (scheme == "always") return PrependScheme::always;
  fail("{}.prepend_scheme: got {}, expected never, first or always", json.where(), in_quotes(scheme));
}

}  // namespace

std::unique_ptr<PreTokenizer> make_bert_pre_tokenizer() { return std::make_unique<BertPreTokenizer>(); }
std::unique_ptr<PreTokenizer> make_space_split() {
  const auto is_space = [](char32_t c) { return c == U' '; };
  return std::make_unique<CharacterSplit<decltype(is_space)>>(is_space, SplitBehavior::removed);
}
std::unique_ptr<PreTokenizer> make_white_space_split() { return std::make_unique<WhiteSpaceSplit>(); }

void add_byte_level(PreTokenizers& pre_tokenizers, bool add_prefix_space, bool split) {
  if (add_prefix_space) pre_tokenizers.push_back(std::make_unique<FirstSpace>());
  if (split) pre_tokenizers.push_back(std::make_unique<ScannerSplit>(next_gpt2_word));
}

void add_metaspace(PreTokenizers& pre_tokenizers, char32_t replacement, PrependScheme scheme, bool split) {
  pre_tokenizers.push_back(std::make_unique<Metaspace>(replacement, scheme));
  if (!split) return;
  const auto is_replacement = [replacement](char32_t c) { return c == replacement; };
  pre_tokenizers.push_back(make_character_split(is_replacement, SplitBehavior::merged_with_next));
}

void read_pre_tokenizers(const JsonField& json, PreTokenizers& pre_tokenizers, bool& byte_level) {
  if (json.is_null()) return;
  const std::string type = json.type();
  if (byte_level)
    fail("{}: {} comes after ByteLevel, which must be the last one", json.where(), in_quotes(type));
  const auto add = [&](std::unique_ptr<PreTokenizer> one) { pre_tokenizers.push_back(std::move(one)); };
  if (type == "Sequence") {
    const JsonField list = json["pretokenizers"];
    for (std::size_t i = 0; i < list.size(); ++i)
      read_pre_tokenizers(list.at(i), pre_tokenizers, byte_level);
  } else if (type == "BertPreTokenizer") {
    add(make_bert_pre_tokenizer());
  } else if (type == "ByteLevel") {
    add_byte_level(pre_tokenizers, json.flag_or("add_prefix_space", true), json.flag_or("use_regex", true));
    byte_level = true;
  } else if (type == "Metaspace") {
    add_metaspace(pre_tokenizers, json["replacement"].character(), read_prepend_scheme(json),
                  json.flag_or("split", true));
  } else if (type == "Whitespace") {
    add(std::make_unique<Whitespace>());
  } else if (type == "WhitespaceSplit") {
    add(make_white_space_split());
  } else if (type == "Split") {
    add(read_split(json));
  } else if (type == "Digits") {
    const bool single = json.flag_or("individual_digits", false);
    add(make_character_split(is_number, single ? SplitBehavior::isolated : SplitBehavior::contiguous));
  } else if (type == "Punctuation") {
    const auto behavior =
        json.has("behavior") ? read_split_behavior(json["behavior"]) : SplitBehavior::isolated;
    add(make_character_split(is_bert_punctuation, behavior));
  } else {
    json.unknown_type(
        "Sequence, BertPreTokenizer, ByteLevel, Metaspace, Whitespace, WhitespaceSplit, Split, Digits, "
        "Punctuation");
  }
}

}  // namespace fovea
