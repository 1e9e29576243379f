// The regular expressions by which published byte-level tokenizers split a text, as hand-written scanners.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace fovea {

// Every character belongs to a match, so that a pattern is a function from the beginning of a match to its
// end; at < text.size(), and the text is valid UTF-8.
using SplitPattern = std::size_t (*)(std::string_view text, std::size_t at);

// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::size_t next_gpt2_word(std::string_view text, std::size_t at);

// The scanner for the exact text of a regular expression: GPT-2, Llama 3, Qwen2. Nothing if it is another.
std::optional<SplitPattern> find_split_pattern(std::string_view regex);

}  // namespace fovea
