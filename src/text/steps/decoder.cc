#include "text/steps/decoder.h"

#include "core/fail.h"
#include "core/utf8.h"
#include "io/messages.h"
#include "text/models/byte_alphabet.h"
#include "text/models/byte_tokens.h"
#include "text/steps/replace_pattern.h"
#include "text/unicode/valid_text.h"

namespace fovea {
namespace {

std::size_t bytes_of(const std::vector<std::string>& tokens) {
  std::size_t bytes = 0;
  for (const std::string& token : tokens) bytes += token.size();
  return bytes;
}

std::string replaced(std::string_view text, const ReplacePattern& pattern, std::string_view content,
                     const DecodingLimit* limit = nullptr) {
  std::string result;
  std::size_t at = 0;
  while (const auto match = pattern.find(text, at)) {
    if (limit != nullptr) limit->check(result.size() + content.size());
    result += text.substr(at, match->begin - at);
    result += content;
    at = match->end;
  }
  result += text.substr(at);
  return result;
}

class WordPieceDecoder final : public Decoder {
 public:
  WordPieceDecoder(std::string continuation, bool clean_up)
      : continuation_(std::move(continuation)), clean_up_(clean_up) {}

  void apply(std::vector<std::string>& tokens) const override {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      std::string& token = tokens[i];
      if (i > 0 && token.starts_with(continuation_)) {
        token.erase(0, continuation_.size());
      } else if (i > 0) {
        token = std::string(" ").append(token);
      }
      if (clean_up_) token = cleaned_up(std::move(token));
    }
  }

 private:
  static std::string cleaned_up(std::string token) {
    static const std::pair<ReplacePattern, std::string_view> kRules[] = {
        {ReplacePattern(" ."), "."},    {ReplacePattern(" ?"), "?"},
        {ReplacePattern(" !"), "!"},    {ReplacePattern(" ,"), ","},
        {ReplacePattern(" ' "), "'"},   {ReplacePattern(" n't"), "n't"},
        {ReplacePattern(" 'm"), "'m"},  {ReplacePattern(" do not"), " don't"},
        {ReplacePattern(" 's"), "'s"},  {ReplacePattern(" 've"), "'ve"},
        {ReplacePattern(" 're"), "'re"}};
    for (const auto& [pattern, content] : kRules) token = replaced(token, pattern, content);
    return token;
  }

  std::string continuation_;
  bool clean_up_;
};

class ByteLevelDecoder final : public Decoder {
 public:
  void apply(std::vector<std::string>& tokens) const override {
    std::string bytes;
    for (const std::string& token : tokens) bytes += characters_as_bytes(token).value_or(token);
    tokens = {repair_utf8(bytes)};
  }
};

class MetaspaceDecoder final : public Decoder {
 public:
  MetaspaceDecoder(char32_t replacement, bool drop_first)
      : pattern_(encode_utf8(replacement)), drop_first_(drop_first) {}
  void apply(std::vector<std::string>& tokens) const override {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      tokens[i] = replaced(tokens[i], pattern_, i == 0 && drop_first_ ? "" : " ");
    }
  }

 private:
  ReplacePattern pattern_;
  bool drop_first_;
};

// Stretches of tokens <0x..> become the text of their bytes, or a U+FFFD for each of them.
class ByteFallback final : public Decoder {
 public:
  void apply(std::vector<std::string>& tokens) const override {
    std::vector<std::string> result;
    std::string bytes;
    const auto flush = [&] {
      if (is_utf8(bytes)) {
        if (!bytes.empty()) result.push_back(bytes);
      } else {
        result.insert(result.end(), bytes.size(), encode_utf8(0xFFFD));
      }
      bytes.clear();
    };
    for (std::string& token : tokens) {
      if (const auto byte = byte_of_token(token)) {
        bytes += static_cast<char>(*byte);
      } else {
        flush();
        result.push_back(std::move(token));
      }
    }
    flush();
    tokens = std::move(result);
  }
};

class Fuse final : public Decoder {
 public:
  void apply(std::vector<std::string>& tokens) const override {
    std::string whole;
    for (const std::string& token : tokens) whole += token;
    tokens = {std::move(whole)};
  }
};

