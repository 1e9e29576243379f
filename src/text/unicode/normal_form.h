// The four Unicode normal forms, with alignment.
#pragma once

#include "text/unicode/aligned_text.h"

namespace fovea {

struct NormalForm {
  bool compose = false;        // C or D
  bool compatibility = false;  // K
};

void apply_normal_form(AlignedText& text, NormalForm form);

AlignedCharacters decomposed(const AlignedCharacters& characters, bool compatibility);

}  // namespace fovea
