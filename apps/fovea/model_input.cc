#include "model_input.h"

#include <fmt/core.h>

#include "fovea/error.h"
#include "fovea/generation.h"
#include "model_store.h"
#include "output.h"

namespace fovea::command {
namespace {

Ids one_row(const std::vector<Index>& ids) { return Ids({1, static_cast<Index>(ids.size())}, ids); }

std::string token_of(const Tokenizer& tokenizer, Index id) {
  return tokenizer.id_to_token(id).value_or(fmt::format("<{}>", id));
}

// What the decoder reads: the token that starts it, then the text but for its last token, which is only
// written.
std::vector<Index> decoder_ids(const LoadedModel& loaded, const std::vector<Index>& encoder_ids,
                               const std::vector<std::string>& texts) {
  std::vector<Index> ids = {loaded.model.config().decoder_start_id};
  if (texts.size() == 2) {
    const Encoding target = encode_for(loaded, {texts[1]});
    ids.insert(ids.end(), target.ids.begin(), target.ids.end() - (target.ids.empty() ? 0 : 1));
    return ids;
  }
  GenerationOptions options;
  options.max_tokens = 63;
  const Generation written = generate(loaded.model, encoder_ids, options);
  ids.insert(ids.end(), written.ids.begin(), written.ids.end());
  return ids;
}

TokenSequence sequence_of(const Encoding& encoding) {
  TokenSequence sequence{encoding.tokens, encoding.ids, {}, {}, encoding.type_ids};
  for (const TextSpan& span : encoding.bytes) {
    sequence.begins.push_back(span.begin);
    sequence.ends.push_back(span.end);
  }
  return sequence;
}

// One sequence, and what the decoder of an encoder-decoder model reads.
Capture run_captured(const LoadedModel& loaded, const Encoding& encoding,
                     const std::vector<Index>& decoder_ids) {
  Capture capture;
  capture.model = loaded.model.name();
  capture.sequences = {sequence_of(encoding)};
  ModelInput input{one_row(encoding.ids), {}, {}, {}};
  if (loaded.model.config().family == ModelFamily::bert) input.segments = one_row(encoding.type_ids);
  if (!decoder_ids.empty()) {
    TokenSequence& read = capture.decoder_sequences.emplace_back();
    read.ids = decoder_ids;
    for (const Index id : decoder_ids) read.tokens.push_back(token_of(loaded.tokenizer, id));
    input.decoder_ids = one_row(decoder_ids);
  }
  static_cast<void>(loaded.model.run(input, {&capture, false}));
  return capture;
}

}  // namespace

void declare_model(OptionList& options, std::optional<std::string>& model) {
  options.path("--model", "M", model,
               {"a model: its folder, or a name of fovea model list",
                "模型：其文件夹，或 fovea model list 中的名称"});
}

LoadedModel load_named_model(const std::string& name_or_folder) {
  const std::string folder = model_folder(name_or_folder);
  return {load_model(folder), Tokenizer::load(folder)};
}

Encoding encode_for(const LoadedModel& loaded, const std::vector<std::string>& texts, Index room) {
  EncodeOptions options;
  options.max_length = loaded.model.config().max_tokens - room;
  Encoding encoding = texts.size() == 2 ? loaded.tokenizer.encode(texts[0], texts[1], options)
                                        : loaded.tokenizer.encode(texts.at(0), options);
  if (encoding.ids.empty()) throw Error("[model] the text has no tokens");
  if (encoding.cut > 0) {
    print_message(
        fmt::format("fovea: the text was cut to {} tokens, the length the model takes; {} are left out",
                    encoding.size(), encoding.cut));
  }
  return encoding;
}

Capture capture_texts(const LoadedModel& loaded, const std::vector<std::string>& texts) {
  if (loaded.model.config().family == ModelFamily::t5) {
    const Encoding encoding = encode_for(loaded, {texts.at(0)});
    return run_captured(loaded, encoding, decoder_ids(loaded, encoding.ids, texts));
  }
  return run_captured(loaded, encode_for(loaded, texts), {});
}

Capture capture_generation(const LoadedModel& loaded, const Encoding& prompt,
                           const std::vector<Index>& ids) {
  if (loaded.model.config().family == ModelFamily::t5) {
    std::vector<Index> written = {loaded.model.config().decoder_start_id};
    written.insert(written.end(), ids.begin(), ids.end());
    return run_captured(loaded, prompt, written);
  }
  Encoding whole = prompt;
  for (const Index id : ids) {
    whole.ids.push_back(id);
    whole.tokens.push_back(token_of(loaded.tokenizer, id));
    whole.bytes.push_back({});
    whole.type_ids.push_back(0);
  }
  return run_captured(loaded, whole, {});
}

}  // namespace fovea::command
