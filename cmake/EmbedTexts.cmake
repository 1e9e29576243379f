# Writes OUTPUT, a C++ file with fovea::embedded_texts(), from every .md file below FOLDER. The bytes become numbers: no
# text can end a literal, and compilers limit the length of those.
file(GLOB_RECURSE files RELATIVE ${FOLDER} ${FOLDER}/*.md)
list(SORT files)
set(arrays "")
set(entries "")
set(number 0)
foreach(file IN LISTS files)
  file(READ ${FOLDER}/${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "const unsigned char kText${number}[] = {${bytes}0};\n")
  string(APPEND entries "      {\"${file}\", text_of(kText${number})},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Written by cmake/EmbedTexts.cmake.
#include \"lessons/embedded_texts.h\"

namespace fovea {
namespace {

${arrays}
// Without the 0 that keeps an empty file from being an empty array.
template <unsigned long N>
std::string_view text_of(const unsigned char (&bytes)[N]) {
  return {reinterpret_cast<const char*>(bytes), N - 1};
}

}  // namespace

const std::vector<EmbeddedText>& embedded_texts() {
  static const std::vector<EmbeddedText> kTexts = {
${entries}  };
  return kTexts;
}

}  // namespace fovea
")
