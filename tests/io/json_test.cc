#include "io/json.h"

#include <gtest/gtest.h>

#include "core/utf8.h"
#include "fovea/file.h"
#include "io/io_testing.h"
#include "io/messages.h"

namespace fovea {
namespace {

std::string parse_error(std::string_view text, const JsonOptions& options = {}) {
  return error_of([&] { parse_json(text, "[json] t.json", options); });
}

TEST(Json, document_of_every_kind) {
  const std::string_view text =
      R"({"list": [1, -2, 0.5, 1e3, [], {}], "text": "名\n\u00e9", "yes": true, "no": false, "none": null})";
  EXPECT_EQ(parse_json(text, ""), Json::parse(text));
  for (const char* lone : {"1", "\"a\"", "null", "[]", "{}", " [ [ ] , [ 1 ] ] "}) {
    EXPECT_EQ(parse_json(lone, ""), Json::parse(lone)) << lone;
  }
}

TEST(Json, error_has_line_and_column) {
  EXPECT_TRUE(contains(parse_error("{\n  \"a\": 1,\n  \"b\" 2}"), "[json] t.json: line 3, column 7: "));
  EXPECT_TRUE(contains(parse_error("[\"名字\", x]"), "line 1, column 8: "));
  EXPECT_TRUE(contains(parse_error(""), "line 1, column 1: "));
  EXPECT_TRUE(contains(parse_error("[1, 1e999]"), "number overflow"));
}

TEST(Json, garbage_is_an_error) {
  for (const char* text :
       {"{", "}", "[1,]", "{\"a\":}", "[1] 2", "nul", "NaN", "'a'", "\"\x80\"", "\"\xed\xa0\x80\"",
        "\"\\ud800\"", "01", "+1", "{1: 2}", "\"a\nb\"", "\xff\xfe"}) {
    EXPECT_NE(parse_error(text), "") << text;
  }
}

TEST(Json, zero_byte_does_not_end_the_text) {
  EXPECT_TRUE(
      contains(parse_error(std::string_view("[1]\n\0garbage", 12)), "line 2, column 1: a zero byte"));
}

TEST(Json, deep_nesting_is_an_error_not_a_crash) {
  EXPECT_TRUE(contains(parse_error(std::string(1'000'000, '[')), "deeper than 64"));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_TRUE(contains(parse_error(objects), "deeper than 64"));
  EXPECT_EQ(parse_error("[[]]", {.max_depth = 2}), "");
  EXPECT_NE(parse_error("[[[]]]", {.max_depth = 2}), "");
}

TEST(Json, duplicate_keys_on_request) {
  const std::string_view text = R"({"a": 1, "b": {"a": 2}, "a": 3})";
  EXPECT_EQ(parse_json(text, "")["a"], 3);
  EXPECT_TRUE(contains(parse_error(text, {.unique_keys = true}), "the key \"a\" appears twice"));
  EXPECT_EQ(parse_error(R"({"a": {"a": 1}, "b": {"a": 1}})", {.unique_keys = true}), "");
  EXPECT_NE(parse_error(R"([{"x": {"a": 1, "\u0061": 2}}])", {.unique_keys = true}), "");
}

TEST(Json, huge_token_makes_a_short_message) {
  EXPECT_LT(parse_error("\"" + std::string(100'000, 'a') + "\x01").size(), 400u);
}

TEST(Json, file_is_named) {
  const TemporaryFolder folder;
  write_file(folder / "words.json", "{\"我\": [1, 0.5]}");
  EXPECT_EQ(json_numbers(load_json(folder / "words.json")["我"], ""), (std::vector<double>{1, 0.5}));
  write_file(folder / "bad.json", "{");
  EXPECT_TRUE(contains(error_of([&] { load_json(folder / "bad.json"); }), "bad.json: line 1"));
}

TEST(Json, numbers_are_numbers) {
  EXPECT_TRUE(contains(error_of([] { json_numbers(Json("x"), "w"); }),
                       "w: expected a list of numbers, got string"));
  EXPECT_TRUE(contains(error_of([] { json_numbers(Json::parse("[1, true]"), "w"); }),
                       "at position 2, got boolean"));
}

TEST(Json, string_is_escaped_and_utf8) {
  EXPECT_EQ(json_string("a\"\n名", ""), "\"a\\\"\\n名\"");
  EXPECT_TRUE(contains(error_of([] { json_string("a\xff", "w"); }), "w: \"a\\xff\" is not UTF-8"));
}

TEST(Messages, numbers_are_grouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(18446744073709551615u), "18,446,744,073,709,551,615");
}

TEST(Messages, long_names_are_cut_between_characters) {
  EXPECT_EQ(in_quotes("a\"b\n"), "\"a\\\"b\\x0a\"");
  std::string long_name;
  for (int i = 0; i < 40; ++i) long_name += "名";
  const std::string shown = in_quotes(long_name);
  EXPECT_TRUE(is_utf8(shown));
  EXPECT_LT(shown.size(), 90u);
  EXPECT_TRUE(is_utf8(in_quotes(std::string(200, '\x80'))));
}

TEST(Utf8, strict) {
  for (const char* text : {"", "a", "é", "名", "🎯", "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf", "\xee\x80\x80"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
  }
  for (const char* text :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe5\x90", "\xe5", "a\xff", "\xe5\x90\x41"}) {
    EXPECT_FALSE(is_utf8(text)) << text;
  }
}

}  // namespace
}  // namespace fovea
