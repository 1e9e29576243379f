// The page is told which tokens are unknown, and how much of each text was read.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "explorer/capture_store.h"
#include "explorer/overview.h"
#include "explorer/page_file.h"
#include "explorer/summary.h"
#include "fovea/base64.h"
#include "fovea/safetensors.h"

namespace fovea::explorer {
namespace {

using JsonValue = nlohmann::json;

StoredCapture read_by(const std::string& model, const std::string& text,
                      const std::optional<std::string>& second = {}) {
  const std::string folder = std::string(FOVEA_TEST_DATA) + "/models/" + model;
  return capture_text(TextModel::load(folder), {model, text, second}, "c1");
}

JsonValue summary_of(const StoredCapture& stored) {
  JsonWriter json;
  write_summary(json, stored);
  return JsonValue::parse(json.take());
}

TEST(Reading, unknown_tokens_and_characters) {
  const JsonValue summary = summary_of(read_by("bert", "the 小明 cat"));
  EXPECT_EQ(summary.at("sequences").at("encoder").at("unknown"),
            JsonValue::parse("[false, false, true, true, false, false]"));
  EXPECT_EQ(summary.at("reading"), JsonValue::parse(R"({"characters": 8, "unknown_characters": 2,
      "unknown_token": "[UNK]", "tokens": 6, "tokens_read": 6})"));
  EXPECT_FALSE(summary.contains("reading2"));
}

// As many as the page shows: the special tokens count.
TEST(Reading, what_was_cut) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "cat ";
  const JsonValue one = summary_of(read_by("bert", text));
  EXPECT_EQ(one.at("reading").at("tokens"), 52);
  EXPECT_EQ(one.at("reading").at("tokens_read"), 32);
  EXPECT_EQ(one.at("sequences").at("encoder").at("tokens").size(), 32u);
  const JsonValue pair = summary_of(read_by("bert", "the cat", text));
  EXPECT_EQ(pair.at("reading").at("tokens_read"), pair.at("reading").at("tokens"));
  EXPECT_EQ(pair.at("reading2").at("tokens"), 51);
  EXPECT_EQ(
      pair.at("reading").at("tokens_read").get<int>() + pair.at("reading2").at("tokens_read").get<int>(),
      32);
}

TEST(Reading, each_side_of_an_encoder_decoder) {
  const JsonValue summary = summary_of(read_by("t5", "the 小明", "a 小 dog"));
  for (const auto& [side, reading] : {std::pair("encoder", "reading"), std::pair("decoder", "reading2")}) {
    const JsonValue& sequence = summary.at("sequences").at(side);
    EXPECT_EQ(sequence.at("tokens").size(), summary.at(reading).at("tokens_read")) << side;
    for (std::size_t i = 0; i < sequence.at("tokens").size(); ++i) {
      EXPECT_EQ(sequence.at("unknown").at(i).get<bool>(), sequence.at("tokens").at(i) == "<unk>")
          << side << i;
    }
  }
  EXPECT_EQ(summary.at("reading2").at("unknown_characters"), 1);
  EXPECT_FALSE(summary_of(read_by("t5", "the 小明")).contains("reading2")) << "it wrote by itself";
}

TEST(Reading, is_in_the_single_file) {
  const StoredCapture stored = read_by("bert", "the 小明 cat");
  const PageFile file = page_file({kDataMarker, ""}, stored, {});
  const std::size_t begin = file.html.find('>') + 1, end = file.html.find("</script>");
  const NamedArrays data = parse_safetensors(from_base64(file.html.substr(begin, end - begin)), "page");
  const JsonValue state = JsonValue::parse(data.metadata().at("state"));
  EXPECT_EQ(state.at("captures").at(0).at("reading"), summary_of(stored).at("reading"));
  EXPECT_EQ(state.at("captures").at(0).at("sequences"), summary_of(stored).at("sequences"));
}

// The tiny model's heads may sink anywhere; whoever sinks on an unknown token is named by what was written.
TEST(Reading, roles_are_not_made_of_unknown_tokens) {
  const StoredCapture stored = read_by("bert", "小 小 小 小");
  const JsonValue overview = JsonValue::parse(overview_json(stored, AttentionKind::encoder));
  for (const JsonValue& layer : overview.at("heads")) {
    for (const JsonValue& head : layer) {
      EXPECT_TRUE(head.at("measures").at("same_token").is_null());
      EXPECT_TRUE(head.at("measures").at("induction").is_null());
      EXPECT_FALSE(head.at("role").at("name").at("en").get<std::string>().starts_with("sink on [UNK]"));
    }
  }
}

}  // namespace
}  // namespace fovea::explorer
