// Words for messages about files. Everything below names its file by `where`, such as "[npy] q.npy".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fovea {

std::string grouped(std::uint64_t number);  // 1024 → "1,024"

// In double quotes, with escapes, cut after 80 bytes, always UTF-8: names in files are anybody's bytes.
std::string in_quotes(std::string_view text);

}  // namespace fovea
