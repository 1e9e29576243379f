// The demonstrations behind `fovea demo`, and what they share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command.h"
#include "fovea/error.h"
#include "fovea/explain.h"

namespace fovea::command {

// Each prints one part; numbers are computed by the library as they are printed.
void demo_self_attention(const Context& context, int digits);
void demo_qkv(const Context& context, int digits);
void demo_causal(const Context& context, int digits);
void demo_multi_head(const Context& context, int digits);
void demo_cross(const Context& context, int digits);
void demo_masks(const Context& context, int digits);
void demo_scaling(const Context& context, int digits);
void demo_shapes(const Context& context, int digits);
void demo_words(const Context& context, int digits);
void demo_linear(const Context& context, int digits);
// In the terminal, and as PNG files in the folder if there is one.
void demo_visualize(const Context& context, const std::optional<std::string>& folder);
// What trained models find: the person behind a pronoun, words that belong together. Pictures as above.
void demo_finds(const Context& context, const std::optional<std::string>& folder);

// The account with only the steps of these names, under a heading.
void print_account(const Context& context, Account account, int digits,
                   const std::vector<std::string_view>& names = {});

// Runs the same q, k, v through the float32 engine and says how far it is from the account's doubles.
void print_engine_check(const Context& context, const Account& account, const Mask& mask = {});

// The message as the command would print it.
void print_error(const Context& context, const Error& error);

// "name   shape   sentence", for shapes that a computation really had.
struct ShapeLine {
  std::string name;
  Shape shape;
  Message sentence;
};
void print_shapes(const Context& context, const std::vector<ShapeLine>& lines);

}  // namespace fovea::command
