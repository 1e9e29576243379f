// tokenizer.json, as the library `tokenizers` writes it.
#include "core/fail.h"
#include "io/json.h"
#include "io/messages.h"
#include "text/files/model_json.h"
#include "text/steps/tokenizer_parts.h"

namespace fovea {

TokenizerParts read_tokenizer_json(std::string_view json, const std::string& where) {
  const Json document = parse_json(json, where);
  const auto part = [&](const char* name) {
    const JsonField field = JsonField(document, where).or_null(name);
    return JsonField(field.value(), fmt::format("{}: {}", where, name));
  };
  const JsonField version = part("version");
  if (!version.is_null() && version.text() != "1.0") {
    fail("{}: unknown version {}; supported: 1.0", where, in_quotes(version.text()));
  }
  TokenizerParts parts;
  bool byte_level = false;
  read_normalizers(part("normalizer"), parts.normalizers);
  read_pre_tokenizers(part("pre_tokenizer"), parts.pre_tokenizers, byte_level);
  parts.model = read_model(part("model"), byte_level, parts.tokens);
  set_added_tokens(parts, read_added_tokens(part("added_tokens"), parts.tokens));
  parts.post_processor = read_post_processor(part("post_processor"), parts.tokens);
  read_decoders(part("decoder"), parts.decoders);
  return parts;
}

}  // namespace fovea
