#include "fovea/text_model.h"

#include <utility>

#include "core/fail.h"
#include "fovea/generation.h"

namespace fovea {
namespace {

constexpr Index kWrittenTokens = 63;  // that an encoder-decoder model writes by itself

Ids one_row(const std::vector<Index>& ids) { return Ids({1, static_cast<Index>(ids.size())}, ids); }

// By text, not by type: RoBERTa's tokens are all of one type. Special tokens belong to the text before
// them.
std::vector<Index> segments_of(const Encoding& encoding) {
  std::vector<Index> segments;
  for (const Index text : encoding.text_ids) {
    const Index before = segments.empty() ? 0 : segments.back();
    segments.push_back(text < 0 ? before : text);
  }
  return segments;
}

TokenSequence sequence_of(const Encoding& encoding) {
  TokenSequence sequence{encoding.tokens, encoding.ids, {}, {}, segments_of(encoding)};
  for (const TextSpan& span : encoding.bytes) {
    sequence.begins.push_back(span.begin);
    sequence.ends.push_back(span.end);
  }
  return sequence;
}

}  // namespace

TextModel::TextModel(Model model, Tokenizer tokenizer)
    : model_(std::move(model)), tokenizer_(std::make_shared<const Tokenizer>(std::move(tokenizer))) {}

TextModel TextModel::load(const std::string& folder) {
  Model model = load_model(folder);  // first: what is wrong with the weights is worth more
  return TextModel(std::move(model), Tokenizer::load(folder));
}

Encoding TextModel::encode(const std::vector<std::string>& texts, Index room) const {
  if (texts.empty() || texts.size() > 2) {
    fail("[model] got {} texts, expected one, or two for a pair", texts.size());
  }
  EncodeOptions options;
  options.max_length = model_.config().max_tokens - room;
  Encoding encoding = texts.size() == 2 ? tokenizer_->encode(texts[0], texts[1], options)
                                        : tokenizer_->encode(texts[0], options);
  if (encoding.ids.empty()) fail("[model] the text has no tokens");
  return encoding;
}

TextRun TextModel::read(const std::vector<std::string>& texts) const {
  if (model_.config().family != ModelFamily::t5 || texts.empty()) return run(encode(texts), {});
  const Encoding encoding = encode({texts[0]});
  return run(encoding, decoder_ids(encoding.ids, texts));
}

TextRun TextModel::read_generated(const Encoding& prompt, const std::vector<Index>& ids) const {
  if (model_.config().family == ModelFamily::t5) {
    std::vector<Index> written = {model_.config().decoder_start_id};
    written.insert(written.end(), ids.begin(), ids.end());
    return run(prompt, written);
  }
  Encoding whole = prompt;
  for (const Index id : ids) {
    whole.ids.push_back(id);
    whole.tokens.push_back(token(id));
    whole.bytes.push_back({});
    whole.type_ids.push_back(0);
    whole.text_ids.push_back(-1);
  }
  return run(whole, {});
}

// What the decoder reads: the token that starts it, then the text but for its last token, which is only
// written.
std::vector<Index> TextModel::decoder_ids(const std::vector<Index>& encoder_ids,
                                          const std::vector<std::string>& texts) const {
  std::vector<Index> ids = {model_.config().decoder_start_id};
  if (texts.size() == 2) {
    const Encoding target = encode({texts[1]});
    ids.insert(ids.end(), target.ids.begin(), target.ids.end() - 1);
    return ids;
  }
  GenerationOptions options;
  options.max_tokens = kWrittenTokens;
  const Generation written = generate(model_, encoder_ids, options);
  ids.insert(ids.end(), written.ids.begin(), written.ids.end());
  return ids;
}

std::string TextModel::token(Index id) const {
  return tokenizer_->id_to_token(id).value_or(fmt::format("<{}>", id));
}

// One sequence, and what the decoder of an encoder-decoder model reads.
TextRun TextModel::run(const Encoding& encoding, const std::vector<Index>& decoder_ids) const {
  TextRun run{{}, {one_row(encoding.ids), {}, {}, {}}, encoding.cut};
  run.capture.model = model_.name();
  run.capture.sequences = {sequence_of(encoding)};
  if (model_.config().family == ModelFamily::bert) run.input.segments = one_row(encoding.type_ids);
  if (!decoder_ids.empty()) {
    TokenSequence& read = run.capture.decoder_sequences.emplace_back();
    read.ids = decoder_ids;
    for (const Index id : decoder_ids) read.tokens.push_back(token(id));
    run.input.decoder_ids = one_row(decoder_ids);
  }
  static_cast<void>(model_.run(run.input, {&run.capture, false}));
  return run;
}

}  // namespace fovea
