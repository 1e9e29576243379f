// The part "model" of tokenizer.json.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/files/json_field.h"
#include "text/models/byte_pair.h"
#include "text/models/token_model.h"

namespace fovea {

// Fills `tokens` with the model's vocabulary. `byte_level`: words are spelled in bytes, which BPE can do.
std::unique_ptr<TokenModel> read_model(const JsonField& json, bool byte_level, TokenTable& tokens);

// {"token": id, ..}
void read_vocabulary(const JsonField& json, TokenTable& tokens);

// The merge of two tokens; throws Error "<where>: .." if one of the three is not in the vocabulary.
MergeRule find_merge(std::string_view left, std::string_view right, const TokenTable& tokens,
                     const std::string& where);

}  // namespace fovea
