// What a model reads of a text: what its vocabulary does not know, and what does not fit.
#pragma once

#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/json_writer.h"
#include "fovea/shape.h"

namespace fovea {

// A token that stands for text the vocabulary does not know: [UNK], <unk>. A person who types [UNK] gets
// the token by its name, and that is not unknown.
struct FOVEA_API UnknownToken {
  Index place = 0;      // among the tokens
  std::string written;  // what the text has there, as valid UTF-8
  bool operator==(const UnknownToken&) const = default;
};

// Tokens as people should see them: where one is unknown, what the text has there comes first (shortened
// where it is long), as in "小明 [UNK]".
FOVEA_API std::vector<std::string> token_labels(std::vector<std::string> tokens,
                                                const std::vector<UnknownToken>& unknown);

// Of one text, whole: also of what was cut off.
struct FOVEA_API TextReading {
  // As people count them: é is one however it is spelled, and so is a family of emoji. White space, control
  // and format characters are not counted.
  Index characters = 0;
  Index unknown_characters = 0;  // of these: without a token that stands for them
  // With the special tokens around the text: they belong to the text before them, the very first ones to
  // the first text. Read is what was not cut off; both are equal if nothing was.
  Index tokens = 0;
  Index tokens_read = 0;
  std::string unknown_token = {};  // what unknown characters are read as; "": they are left out
  bool operator==(const TextReading&) const = default;
};

// As a value: {"characters": 14, "unknown_characters": 9, "unknown_token": "[UNK]", "tokens": 16,
// "tokens_read": 16}, and [{"place": 1, "written": "小"}, ..].
FOVEA_API void write_json(JsonWriter& json, const TextReading& reading);
FOVEA_API void write_json(JsonWriter& json, const std::vector<TextReading>& readings);
FOVEA_API void write_json(JsonWriter& json, const std::vector<UnknownToken>& tokens);

}  // namespace fovea