class ReplaceDecoder final : public Decoder {
 public:
  ReplaceDecoder(ReplacePattern pattern, std::string content)
      : pattern_(std::move(pattern)), content_(std::move(content)) {}
  void apply(std::vector<std::string>& tokens) const override {
    const DecodingLimit limit(tokens);
    std::size_t bytes = 0;
    for (std::string& token : tokens) {
      token = replaced(token, pattern_, content_, &limit);
      limit.check(bytes += token.size());
    }
  }

 private:
  ReplacePattern pattern_;
  std::string content_;
};

// Up to `start` characters at the beginning of every token, up to `stop` at the end.
class StripDecoder final : public Decoder {
 public:
  StripDecoder(char32_t content, std::int64_t start, std::int64_t stop)
      : content_(encode_utf8(content)), start_(start), stop_(stop) {}
  void apply(std::vector<std::string>& tokens) const override {
    for (std::string& token : tokens) {
      std::string_view rest = token;
      for (std::int64_t i = 0; i < start_ && rest.starts_with(content_); ++i)
        rest.remove_prefix(content_.size());
      for (std::int64_t i = 0; i < stop_ && rest.ends_with(content_); ++i)
        rest.remove_suffix(content_.size());
      token = std::string(rest);
    }
  }

 private:
  std::string content_;
  std::int64_t start_, stop_;
};

void add_joining_decoders(Decoders& decoders) {
  decoders.push_back(std::make_unique<ReplaceDecoder>(ReplacePattern("\u2581"), " "));
  decoders.push_back(std::make_unique<ByteFallback>());
  decoders.push_back(std::make_unique<Fuse>());
}

}  // namespace

DecodingLimit::DecodingLimit(const std::vector<std::string>& tokens)
    : most_(16 * bytes_of(tokens) + 1024) {}

void DecodingLimit::check(std::size_t bytes) const {
  if (bytes <= most_) return;
  fail("[tokenizer] decoding expands the text to more than {} bytes, the limit", grouped(most_));
}

void DecodingLimit::check(const std::vector<std::string>& tokens) const { check(bytes_of(tokens)); }

std::unique_ptr<Decoder> make_word_piece_decoder(std::string continuation, bool clean_up) {
  return std::make_unique<WordPieceDecoder>(std::move(continuation), clean_up);
}
std::unique_ptr<Decoder> make_byte_level_decoder() { return std::make_unique<ByteLevelDecoder>(); }
std::unique_ptr<Decoder> make_metaspace_decoder(char32_t replacement, bool drop_first) {
  return std::make_unique<MetaspaceDecoder>(replacement, drop_first);
}

void add_sentence_piece_decoders(Decoders& decoders) {
  add_joining_decoders(decoders);
  decoders.push_back(std::make_unique<StripDecoder>(U' ', 1, 0));
}

void add_marian_decoders(Decoders& decoders) {
  add_joining_decoders(decoders);
  decoders.push_back(std::make_unique<StripDecoder>(U' ', INT32_MAX, INT32_MAX));
}

void read_decoders(const JsonField& json, Decoders& decoders) {
  if (json.is_null()) return;
  const auto add = [&](std::unique_ptr<Decoder> one) { decoders.push_back(std::move(one)); };
  const std::string type = json.type();
  if (type == "Sequence") {
    const JsonField list = json["decoders"];
    for (std::size_t i = 0; i < list.size(); ++i) read_decoders(list.at(i), decoders);
  } else if (type == "WordPiece") {
    add(make_word_piece_decoder(json.text_or("prefix", "##"), json.flag_or("cleanup", true)));
  } else if (type == "ByteLevel") {
    add(make_byte_level_decoder());
  } else if (type == "Metaspace") {
    const bool never = json.text_or("prepend_scheme", "always") == "never";
    add(make_metaspace_decoder(json["replacement"].character(),
                               !never && json.flag_or("add_prefix_space", true)));
  } else if (type == "ByteFallback") {
    add(std::make_unique<ByteFallback>());
  } else if (type == "Fuse") {
    add(std::make_unique<Fuse>());
  } else if (type == "Replace") {
    add(std::make_unique<ReplaceDecoder>(ReplacePattern::read(json["pattern"]), json["content"].text()));
  } else if (type == "Strip") {
    add(std::make_unique<StripDecoder>(json["content"].character(), json["start"].integer(0, INT32_MAX),
                                       json["stop"].integer(0, INT32_MAX)));
  } else {
    json.unknown_type("Sequence, WordPiece, ByteLevel, Metaspace, ByteFallback, Fuse, Replace, Strip");
  }
}

}  // namespace fovea
