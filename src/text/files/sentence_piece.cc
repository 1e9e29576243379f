// spiece.model (T5) and tokenizer.model (Llama 2): the file of SentencePiece, a protocol buffer of which a
// dozen fields matter. They are read by hand: libsentencepiece would bring the runtime of protocol buffers,
// and a second implementation of Unigram without offsets into the original text.
#include <bit>
#include <cmath>

#include "core/fail.h"
#include "core/utf8.h"
#include "io/messages.h"
#include "text/files/protobuf.h"
#include "text/models/scored_pairs.h"
#include "text/models/unigram.h"
#include "text/steps/tokenizer_parts.h"

namespace fovea {
namespace {

// Numbers of sentencepiece_model.proto.
enum PieceType { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };
enum ModelType { kUnigram = 1, kPairs = 2 };

struct Piece {
  std::string text;
  float score = 0;
  std::uint64_t type = kNormal;
};

struct ModelFile {
  std::vector<Piece> pieces;
  std::uint64_t model_type = kUnigram;
  bool byte_fallback = false;
  std::string charsmap;
  bool add_dummy_prefix = true;
  bool remove_extra_white_space = true;
};

Piece read_piece(std::string_view message, const std::string& where) {
  Piece piece;
  ProtobufReader reader(message, where);
  while (const auto field = reader.next()) {
    if (field->number_of_field == 1) piece.text = field->bytes;
    if (field->number_of_field == 2)
      piece.score = std::bit_cast<float>(static_cast<std::uint32_t>(field->number));
    if (field->number_of_field == 3) piece.type = field->number;
  }
  if (!is_utf8(piece.text)) fail("{}: the piece {} is not UTF-8", where, in_quotes(piece.text));
  if (!std::isfinite(piece.score)) fail("{}: the score of {} is not finite", where, in_quotes(piece.text));
  return piece;
}

ModelFile read_model_file(std::string_view bytes, const std::string& where) {
  ModelFile model;
  ProtobufReader reader(bytes, where);
  while (const auto field = reader.next()) {
    if (field->number_of_field == 1) model.pieces.push_back(read_piece(field->bytes, where));
    if (field->number_of_field == 2) {  // how it was trained
      ProtobufReader trainer(field->bytes, where);
      while (const auto setting = trainer.next()) {
        if (setting->number_of_field == 3) model.model_type = setting->number;
        if (setting->number_of_field == 35) model.byte_fallback = setting->number != 0;
      }
    }
    if (field->number_of_field == 3) {  // how texts are normalised
      ProtobufReader normalizer(field->bytes, where);
      while (const auto setting = normalizer.next()) {
        if (setting->number_of_field == 2) model.charsmap = setting->bytes;
        if (setting->number_of_field == 3) model.add_dummy_prefix = setting->number != 0;
        if (setting->number_of_field == 4) model.remove_extra_white_space = setting->number != 0;
      }
    }
  }
  if (model.pieces.empty()) fail("{}: no pieces found: not a SentencePiece model", where);
  return model;
}

// What T5 has behind its vocabulary: <extra_id_99> to <extra_id_0>.
constexpr int kExtraIds = 100;

AddedToken added_token(TokenId id, std::string content, bool special) {
  AddedToken token;
  token.id = id;
  token.content = std::move(content);
  token.special = special;
  return token;
}

TokenId id_of(const ModelFile& model, PieceType type) {
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    if (model.pieces[i].type == static_cast<std::uint64_t>(type)) return static_cast<TokenId>(i);
  }
  return kNoToken;
}

// Words of their own, each with a ▁ in front. SentencePiece divides them at spaces, into which its rules
// turn other white space; `tokenizers`, whose ids T5's files are to give, divides them at any white space.
void set_white_space(const ModelFile& model, WordBreaks breaks, TokenizerParts& parts) {
  if (model.remove_extra_white_space) {
    parts.pre_tokenizers.push_back(breaks == WordBreaks::spaces ? make_space_split()
                                                                : make_white_space_split());
  }
  const auto scheme = model.add_dummy_prefix || model.remove_extra_white_space ? PrependScheme::always
                                                                               : PrependScheme::never;
  add_metaspace(parts.pre_tokenizers, 0x2581, scheme, true);
}

void set_unigram(const ModelFile& model, WordBreaks breaks, const std::string& where,
                 TokenizerParts& parts) {
  std::vector<double> scores;
  TokenTable words;  // control symbols are no words; their places stay, so that ids do
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    const Piece& piece = model.pieces[i];
    scores.push_back(piece.score);
    if (piece.type == kNormal || piece.type == kByte) words.add(piece.text, static_cast<TokenId>(i));
  }
  parts.model = make_unigram(words, std::move(scores),
                             {.unknown = id_of(model, kUnknown), .byte_fallback = model.byte_fallback});
  if (!model.charsmap.empty()) parts.normalizers.push_back(make_charsmap(model.charsmap, where));
  set_white_space(model, breaks, parts);
  parts.decoders.push_back(make_metaspace_decoder(0x2581, model.add_dummy_prefix));
}

