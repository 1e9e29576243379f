#include "output/output.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "fovea/error.h"

namespace fovea::command {
namespace {

[[noreturn]] void write_failed() {
  if (errno == EPIPE) throw ReaderGone{};
  throw Error(fmt::format("[output] cannot write to standard output: {}", std::strerror(errno)));
}

// Bytes of the UTF-8 character at the front of `text`; 0 if there is none: truncated, overlong, a surrogate
// or beyond U+10FFFF.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  if (first == 0xE0 && second < 0xA0) return 0;
  if (first == 0xED && second > 0x9F) return 0;
  if (first == 0xF0 && second < 0x90) return 0;
  if (first == 0xF4 && second > 0x8F) return 0;
  return length;
}

}  // namespace

void Output::print(std::string_view text) {
  if (text.empty()) return;
  if (gap_ && std::fputc('\n', stdout) == EOF) write_failed();
  gap_ = false;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) write_failed();
}

void Output::flush() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) write_failed();
}

void print_message(std::string_view text) noexcept {
  try {
    const std::string line = one_line(text) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
  } catch (const std::bad_alloc&) {
    std::fputs("fovea: out of memory\n", stderr);
  }
}

bool use_color(Color color) {
  if (color != Color::automatic) return color == Color::always;
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  if (no_color != nullptr && *no_color != '\0') return false;
  if (term != nullptr && std::strcmp(term, "dumb") == 0) return false;
  return isatty(STDOUT_FILENO) != 0;
}

TerminalColors terminal_colors(bool color) {
  if (!color) return TerminalColors::none;
  const char* value = std::getenv("COLORTERM");
  const std::string_view name = value == nullptr ? "" : value;
  return name == "truecolor" || name == "24bit" ? TerminalColors::full : TerminalColors::palette;
}

int output_width() {
  constexpr int kMin = 40, kMax = 100;
  winsize size = {};
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return kMax;
  }
  return std::clamp(static_cast<int>(size.ws_col), kMin, kMax);
}

void prepare_standard_streams() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit of ulimit -f is an Error, as a full disk is
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    // Takes the lowest free number, this one. Read-only, so that writing to it is an error, as it was.
    if (open("/dev/null", O_RDONLY) == -1) return;
  }
}

std::string one_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const std::size_t length = character_bytes(text);
    const auto first = static_cast<unsigned char>(text.front());
    const bool control = first < 0x20 || first == 0x7F ||
                         (length == 2 && first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0);
    if (length == 0 || (control && first != '\n' && first != '\t')) {
      line += fmt::format("\\x{:02x}", first);
      text.remove_prefix(1);
      continue;
    }
    if (control) {
      line += ' ';
    } else {
      line += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return line;
}

std::optional<std::size_t> invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = character_bytes(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

}  // namespace fovea::command
