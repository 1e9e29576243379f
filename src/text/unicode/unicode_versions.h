// Where the tables behind published tokenizers are older or newer than the Unicode of utf8proc. Token ids
// are compared with the library that made those files, so its tables count.
#pragma once

namespace fovea {

// Newer than the tables of BERT's normaliser (Unicode 8), which do not know them.
bool is_punctuation_since_9(char32_t c);
bool is_format_since_9(char32_t c);
bool is_accent_since_9(char32_t c);

// Newer than the tables of the normal forms (Unicode 9): with a decomposition, with a combining class.
bool is_decomposition_since_10(char32_t c);
bool is_ordered_mark_since_10(char32_t c);

// Newer than utf8proc 2.8 (Unicode 15), but known to the split patterns (Unicode 16).
bool is_letter_since_15_1(char32_t c);
bool is_number_since_16(char32_t c);

}  // namespace fovea
