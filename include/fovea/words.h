// Small word vectors: enough to let sentences attend to themselves.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/api.h"
#include "fovea/matrix.h"

namespace fovea {

// A sentence as a matrix: one row per token.
struct FOVEA_API EmbeddedSentence {
  std::vector<std::string> tokens;
  Matrix x;  // [N, E]
};

class FOVEA_API WordVectors {
 public:
  WordVectors() = default;       // no words; the first one added sets the width
  static WordVectors builtin();  // 我 喜欢 学习 AI 技术 编程 很 有趣 深度 是 未来, width 4

  // A JSON object {"word": [1, 0.5], ..}, or lines "word 1 0.5 ..", where # starts a comment line. Throws
  // Error with file and line for what is wrong: no number, NaN, another width, a word twice.
  static WordVectors load(const std::string& path);
  static WordVectors parse(std::string_view text, std::string_view name);  // the same, from memory

  // Throws Error for an empty word or one with white space in it, a word that is there already, another
  // width, a value that is not finite.
  void add(std::string word, std::vector<double> vector);

  Index size() const { return static_cast<Index>(words_.size()); }
  Index width() const { return width_; }                            // 0 while empty
  const std::vector<std::string>& words() const { return words_; }  // in the order of adding
  bool contains(std::string_view word) const;
  const std::vector<double>& vector(std::string_view word) const;  // throws Error if unknown

  // Splits on white space (the ideographic space U+3000 included). Throws Error if there is no word, or
  // words are unknown: all of them are named, and the known ones too; nothing is computed.
  EmbeddedSentence embed(std::string_view sentence) const;

 private:
  Index width_ = 0;
  std::vector<std::string> words_;
  std::map<std::string, std::vector<double>, std::less<>> vectors_;
};

// The tutorial's sentences for the builtin vocabulary, and the one that fails: 的 is not in it.
FOVEA_API std::vector<std::string> word_sentences();
FOVEA_API std::string unknown_word_sentence();

}  // namespace fovea
