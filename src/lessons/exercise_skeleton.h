// What a program in C++ needs to read its inputs and to write its output.
#pragma once

#include <string_view>

namespace fovea {

extern const std::string_view kCppInputOutput;  // the text of exercise_io.h

}  // namespace fovea
