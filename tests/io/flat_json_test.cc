#include "fovea/flat_json.h"

#include <gtest/gtest.h>

#include "fovea/file.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace fovea {
namespace {

using Texts = std::vector<std::string>;

TEST(FlatJson, values_are_texts) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("settings.json");
  write_file(path, R"({"a": "x\n", "b": 3, "c": 0.1, "d": true, "e": ["1", 2], "f": null, "g": []})");
  const FlatJson json = load_flat_json(path);
  EXPECT_EQ(json.at("a"), (Texts{"x\n"}));
  EXPECT_EQ(json.at("b"), (Texts{"3"}));
  EXPECT_EQ(json.at("c"), (Texts{"0.1"}));
  EXPECT_EQ(json.at("d"), (Texts{"true"}));
  EXPECT_EQ(json.at("e"), (Texts{"1", "2"}));
  EXPECT_EQ(json.at("f"), Texts{});
  EXPECT_EQ(json.at("g"), Texts{});
}

TEST(FlatJson, anything_else_is_an_error) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("settings.json");
  const auto message = [&](const char* text) {
    write_file(path, text);
    return testing::message_of([&] { load_flat_json(path); });
  };
  EXPECT_EQ(message("[1]"), "[json] " + path + ": an object was expected, got array");
  EXPECT_EQ(message(R"({"a": {}})"), "[json] " + path +
                                         ": \"a\" holds object, expected a text, a number, true or false, "
                                         "or a list of them");
  EXPECT_NE(message(R"({"a": 1, "a": 2})"), "no error");
  EXPECT_NE(testing::message_of([&] { load_flat_json(folder.file("missing.json")); }), "no error");
}

}  // namespace
}  // namespace fovea
