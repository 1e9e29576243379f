// The tokens <0x00> to <0xFF>, by which some vocabularies spell what they do not know.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "text/models/token_table.h"

namespace fovea {

using ByteTokens = std::array<TokenId, 256>;  // kNoToken where one is missing

ByteTokens find_byte_tokens(const TokenTable& tokens);
bool has_all(const ByteTokens& tokens);

// The byte that a token such as <0x0A> stands for.
std::optional<unsigned char> byte_of_token(std::string_view token);

}  // namespace fovea
