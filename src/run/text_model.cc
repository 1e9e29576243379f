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

// Runs run.input, and moves what was captured into run.run.
void capture_run(const Model& model, const ReadOptions& options, Capture& capture, TextRun& run) {
  capture.model = model.name();
  const bool logits = options.output && !options.logits_at.empty();
  ModelOutput output = model.run(run.input, {&capture, logits, options.logits_at, options.intervention});
  run.run = Run(std::move(capture));
  if (options.output) run.output = std::move(output);
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

TextRun TextModel::read(const std::vector<std::string>& texts, const ReadOptions& options) const {
  const bool decodes = model_.config().is_encoder_decoder();
  if (!decodes || texts.empty() || texts.size() > 2) return run(encode(texts), nullptr, options);
  const Encoding encoding = encode({texts[0]});
  if (texts.size() == 1) {
    GenerationOptions generation;
    generation.max_tokens = kWrittenTokens;
    const TokenSequence own =
        written(options.write ? generate(model_, encoding.ids, generation).ids : std::vector<Index>());
    return run(encoding, &own, options);
  }
  const TokenSequence decoder = sequence_of(target(texts[1]));
  return run(encoding, &decoder, options);
}

// What a decoder reads that wrote these tokens: the one that starts it comes first.
TokenSequence TextModel::written(const std::vector<Index>& ids) const {
  const Index start = model_.config().decoder_start_id;
  TokenSequence decoder{{token(start)}, {start}, {}, {}, {}};
  for (const Index id : ids) {
    decoder.ids.push_back(id);
    decoder.tokens.push_back(token(id));
  }
  return decoder;
}

TextRun TextModel::read_generated(const Encoding& prompt, const std::vector<Index>& ids) const {
  if (model_.config().is_encoder_decoder()) {
    const TokenSequence decoder = written(ids);
    return run(prompt, &decoder, {});
  }
  Encoding whole = prompt;
  for (const Index id : ids) {
    whole.ids.push_back(id);
    whole.tokens.push_back(token(id));
    whole.bytes.push_back({});
    whole.type_ids.push_back(0);
    whole.text_ids.push_back(-1);
  }
  return run(whole, nullptr, {});
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
TextRun TextModel::run(const Encoding& encoding, const TokenSequence* decoder,
                       const ReadOptions& options) const {
  TextRun run{{}, {one_row(encoding.ids), {}, {}, {}}, encoding.cut, {}};
  Capture capture;
  capture.sequences = {sequence_of(encoding)};
  if (model_.config().family == ModelFamily::bert) run.input.segments = one_row(encoding.type_ids);
  if (decoder != nullptr) {
    capture.decoder_sequences = {*decoder};
    run.input.decoder_ids = one_row(decoder->ids);
  }
  capture_run(model_, options, capture, run);
  return run;
}

TextRun TextModel::read_again(const TextRun& run, const ReadOptions& options) const {
  TextRun again{{}, run.input, run.cut, {}};
  Capture capture;
  const bool decodes = model_.config().is_encoder_decoder();
  const AttentionKind kind =
      model_.config().has_encoder() ? AttentionKind::encoder : AttentionKind::decoder;
  capture.sequences = run.run.tokens(kind).queries;
  if (decodes) capture.decoder_sequences = run.run.tokens(AttentionKind::decoder).queries;
  capture_run(model_, options, capture, again);
  return again;
}

}  // namespace fovea
