#include "fovea/word_alignment.h"

#include <algorithm>
#include <filesystem>

#include "core/fail.h"
#include "core/utf8.h"
#include "io/json.h"
#include "io/messages.h"
#include "text/unicode/unicode.h"

namespace fovea {
namespace {

char32_t first_character(const std::string& word) { return decode_utf8(word, 0).value; }

char32_t last_character(const std::string& word) {
  char32_t last = 0;
  for (std::size_t at = 0; at < word.size();) last = next_code_point(word, at);
  return last;
}

// Marks of East Asia, 。「」！ for instance, which have their space in them.
bool is_wide_mark(char32_t c) {
  return (c >= 0x3000 && c <= 0x303F) || (c >= 0xFF01 && c <= 0xFF65) || c == 0x2026 || c == 0x2014;
}

bool is_mark(char32_t c) { return is_bert_punctuation(c) || is_wide_mark(c); }

bool joins(const std::string& before, const std::string& after) {
  const char32_t last = last_character(before), first = first_character(after);
  const auto is_wide = [](char32_t c) { return is_bert_ideograph(c) || is_wide_mark(c); };
  if (is_wide(last) || is_wide(first)) return true;
  // "you .", "do n't", "Tom 's"
  const std::string_view closing = ".,!?;:)]}%'\u2019";
  return (first < 0x80 && closing.find(static_cast<char>(first)) != std::string_view::npos) ||
         first == 0x2019 || after == "n't" || last == U'(';
}

// Of each token the word its last byte stands in; −1: none. (The first one may be a space.)
std::vector<Index> words_of_tokens(const TokenSequence& tokens, const std::vector<TextSpan>& words) {
  std::vector<Index> result;
  for (std::size_t i = 0; i < tokens.ids.size(); ++i) {
    const Index begin = tokens.begins[i], last = tokens.ends[i] - 1;
    const auto holds = [&](const TextSpan& word) {
      return begin <= last && word.begin <= last && last < word.end;
    };
    const auto found = std::find_if(words.begin(), words.end(), holds);
    result.push_back(found == words.end() ? -1 : found - words.begin());
  }
  return result;
}

// The mean of the chosen heads, [N, M].
Tensor mean_of_heads(const LayerView& layer, const std::vector<Index>& heads) {
  const Tensor all = layer.crop({0, layer.queries(), 0, layer.keys()});  // [1, H, N, M]
  const Index size = layer.queries() * layer.keys();
  Tensor mean({layer.queries(), layer.keys()});
  for (Index i = 0; i < size; ++i) {
    double sum = 0;
    for (const Index head : heads) sum += static_cast<double>(all.data()[head * size + i]);
    mean.data()[i] = static_cast<float>(sum / static_cast<double>(heads.size()));
  }
  return mean;
}

std::vector<Index> chosen_heads(const LayerView& layer, const AlignmentOptions& options) {
  std::vector<Index> heads = options.heads;
  for (Index head = 0; options.heads.empty() && head < layer.heads(); ++head) heads.push_back(head);
  for (const Index head : heads) {
    if (head < 0 || head >= layer.heads()) {
      fail("[align] head {}, expected 0 to {}", head, layer.heads() - 1);
    }
  }
  return heads;
}

const LayerView& chosen_layer(const Run& run, const AlignmentOptions& options) {
  const Index layers = run.layers(AttentionKind::cross);
  if (options.layer < -1 || options.layer >= layers) {
    fail("[align] layer {}, expected 0 to {}", options.layer, layers - 1);
  }
  return run.layer(AttentionKind::cross, options.layer < 0 ? layers - 1 : options.layer);
}

// tokens [N, M] → words [T, S], each row with the sum 1. Row n of the tokens reads token n of the target
// and predicts token n + 1.
Tensor weights_of_words(const Tensor& tokens, const std::vector<Index>& targets,
                        const std::vector<Index>& sources, const Shape& shape, AlignmentReading reading) {
  Tensor words(shape);
  const Index keys = tokens.shape()[1], width = shape[1];
  for (std::size_t n = 0; n < targets.size(); ++n) {
    const bool predicts = reading == AlignmentReading::predicting;
    if (targets[n] < 0 || (predicts && n == 0)) continue;
    const Index row = static_cast<Index>(n) - (predicts ? 1 : 0);
    for (Index m = 0; m < keys; ++m) {
      const Index source = sources[static_cast<std::size_t>(m)];
      if (source >= 0) words.data()[targets[n] * width + source] += tokens.data()[row * keys + m];
    }
  }
  for (Index t = 0; t < shape[0]; ++t) {
    float* row = words.data() + t * width;
    double sum = 0;
    for (Index s = 0; s < width; ++s) sum += static_cast<double>(row[s]);
    for (Index s = 0; sum > 0 && s < width; ++s)
      row[s] = static_cast<float>(static_cast<double>(row[s]) / sum);
  }
  return words;
}

void check_words(const char* side, const std::vector<std::string>& words) {
  if (words.empty()) fail("[align] the {} has no words", side);
  for (const std::string& word : words) {
    if (word.empty() || !is_utf8(word)) fail("[align] {} is no word of UTF-8", in_quotes(word));
  }
}

// The last word has a token, or the text was cut.
void check_whole(const char* side, const std::vector<Index>& tokens, std::size_t words, Index limit) {
  if (std::find(tokens.begin(), tokens.end(), static_cast<Index>(words) - 1) != tokens.end()) return;
  fail("[align] the {} of {} words does not fit: the model's limit is {} tokens", side, words, limit);
}

}  // namespace

AlignmentOptions load_alignment_options(const std::string& folder) {
  const std::string path = (std::filesystem::path(folder) / "config.json").string();
  const Json json = load_json(path);
  AlignmentOptions options;
  const auto find = [&](const char* name) -> const Json* {
    const auto found = json.find(name);
    return found == json.end() || found->is_null() ? nullptr : &*found;
  };
  const auto refuse = [&](const char* name, const char* expected) {
    fail("[align] {}: {} is not {}", path, in_quotes(name), expected);
  };
  if (!json.is_object()) fail("[align] {}: expected an object", path);
  if (const Json* layer = find("alignment_layer")) {
    if (!layer->is_number_integer()) refuse("alignment_layer", "the number of a layer");
    options.layer = layer->get<Index>();
  }
  if (const Json* heads = find("alignment_heads")) {
    if (!heads->is_array()) refuse("alignment_heads", "a list of heads");
    for (const Json& head : *heads) {
      if (!head.is_number_integer()) refuse("alignment_heads", "a list of heads");
      options.heads.push_back(head.get<Index>());
    }
  }
  if (const Json* threshold = find("alignment_threshold")) {
    if (!threshold->is_number()) refuse("alignment_threshold", "a number");
    options.threshold = threshold->get<double>();
  }
  if (const Json* reading = find("alignment_reading")) {
    const bool predicting = *reading == "predicting";
    if (!predicting && *reading != "reading") refuse("alignment_reading", "\"predicting\" or \"reading\"");
    options.reading = predicting ? AlignmentReading::predicting : AlignmentReading::reading;
  }
  return options;
}

WordAlignment align_words(const TextModel& model, const std::vector<std::string>& source,
                          const std::vector<std::string>& target, const AlignmentOptions& options) {
  const ModelConfig& config = model.model().config();
  if (!config.is_encoder_decoder()) {
    fail("[align] {} is a {} model: only an encoder with a decoder has cross-attention",
         model.model().name(), to_string(config.family));
  }
  if (!(options.threshold > 0 && options.threshold <= 1)) {
    fail("[align] a threshold of {}, expected a share: more than 0, at most 1", options.threshold);
  }
  check_words("source", source);
  check_words("target", target);
  const JoinedWords from = join_words(source), to = join_words(target);
  const TextRun read = model.read({from.text, to.text});
  const Run::Tokens& tokens = read.run.tokens(AttentionKind::cross);
  const std::vector<Index> sources = words_of_tokens(tokens.keys[0], from.words);
  const std::vector<Index> targets = words_of_tokens(tokens.queries[0], to.words);
  check_whole("source", sources, source.size(), config.max_tokens);
  check_whole("target", targets, target.size(), config.max_tokens);

  const LayerView& layer = chosen_layer(read.run, options);
  WordAlignment result = {source, target, {}, {}};
  result.weights = weights_of_words(mean_of_heads(layer, chosen_heads(layer, options)), targets, sources,
                                    {static_cast<Index>(target.size()), static_cast<Index>(source.size())},
                                    options.reading);
  for (Index s = 0; s < static_cast<Index>(source.size()); ++s) {
    for (Index t = 0; t < static_cast<Index>(target.size()); ++t) {
      if (static_cast<double>(result.weights(t, s)) >= options.threshold) result.links.push_back({s, t});
    }
  }
  return result;
}

std::string to_pharaoh(const std::vector<AlignmentLink>& links) {
  std::string text;
  for (const AlignmentLink& link : links) {
    text += fmt::format("{}{}-{}", text.empty() ? "" : " ", link.source, link.target);
  }
  return text;
}

std::vector<std::string> words_between_spaces(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = decode_utf8(text, at);
    const bool space = is_white_space(c.value);
    if (!space && !inside) words.emplace_back();
    if (!space) words.back() += text.substr(at, c.bytes);
    inside = !space;
    at += c.bytes;
  }
  return words;
}

std::vector<std::string> words_and_marks(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string& word : words_between_spaces(text)) {
    bool inside = false;
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t begin = at;
      const char32_t c = next_code_point(word, at);
      // An apostrophe or a hyphen between letters belongs to the word.
      const bool within = (c == U'\'' || c == U'-' || c == 0x2019) && inside && at < word.size() &&
                          is_letter(decode_utf8(word, at).value);
      const bool alone = is_bert_ideograph(c) || (is_mark(c) && !within);
      if (alone || !inside) words.emplace_back();
      words.back() += word.substr(begin, at - begin);
      inside = !alone;
    }
  }
  return words;
}

JoinedWords join_words(const std::vector<std::string>& words) {
  JoinedWords joined;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0 && !words[i].empty() && !words[i - 1].empty() && !joins(words[i - 1], words[i])) {
      joined.text += ' ';
    }
    const auto begin = static_cast<std::int32_t>(joined.text.size());
    joined.text += words[i];
    joined.words.push_back({begin, static_cast<std::int32_t>(joined.text.size())});
  }
  return joined;
}

}  // namespace fovea
