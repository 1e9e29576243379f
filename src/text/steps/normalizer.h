// Normalisers of tokenizer.json: what happens to a text before it is split.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/files/json_field.h"
#include "text/unicode/aligned_text.h"
#include "text/unicode/normal_form.h"

namespace fovea {

class Normalizer {
 public:
  virtual ~Normalizer() = default;
  virtual void apply(AlignedText& text) const = 0;
};

using Normalizers = std::vector<std::unique_ptr<Normalizer>>;  // one after the other

struct BertNormalizerOptions {
  bool clean_text = true;  // removes control characters, makes all white space spaces
  bool spaces_around_ideographs = true;
  bool strip_accents = true;
  bool lower_case = true;
};

std::unique_ptr<Normalizer> make_bert_normalizer(const BertNormalizerOptions& options);
std::unique_ptr<Normalizer> make_normal_form(NormalForm form);
std::unique_ptr<Normalizer> make_prepend(std::string_view text);  // before a text that is not empty
std::unique_ptr<Normalizer> make_replace(std::string pattern, std::string_view content);
std::unique_ptr<Normalizer> make_charsmap(std::string_view bytes, const std::string& where);

// Appends what tokenizer.json says; null is nothing. Throws Error for a type or setting it does not know.
void read_normalizers(const JsonField& json, Normalizers& normalizers);

}  // namespace fovea