void set_pairs(const ModelFile& model, const std::string& where, TokenizerParts& parts) {
  std::vector<float> scores;
  std::vector<bool> mergeable;
  for (const Piece& piece : model.pieces) {
    scores.push_back(piece.score);
    mergeable.push_back(piece.type == kNormal);
  }
  parts.model = make_scored_pairs(parts.tokens, std::move(scores), std::move(mergeable),
                                  {.unknown = id_of(model, kUnknown)});
  if (!model.charsmap.empty()) parts.normalizers.push_back(make_charsmap(model.charsmap, where));
  if (model.remove_extra_white_space) {
    set_white_space(model, WordBreaks::spaces, parts);
  } else {  // Llama: a text is one word
    if (model.add_dummy_prefix) parts.normalizers.push_back(make_prepend("\u2581"));
    parts.normalizers.push_back(make_replace(" ", "\u2581"));
  }
  add_sentence_piece_decoders(parts.decoders);
}

void set_specials(const ModelFile& model, TokenizerParts& parts) {
  std::vector<AddedToken> added;
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    const Piece& piece = model.pieces[i];
    const bool special = piece.type == kControl || piece.type == kUnknown;
    if (!special && piece.type != kUserDefined) continue;
    if (!piece.text.empty()) added.push_back(added_token(static_cast<TokenId>(i), piece.text, special));
  }
  const TokenId begin = parts.tokens.find("<s>"), end = parts.tokens.find("</s>");
  using Kind = TemplatePiece::Kind;
  if (model.model_type == kPairs && begin != kNoToken) {  // Llama: <s> before each text
    parts.post_processor.single = {{Kind::special, 0, {begin}}, {Kind::first, 0, {}}};
    parts.post_processor.pair = {{Kind::special, 0, {begin}},
                                 {Kind::first, 0, {}},
                                 {Kind::special, 1, {begin}},
                                 {Kind::second, 1, {}}};
  } else if (model.model_type == kUnigram && end != kNoToken) {  // T5: </s> behind each text
    parts.post_processor.single = {{Kind::first, 0, {}}, {Kind::special, 0, {end}}};
    parts.post_processor.pair = {
        {Kind::first, 0, {}}, {Kind::special, 0, {end}}, {Kind::second, 0, {}}, {Kind::special, 0, {end}}};
    for (int i = 0; i < kExtraIds; ++i) {
      const auto id = static_cast<TokenId>(model.pieces.size()) + i;
      added.push_back(added_token(id, fmt::format("<extra_id_{}>", kExtraIds - 1 - i), true));
    }
  }
  set_added_tokens(parts, std::move(added));
}

}  // namespace

TokenizerParts read_sentence_piece(std::string_view bytes, const std::string& where, WordBreaks breaks) {
  const ModelFile model = read_model_file(bytes, where);
  if (model.model_type != kUnigram && model.model_type != kPairs) {
    fail("{}: unknown model type {}; supported: 1 (unigram) and 2 (BPE)", where, model.model_type);
  }
  TokenizerParts parts;
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    parts.tokens.add(model.pieces[i].text, static_cast<TokenId>(i));
  }
  if (model.model_type == kUnigram) {
    set_unigram(model, breaks, where, parts);
  } else {
    set_pairs(model, where, parts);
  }
  set_specials(model, parts);
  return parts;
}

}  // namespace fovea
