// Tokens and texts in a form that can be drawn on one line and read.
#pragma once

#include <string>
#include <string_view>

namespace fovea {

// Newline ↵, tab ⇥, other control characters and bytes that are no UTF-8 \xNN, characters that turn or hide
// text (direction marks, zero-width spaces) as U+200B. The rest stays.
std::string readable_text(std::string_view text);

// The same for a token: spaces at its ends, and the marks that stand for them in vocabularies (Ġ, ▁), as ␣;
// the marks of newline and tab in byte-level vocabularies (Ċ, ĉ) as ↵ and ⇥, and what they write as bytes
// as letters (ä½ł is 你); the empty token as "".
std::string readable_token(std::string_view token);

}  // namespace fovea
