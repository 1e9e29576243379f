#include "text/steps/normalizer.h"

#include <algorithm>

#include "core/fail.h"
#include "core/utf8.h"
#include "fovea/base64.h"
#include "text/steps/replace_pattern.h"
#include "text/unicode/unicode.h"

namespace fovea {
namespace {

AlignedCharacters characters_of(std::string_view text) { return AlignedText(text, 0).characters(); }

class NormalFormNormalizer final : public Normalizer {
 public:
  explicit NormalFormNormalizer(NormalForm form) : form_(form) {}
  void apply(AlignedText& text) const override { apply_normal_form(text, form_); }

 private:
  NormalForm form_;
};

class Lowercase final : public Normalizer {
 public:
  void apply(AlignedText& text) const override {
    AlignedCharacters characters = text.characters();
    make_lower_case(characters);
    text.assign(characters);
  }
};

// Removes the characters for which `keep` is false, and maps the others.
template <typename Keep, typename Map>
void filter(AlignedText& text, const Keep& keep, const Map& map) {
  AlignedCharacters characters = text.characters();
  std::size_t written = 0;
  for (const AlignedCharacter& each : characters) {
    if (keep(each.value)) characters[written++] = {map(each.value), each.origin};
  }
  characters.resize(written);
  text.assign(characters);
}

class StripAccents final : public Normalizer {
 public:
  void apply(AlignedText& text) const override {
    filter(
        text, [](char32_t c) { return !is_combining_mark(c); }, [](char32_t c) { return c; });
  }
};

// The clean-up of neural machine translation, as SentencePiece does it.
class Nmt final : public Normalizer {
 public:
  void apply(AlignedText& text) const override {
    const auto keep = [](char32_t c) {
      const bool control = (c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F);
      return !control && c != 0x7F && c != 0x8F && c != 0x9F;
    };
    const auto map = [](char32_t c) {
      const bool space = c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 ||
                         (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 ||
                         c == 0xFEFF || c == 0xFFFD;
      return space ? U' ' : c;
    };
    filter(text, keep, map);
  }
};

class Strip final : public Normalizer {
 public:
  Strip(bool left, bool right) : left_(left), right_(right) {}
  void apply(AlignedText& text) const override {
    AlignedCharacters characters = text.characters();
    const auto kept = [](const AlignedCharacter& each) { return !is_white_space(each.value); };
    const std::size_t size = characters.size();
    if (right_) {
      characters.erase(std::find_if(characters.rbegin(), characters.rend(), kept).base(), characters.end());
    }
    if (left_) {
      characters.erase(characters.begin(), std::find_if(characters.begin(), characters.end(), kept));
    }
    if (characters.size() != size) text.assign(characters);
  }

 private:
  bool left_, right_;
};

class Prepend final : public Normalizer {
 public:
  explicit Prepend(std::string_view text) : text_(characters_of(text)) {}
  void apply(AlignedText& text) const override {
    if (text.empty() || text_.empty()) return;
    AlignedCharacters characters = text.characters();
    text.check_growth(characters.size() + text_.size());
    AlignedCharacters whole = text_;
    for (AlignedCharacter& each : whole) each.origin = characters.front().origin;
    whole.insert(whole.end(), characters.begin(), characters.end());
    text.assign(whole);
  }

 private:
  AlignedCharacters text_;
};

class Replace final : public Normalizer {
 public:
  Replace(ReplacePattern pattern, std::string_view content)
      : pattern_(std::move(pattern)), content_(characters_of(content)) {}

  // What is put in comes from the last character that was taken out.
  void apply(AlignedText& text) const override {
    const std::string_view bytes = text.bytes();
    std::optional<ReplacePattern::Match> match = pattern_.find(bytes, 0);
    if (!match) return;
    const AlignedCharacters characters = text.characters();
    AlignedCharacters result;
    result.reserve(characters.size());
    std::size_t at = 0;  // in bytes
    for (std::size_t i = 0; i < characters.size();) {
      if (!match || at < match->begin) {
        result.push_back(characters[i++]);
        next_code_point(bytes, at);
        continue;
      }
      for (; at < match->end; ++i) next_code_point(bytes, at);
      text.check_growth(result.size() + content_.size());
      for (const AlignedCharacter& each : content_)
        result.push_back({each.value, characters[i - 1].origin});
      match = pattern_.find(bytes, at);
    }
    text.assign(result);
  }

 private:
  ReplacePattern pattern_;
  AlignedCharacters content_;
};

}  // namespace

std::unique_ptr<Normalizer> make_normal_form(NormalForm form) {
  return std::make_unique<NormalFormNormalizer>(form);
}

std::unique_ptr<Normalizer> make_prepend(std::string_view text) { return std::make_unique<Prepend>(text); }

std::unique_ptr<Normalizer> make_replace(std::string pattern, std::string_view content) {
  return std::make_unique<Replace>(ReplacePattern(std::move(pattern)), content);
}

void read_normalizers(const JsonField& json, Normalizers& normalizers) {
  if (json.is_null()) return;
  const auto add = [&](std::unique_ptr<Normalizer> one) { normalizers.push_back(std::move(one)); };
  const std::string type = json.type();
  if (type == "Sequence") {
    const JsonField list = json["normalizers"];
    for (std::size_t i = 0; i < list.size(); ++i) read_normalizers(list.at(i), normalizers);
  } else if (type == "BertNormalizer") {
    const bool lower = json.flag_or("lowercase", true);
    add(make_bert_normalizer({.clean_text = json.flag_or("clean_text", true),
                              .spaces_around_ideographs = json.flag_or("handle_chinese_chars", true),
                              .strip_accents = json.flag_or("strip_accents", lower),
                              .lower_case = lower}));
  } else if (type == "NFC" || type == "NFD" || type == "NFKC" || type == "NFKD") {
    add(make_normal_form({.compose = type.back() == 'C', .compatibility = type.size() == 4}));
  } else if (type == "Lowercase") {
    add(std::make_unique<Lowercase>());
  } else if (type == "StripAccents") {
    add(std::make_unique<StripAccents>());
  } else if (type == "Strip") {
    add(std::make_unique<Strip>(json.flag_or("strip_left", true), json.flag_or("strip_right", true)));
  } else if (type == "Nmt") {
    add(std::make_unique<Nmt>());
  } else if (type == "Prepend") {
    add(make_prepend(json["prepend"].text()));
  } else if (type == "Replace") {
    add(std::make_unique<Replace>(ReplacePattern::read(json["pattern"]), json["content"].text()));
  } else if (type == "Precompiled") {
    const JsonField map = json.or_null("precompiled_charsmap");
    if (!map.is_null()) add(make_charsmap(from_base64(map.text(), map.where()), map.where()));
  } else {
    json.unknown_type(
        "Sequence, BertNormalizer, NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Nmt, Prepend, "
        "Replace, "
        "Precompiled");
  }
}

}  // namespace fovea
