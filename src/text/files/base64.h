// Base64, as in the character maps of tokenizer.json.
#pragma once

#include <string>
#include <string_view>

namespace fovea {

std::string decode_base64(std::string_view text,
                          const std::string& where);  // Error "<where>: .." if it is not

}  // namespace fovea
