// What kind of token a text is, judged by its form: no vocabulary is at hand.
#pragma once

#include <string_view>

namespace fovea {

// Between brackets as tokenizers write them: [CLS], [PAD], <s>, </s>, <pad>, <|endoftext|>, <extra_id_0>.
// Bytes (<0x0A>) and lone brackets are not, nor are unknown tokens: they stand for words of the text.
bool is_special_token(std::string_view token);

// What tokenizers write for text that they do not know: [UNK], <unk>, <|unk|>.
bool is_unknown_token(std::string_view token);

// The special tokens between sentences or turns: a block begins with the one ([CLS], <s>, <|im_start|>),
// ends with the other ([SEP], </s>, <|endoftext|>).
bool begins_block(std::string_view token);
bool ends_block(std::string_view token);

// Only punctuation, after the marks of a tokenizer (##, Ġ, ▁): ".", "##,", "Ġ(", "。", "……". ASCII
// symbols ($, +, =) count, as they do for BERT.
bool is_punctuation_token(std::string_view token);

}  // namespace fovea
