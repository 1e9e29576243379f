// BERT's normaliser: clean, separate ideographs, strip accents, lower-case, in this order.
#include <algorithm>

#include "core/utf8.h"
#include "text/steps/normalizer.h"
#include "text/unicode/unicode.h"

namespace fovea {
namespace {

class BertNormalizer final : public Normalizer {
 public:
  explicit BertNormalizer(const BertNormalizerOptions& options) : options_(options) {
    for (char32_t c = 0; c < 128; ++c) {
      char32_t changed = options_.clean_text && is_white_space(c) ? U' ' : c;
      if (options_.lower_case) changed = lower_case(changed);
      ascii_[c] =
          options_.clean_text && is_bert_control(c) ? kRemoved : static_cast<unsigned char>(changed);
    }
  }

  void apply(AlignedText& text) const override {
    AlignedCharacters characters = text.characters();
    clean(characters);
    const bool beyond_ascii = std::any_of(characters.begin(), characters.end(),
                                          [](const AlignedCharacter& each) { return each.value >= 0x80; });
    if (beyond_ascii) {
      if (options_.spaces_around_ideographs) separate_ideographs(characters);
      if (options_.strip_accents) strip_accents(characters);
      if (options_.lower_case) make_lower_case(characters);
    }
    text.assign(characters);
  }

 private:
  static constexpr unsigned char kRemoved = 0xFF;

  // ASCII is finished by this step.
  void clean(AlignedCharacters& characters) const {
    std::size_t written = 0;
    for (AlignedCharacter each : characters) {
      if (each.value < 0x80) {
        if (ascii_[each.value] == kRemoved) continue;
        each.value = ascii_[each.value];
      } else if (options_.clean_text) {
        if (each.value == 0xFFFD || is_bert_control(each.value)) continue;
        if (is_white_space(each.value)) each.value = U' ';
      }
      characters[written++] = each;
    }
    characters.resize(written);
  }

  static void separate_ideographs(AlignedCharacters& characters) {
    const auto ideograph = [](const AlignedCharacter& each) { return is_bert_ideograph(each.value); };
    const auto count = std::count_if(characters.begin(), characters.end(), ideograph);
    if (count == 0) return;
    AlignedCharacters spaced;
    spaced.reserve(characters.size() + 2 * static_cast<std::size_t>(count));
    for (const AlignedCharacter& each : characters) {
      if (ideograph(each)) {
        spaced.insert(spaced.end(), {{U' ', each.origin}, each, {U' ', each.origin}});
      } else {
        spaced.push_back(each);
      }
    }
    characters.swap(spaced);
  }

  static void strip_accents(AlignedCharacters& characters) {
    characters = decomposed(characters, false);
    const auto accent = [](const AlignedCharacter& each) { return is_bert_accent(each.value); };
    characters.erase(std::remove_if(characters.begin(), characters.end(), accent), characters.end());
  }

  BertNormalizerOptions options_;
  unsigned char ascii_[128];
};

}  // namespace

std::unique_ptr<Normalizer> make_bert_normalizer(const BertNormalizerOptions& options) {
  return std::make_unique<BertNormalizer>(options);
}

}  // namespace fovea
