// Standard output, its colours and its width; standard error.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fovea/terminal_picture.h"

namespace fovea::command {

// The reader of a pipe has gone (fovea demo all | head -1): nothing is left to do.
struct ReaderGone {};

// Standard output, checked: a write that fails throws Error (or ReaderGone), it is never lost in silence.
class Output {
 public:
  void print(std::string_view text);
  void gap() { gap_ = true; }  // an empty line before what follows, none at the very end
  void flush();

 private:
  bool gap_ = false;
};

// A line on standard error, made printable by one_line(). A message that cannot be delivered (the stream is
// closed, its disk is full) is lost: the exit code still tells what happened.
void print_message(std::string_view text) noexcept;

enum class Color { automatic, always, never };
bool use_color(Color color);  // automatic: on a terminal, unless NO_COLOR is set or TERM is dumb

// What the terminal can show, if there is to be colour at all: 24 bits if COLORTERM says so, else 256.
TerminalColors terminal_colors(bool color);

// The terminal's columns, between 40 and 100: longer lines are hard to read. 100 for files and pipes.
int output_width();

// Keeps files that are opened later from becoming standard output if the caller closed that one; and lets
// writes to a pipe without a reader fail instead of ending the process.
void prepare_standard_streams();

// One line of printable UTF-8: control characters and invalid bytes become \xNN. Names of files and arrays
// are foreign data; in a message they must neither break the line nor command the terminal.
std::string one_line(std::string_view text);

// The position of the first byte that is not part of valid UTF-8.
std::optional<std::size_t> invalid_utf8(std::string_view text);

}  // namespace fovea::command
