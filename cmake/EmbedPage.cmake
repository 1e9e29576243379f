# Writes OUTPUT, a C++ file with explorer::embedded_page(), from page.html and page.csp in PAGE_DIR. The bytes become
# numbers: no text of the page can end a literal, and compilers limit the length of those.
function(bytes_of file result)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," numbers "${hex}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" numbers
         "${numbers}")
  set(${result} "${numbers}" PARENT_SCOPE)
endfunction()

bytes_of(${PAGE_DIR}/page.html html)
bytes_of(${PAGE_DIR}/page.csp policy)
file(WRITE ${OUTPUT} "// Written by cmake/EmbedPage.cmake.
#include \"explorer/page.h\"

namespace fovea::explorer {
namespace {

const unsigned char kHtml[] = {
${html}};
const unsigned char kPolicy[] = {
${policy}};

template <unsigned long N>
std::string text_of(const unsigned char (&bytes)[N]) {
  std::string text(bytes, bytes + N);
  while (!text.empty() && text.back() == '\\n') text.pop_back();
  return text;
}

}  // namespace

Page embedded_page() { return {text_of(kHtml), text_of(kPolicy)}; }

}  // namespace fovea::explorer
")
