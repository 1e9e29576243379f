// Runs know which tokens the model did not know, and how much of a text it read; files keep it.
#include "fovea/safetensors.h"
#include "fovea/text_model.h"
#include "io/io_testing.h"
#include "models/model_testing.h"

namespace fovea {
namespace {

using testing::tiny_model;

const TokenSequence& first_sequence(const fovea::Run& run, AttentionKind kind) {
  return run.tokens(kind).queries.front();
}

TEST(UnknownInRuns, labels_show_what_was_written) {
  const TextModel model = TextModel::load(tiny_model("bert"));
  const fovea::Run run = model.read({"the 小明 cat"}).run;
  EXPECT_EQ(run.query_tokens(AttentionKind::encoder),
            (std::vector<std::string>{"[CLS]", "the", "[UNK]", "[UNK]", "cat", "[SEP]"}));
  const std::vector<std::string> labels = {"[CLS]", "the", "小 [UNK]", "明 [UNK]", "cat", "[SEP]"};
  EXPECT_EQ(run.query_labels(AttentionKind::encoder), labels);
  EXPECT_EQ(run.key_labels(AttentionKind::encoder), labels);
  EXPECT_EQ(run.readings(), (std::vector<TextReading>{{8, 2, 6, 6, "[UNK]"}}));
  EXPECT_TRUE(run.query_labels(AttentionKind::decoder).empty());
}

TEST(UnknownInRuns, long_words_are_shortened_and_lines_stay_whole) {
  EXPECT_EQ(token_labels({"a", "[UNK]"}, {{1, std::string(40, 'x')}})[1], std::string(15, 'x') + "… [UNK]");
  EXPECT_EQ(token_labels({"<unk>"}, {{0, "x\ny"}})[0], "x␊y <unk>");
  EXPECT_EQ(token_labels({"a"}, {{1, "x"}, {-1, "y"}}), (std::vector<std::string>{"a"}));
}

TEST(UnknownInRuns, pairs_and_what_was_cut) {
  const TextModel model = TextModel::load(tiny_model("bert"));
  const std::vector<TextReading> pair = model.read({"the 小", "cat"}).run.readings();
  EXPECT_EQ(pair, (std::vector<TextReading>{{4, 1, 4, 4, "[UNK]"}, {3, 0, 2, 2, "[UNK]"}}));
  std::string text;
  for (int i = 0; i < 40; ++i) text += "cat ";
  const TextRun cut = model.read({text});
  EXPECT_EQ(cut.run.readings(), (std::vector<TextReading>{{120, 0, 42, 32, "[UNK]"}}));
  EXPECT_EQ(cut.cut, 10);
}

// The decoder reads its text one token behind: places move with it.
TEST(UnknownInRuns, both_sides_of_an_encoder_decoder) {
  const TextModel model = TextModel::load(tiny_model("t5"));
  const fovea::Run run = model.read({"the 小明", "cat 小"}).run;
  for (const AttentionKind kind : {AttentionKind::encoder, AttentionKind::decoder}) {
    const TokenSequence& sequence = first_sequence(run, kind);
    ASSERT_EQ(sequence.unknown.size(), 1u) << to_string(kind);
    EXPECT_EQ(sequence.tokens[static_cast<std::size_t>(sequence.unknown[0].place)], "<unk>");
  }
  EXPECT_EQ(first_sequence(run, AttentionKind::encoder).unknown[0].written, "小明");
  EXPECT_EQ(first_sequence(run, AttentionKind::decoder).unknown[0].written, "小");
  EXPECT_EQ(run.readings().size(), 2u);
  EXPECT_EQ(run.readings()[0].unknown_characters, 2);
  EXPECT_EQ(run.readings()[1].unknown_characters, 1);
  EXPECT_EQ(run.key_labels(AttentionKind::cross), run.query_labels(AttentionKind::encoder));
  // What it writes by itself was written by nobody.
  EXPECT_EQ(model.read({"the 小明"}).run.readings().size(), 1u);
}

TEST(UnknownInRuns, survive_a_file) {
  const TemporaryFolder folder;
  const fovea::Run run = TextModel::load(tiny_model("bert")).read({"the 小", "明 cat"}).run;
  run.save(folder / "run.safetensors");
  const fovea::Run loaded = fovea::Run::load(folder / "run.safetensors");
  EXPECT_EQ(first_sequence(loaded, AttentionKind::encoder), first_sequence(run, AttentionKind::encoder));
  EXPECT_EQ(first_sequence(loaded, AttentionKind::encoder).unknown.size(), 2u);
  EXPECT_EQ(loaded.readings(), run.readings());
  EXPECT_EQ(loaded.select(AttentionKind::encoder).key_labels(AttentionKind::encoder)[2], "小 [UNK]");
}

// A run of three tokens whose sequence has these further members.
std::string error_of_file(const std::string& more) {
  const TemporaryFolder folder;
  NamedArrays arrays;
  for (const char* name : {"q", "k", "v"})
    arrays.add(std::string("encoder.0.") + name, Tensor({1, 1, 3, 2}));
  arrays.metadata()["fovea.run"] =
      R"({"version":2,"model":"m","layers":[{"kind":"encoder","layer":0,"mask":"none","softcap":0}],"tokens":)"
      R"({"encoder":{"queries":[{"tokens":["a","[UNK]","c"],"ids":[],"begins":[],"ends":[],"segments":[])" +
      more + "}]}}}";
  save_safetensors(folder / "run.safetensors", arrays);
  return error_of([&] { fovea::Run::load(folder / "run.safetensors"); });
}

TEST(UnknownInRuns, older_files_are_read_and_wrong_ones_refused) {
  const auto refused = [](const std::string& more, const std::string& why) {
    const std::string message = error_of_file(more);
    EXPECT_NE(message.find(why), std::string::npos) << more << ": " << message;
  };
  EXPECT_EQ(error_of_file(""), "");
  EXPECT_EQ(error_of_file(R"(,"unknown":[{"place":1,"written":"小"}],"texts":[])"), "");
  refused(R"(,"unknown":[{"place":3,"written":"x"}])", "an unknown token at 3, expected 0 to 2");
  refused(R"(,"unknown":[{"place":-1,"written":"x"}])", "an unknown token at -1, expected 0 to 2");
  refused(R"(,"unknown":[{"place":1,"written":"x"},{"place":1,"written":"x"}])", "at 1, expected 2 to 2");
  refused(R"(,"unknown":[{"place":1}])", "written is missing");
  refused(R"(,"unknown":7)", "unknown should be a list");
  const auto text = [](const char* unknown, const char* read) {
    return std::string(R"(,"texts":[{"characters":3,"unknown_characters":)") + unknown +
           R"(,"tokens":3,"tokens_read":)" + read + R"(,"unknown_token":""}])";
  };
  EXPECT_EQ(error_of_file(text("3", "0")), "");
  refused(text("4", "3"), "unknown_characters is 4, expected 0 to 3");
  refused(text("0", "-1"), "tokens_read is -1, expected 0 to 3");
}

// A person's own names replace the tokens, and nothing is known of them.
TEST(UnknownInRuns, own_names_are_known) {
  fovea::Run run = TextModel::load(tiny_model("bert")).read({"小"}).run;
  run.set_tokens(AttentionKind::encoder, {"x", "y", "z"});
  EXPECT_EQ(run.query_labels(AttentionKind::encoder), (std::vector<std::string>{"x", "y", "z"}));
}

}  // namespace
}  // namespace fovea
