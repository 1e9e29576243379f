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
  TokenSequence sequence{encoding.tokens,  encoding.ids,  {}, {}, segments_of(encoding),
                         encoding.unknown, encoding.texts};
  for (const TextSpan& span : encoding.bytes) {
    sequence.begins.push_back(span.begin);
    sequence.ends.push_back(span.end);
  }
  return sequence;
}

}  // namespace

TextModel::TextModel(Model model, Tokenizer tokenizer)
    : model_(std::move(model)),
      tokenizer_(std::make_shared<const Tokenizer>(std::move(tokenizer))),
      target_(std::make_shared<const Tokenizer>(tokenizer_->target())) {}

TextModel TextModel::load(const std::string& folder) {
  Model model = load_model(folder);  // first: what is wrong with the weights is worth more
  return TextModel(std::move(model), Tokenizer::load(folder));
}

Encoding TextModel::encode(const std::vector<std::string>& texts, Index room) const {
  return encode(*tokenizer_, texts, room);
}

Encoding TextModel::encode(const Tokenizer& tokenizer, const std::vector<std::string>& texts,
                           Index room) const {
  if (texts.empty() || texts.size() > 2) {
    fail("[model] got {} texts, expected one, or two for a pair", texts.size());
  }
  EncodeOptions options;
  options.max_length = model_.config().max_tokens - room;
  Encoding encoding = texts.size() == 2 ? tokenizer.encode(texts[0], texts[1], options)
                                        : tokenizer.encode(texts[0], options);
  if (encoding.ids.empty()) fail("[model] the text has no tokens");
  return encoding;
}

TextRun TextModel::read(const std::vector<std::string>& texts) const {
  const bool decodes = model_.config().is_encoder_decoder();
  if (!decodes || texts.empty() || texts.size() > 2) return run(encode(texts), nullptr);
  const Encoding encoding = encode({texts[0]});
  if (texts.size() == 1) {
    GenerationOptions options;
    options.max_tokens = kWrittenTokens;
    return read_generated(encoding, generate(model_, encoding.ids, options).ids);
  }
  const TokenSequence decoder = sequence_of(target(texts[1]));
  return run(encoding, &decoder);
}

TextRun TextModel::read_generated(const Encoding& prompt, const std::vector<Index>& ids) const {
  if (model_.config().is_encoder_decoder()) {
    const Index start = model_.config().decoder_start_id;
    TokenSequence decoder{{token(start)}, {start}, {}, {}, {}};
    for (const Index id : ids) {
      decoder.ids.push_back(id);
      decoder.tokens.push_back(token(id));
    }
    return run(prompt, &decoder);
  }
  Encoding whole = prompt;
  for (const Index id : ids) {
    whole.ids.push_back(id);
    whole.tokens.push_back(token(id));
    whole.bytes.push_back({});
    whole.type_ids.push_back(0);
    whole.text_ids.push_back(-1);
  }
  return run(whole, nullptr);
}

// What the decoder reads: the token that starts it, then the text but for its last token, which is only
// written. A text that begins with that token, a space for instance, has its start already.
Encoding TextModel::target(const std::string& text) const {
  Encoding encoding = encode(*target_, {text}, 0);
  const auto shift = [](auto& list, auto first) {
    list.pop_back();
    list.insert(list.begin(), std::move(first));
  };
  const Index start = model_.config().decoder_start_id;
  if (encoding.ids.front() == start) {
    const auto begin = [](auto& list) { list.erase(list.begin()); };
    begin(encoding.ids), begin(encoding.tokens), begin(encoding.bytes), begin(encoding.text_ids);
    for (UnknownToken& token : encoding.unknown) --token.place;
    if (encoding.ids.empty()) fail("[model] the text has no tokens");
  }
  shift(encoding.ids, start);
  shift(encoding.tokens, token(start));
  shift(encoding.bytes, TextSpan{});
  shift(encoding.text_ids, Index{-1});
  for (UnknownToken& token : encoding.unknown) ++token.place;
  std::erase_if(encoding.unknown,
                [&](const UnknownToken& token) { return token.place == encoding.size(); });
  return encoding;
}

std::string TextModel::token(Index id) const {
  return target_->id_to_token(id).value_or(fmt::format("<{}>", id));
}

// One sequence, and what the decoder of an encoder-decoder model reads.
TextRun TextModel::run(const Encoding& encoding, const TokenSequence* decoder) const {
  TextRun run{{}, {one_row(encoding.ids), {}, {}, {}}, encoding.cut};
  Capture capture;
  capture.model = model_.name();
  capture.sequences = {sequence_of(encoding)};
  if (model_.config().family == ModelFamily::bert) run.input.segments = one_row(encoding.type_ids);
  if (decoder != nullptr) {
    capture.decoder_sequences = {*decoder};
    run.input.decoder_ids = one_row(decoder->ids);
  }
  static_cast<void>(model_.run(run.input, {&capture, false}));
  run.run = Run(std::move(capture));
  return run;
}

}  // namespace fovea
