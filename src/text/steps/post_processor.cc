#include "text/steps/post_processor.h"

#include "core/fail.h"
#include "io/messages.h"

namespace fovea {
namespace {

using Kind = TemplatePiece::Kind;

TokenId read_id(const JsonField& json, const TokenTable& tokens) {
  const auto id = static_cast<TokenId>(json.integer(0, INT32_MAX));
  if (!tokens.contains(id)) fail("{}: there is no token with the id {}", json.where(), id);
  return id;
}

// ["[SEP]", 102]
TokenId read_named_id(const JsonField& json, const TokenTable& tokens) {
  if (json.size() != 2) fail("{}: expected a token and its id", json.where());
  return read_id(json.at(1), tokens);
}

// Published templates add up to four tokens and take each text once.
constexpr std::size_t kMostSpecials = 1024, kMostTexts = 4;

Template read_template(const JsonField& json, const JsonField& specials, const TokenTable& tokens,
                       bool is_pair) {
  Template pieces;
  std::size_t texts = 0, added = 0;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const JsonField each = json.at(i);
    TemplatePiece piece;
    const bool sequence = each.has("Sequence");
    const JsonField content = each[sequence ? "Sequence" : "SpecialToken"];
    piece.type_id = content["type_id"].integer(0, INT32_MAX);
    const std::string& name = content["id"].text();
    if (sequence) {
      if (name != "A" && (name != "B" || !is_pair)) {
        fail("{}.id: got {}, expected {}", content.where(), in_quotes(name), is_pair ? "A or B" : "A");
      }
      piece.kind = name == "A" ? Kind::first : Kind::second;
      if (++texts > kMostTexts) {
        fail("{}: it repeats the texts more than {} times, the limit", json.where(), kMostTexts);
      }
    } else {
      piece.kind = Kind::special;
      const JsonField ids = specials[name.c_str()]["ids"];
      added += ids.size();
      if (added > kMostSpecials) {
        fail("{}: it adds more than {} special tokens, the limit", json.where(), grouped(kMostSpecials));
      }
      for (std::size_t k = 0; k < ids.size(); ++k) piece.ids.push_back(read_id(ids.at(k), tokens));
    }
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

void read_into(const JsonField& json, const TokenTable& tokens, PostProcessor& processor,
               bool& has_template) {
  const std::string type = json.type();
  const auto take = [&](PostProcessor other) {
    if (has_template) fail("{}: got two templates, expected one", json.where());
    has_template = true;
    processor.single = std::move(other.single);
    processor.pair = std::move(other.pair);
  };
  if (type == "Sequence") {
    const JsonField list = json["processors"];
    for (std::size_t i = 0; i < list.size(); ++i) read_into(list.at(i), tokens, processor, has_template);
  } else if (type == "TemplateProcessing") {
    const JsonField specials = json["special_tokens"];
    PostProcessor other;
    other.single = read_template(json["single"], specials, tokens, false);
    other.pair = read_template(json["pair"], specials, tokens, true);
    take(std::move(other));
  } else if (type == "BertProcessing") {
    const TokenId cls = read_named_id(json["cls"], tokens);
    take(make_bert_processor(cls, read_named_id(json["sep"], tokens)));
  } else if (type == "RobertaProcessing") {
    const TokenId cls = read_named_id(json["cls"], tokens);
    take(make_roberta_processor(cls, read_named_id(json["sep"], tokens)));
  } else if (type != "ByteLevel") {
    json.unknown_type("Sequence, TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel");
  }
  if (type == "ByteLevel" || type == "RobertaProcessing") {
    if (!json.flag_or("trim_offsets", true)) return;
    processor.trim_offsets = true;
    processor.add_prefix_space = json.flag_or("add_prefix_space", true);
  }
}

}  // namespace

Index PostProcessor::special_count(bool is_pair) const {
  Index count = 0;
  for (const TemplatePiece& piece : pieces(is_pair)) count += static_cast<Index>(piece.ids.size());
  return count;
}

PostProcessor make_bert_processor(TokenId cls, TokenId sep) {
  PostProcessor processor;
  processor.single = {{Kind::special, 0, {cls}}, {Kind::first, 0, {}}, {Kind::special, 0, {sep}}};
  processor.pair = processor.single;
  processor.pair.push_back({Kind::second, 1, {}});
  processor.pair.push_back({Kind::special, 1, {sep}});
  return processor;
}

PostProcessor make_roberta_processor(TokenId cls, TokenId sep) {
  PostProcessor processor;
  processor.single = {{Kind::special, 0, {cls}}, {Kind::first, 0, {}}, {Kind::special, 0, {sep}}};
  processor.pair = processor.single;
  processor.pair.push_back({Kind::special, 0, {sep}});
  processor.pair.push_back({Kind::second, 0, {}});
  processor.pair.push_back({Kind::special, 0, {sep}});
  return processor;
}

PostProcessor read_post_processor(const JsonField& json, const TokenTable& tokens) {
  PostProcessor processor;
  bool has_template = false;
  if (!json.is_null()) read_into(json, tokens, processor, has_template);
  return processor;
}

}  // namespace fovea
