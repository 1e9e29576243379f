// Post-processors of tokenizer.json: which special tokens go around one text or two.
#pragma once

#include <string>
#include <vector>

#include "fovea/shape.h"
#include "text/files/json_field.h"
#include "text/models/token_table.h"

namespace fovea {

// All post-processors come down to two lists of pieces.
struct TemplatePiece {
  enum class Kind { first, second, special };
  Kind kind = Kind::first;
  Index type_id = 0;
  std::vector<TokenId> ids = {};  // of a special piece
};
using Template = std::vector<TemplatePiece>;

struct PostProcessor {
  Template single = {{TemplatePiece::Kind::first, 0, {}}};
  Template pair = {{TemplatePiece::Kind::first, 0, {}}, {TemplatePiece::Kind::second, 1, {}}};
  bool trim_offsets = false;     // spaces of a token do not count as its place in the text
  bool add_prefix_space = true;  // the first one was added, and was never there

  const Template& pieces(bool is_pair) const { return is_pair ? pair : single; }
  Index special_count(bool is_pair) const;
};

PostProcessor make_bert_processor(TokenId cls, TokenId sep);
PostProcessor make_roberta_processor(TokenId cls, TokenId sep);

// null is the default. Ids are checked against the table.
PostProcessor read_post_processor(const JsonField& json, const TokenTable& tokens);

}  // namespace fovea
