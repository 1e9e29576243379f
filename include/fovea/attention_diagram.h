// Diagrams of one attention, with the shapes and numbers of the call that the account (explain.h) is of.
#pragma once

#include <optional>
#include <string>

#include "fovea/api.h"
#include "fovea/explain.h"
#include "fovea/figure.h"
#include "fovea/language.h"

namespace fovea {

struct FOVEA_API DiagramOptions {
  std::optional<std::string> title = {};  // default: the account's; "" is left out
  Index query = 0;                        // of query_key_value_diagram
  int head = 0;                           // of the diagrams that show one head
  int digits = 2;                         // decimals, 0 .. 6
  Theme theme = Theme::light;
  Language language = Language::english;
};

// X → Q, K, V → scores → scaled → (mask) → weights → output: a flow chart with every matrix.
FOVEA_API Figure flow_diagram(const Account& account, const DiagramOptions& options = {});

// How one query meets all keys and collects their values: q·k, softmax, the weighted sum.
FOVEA_API Figure query_key_value_diagram(const Account& account, const DiagramOptions& options = {});

// The sentence once per word: arcs from the word to all others, as wide as the weights, with weights and
// scaled scores. At most 12 queries and 16 keys; throws Error beyond that.
FOVEA_API Figure word_scores_diagram(const Account& account, const DiagramOptions& options = {});

// Split into heads, attention of each head, concatenation, W_o. Throws Error for an account of one head.
FOVEA_API Figure multi_head_diagram(const Account& account, const DiagramOptions& options = {});

}  // namespace fovea
