// A film on the server and in a page of its own: every frame has the library's numbers.
#include <algorithm>
#include <cmath>

#include "explorer/film_page.h"
#include "explorer/film_store.h"
#include "fovea/base64.h"
#include "fovea/head_roles.h"
#include "fovea/head_similarity.h"
#include "fovea/random.h"
#include "fovea/rollout.h"
#include "io/io_testing.h"
#include "server_testing.h"

namespace fovea::explorer {
namespace {

constexpr Index kFrames = 3, kLayers = 2, kHeads = 2;
constexpr auto kCausal = AttentionKind::decoder;

// Heads that grow sharper from frame to frame; the second text is one token longer.
fovea::Run frame_of(Index frame, Index tokens) {
  Random random(static_cast<std::uint64_t>(17 * tokens + frame));
  Capture capture;
  capture.model = "nano";
  TokenSequence sequence;
  for (Index i = 0; i < tokens; ++i) {
    sequence.tokens.push_back(std::string(1, static_cast<char>('a' + i % 3)));
    sequence.ids.push_back(i % 3);
    sequence.begins.push_back(2 * i);
    sequence.ends.push_back(2 * i + 1);
  }
  capture.sequences = {sequence};
  for (Index layer = 0; layer < kLayers; ++layer) {
    Tensor q = random.normal({1, kHeads, tokens, 4}), k = random.normal({1, kHeads, tokens, 4});
    for (Index i = 0; i < q.shape().elements(); ++i) q.data()[i] *= static_cast<float>(2 * frame);
    capture.attention({kCausal, layer, q, k, k, {.mask = Mask::causal()}});
  }
  return fovea::Run(std::move(capture));
}

Film small_film() {
  Film film({"a b c a b c", "a b c a b c a"});
  for (Index f = 0; f < kFrames; ++f) {
    film.append(10 * f, f == 0 ? std::nan("") : 2.0, {frame_of(f, 6), frame_of(f, 7)});
  }
  for (Index step = 1; step <= 2000; ++step) film.add_loss(step, 4.0 / static_cast<double>(step));
  return film;
}

// Of a translation, the text of a film is both sides.
TEST(FilmOfPairs, each_side_is_a_text) {
  Capture capture;
  TokenSequence read, written;
  read.tokens = {"a", "b"};
  written.tokens = {"c"};
  capture.sequences = {read};
  capture.decoder_sequences = {written};
  const Tensor two = Tensor::filled({1, 1, 2, 3}, 1), one = Tensor::filled({1, 1, 1, 3}, 1);
  capture.attention({AttentionKind::encoder, 0, two, two, two, {}});
  capture.attention({AttentionKind::decoder, 0, one, one, one, {.mask = Mask::causal()}});
  capture.attention({AttentionKind::cross, 0, one, two, two, {}});
  Film film({"a b\tc"});
  film.append(0, 1, {fovea::Run(std::move(capture))});
  const CapturePtr text = FilmStore(std::move(film), Limits()).texts().front();
  EXPECT_EQ(text->text, "a b");
  EXPECT_EQ(text->second_text, "c");
}

class FilmServer : public ServerTest {
 protected:
  static void SetUpTestSuite() {
    ServerTest::SetUpTestSuite();
    running().server().captures().show(small_film());
  }
};

TEST_F(FilmServer, state_tells_frames_and_losses) {
  const Json state = Json::parse(get("/api/state")->body);
  const Json& film = state.at("film");
  EXPECT_EQ(film["texts"], (Json{"f0", "f1"}));
  EXPECT_EQ(film["frames"]["step"], (Json{0, 10, 20}));
  EXPECT_EQ(film["frames"]["loss"], (Json{nullptr, 2.0, 2.0}));
  ASSERT_EQ(film["losses"]["step"].size(), 600u);  // 2,000 in means of three or four
  EXPECT_EQ(film["losses"]["step"][0], 3);
  EXPECT_NEAR(film["losses"]["loss"][0].get<double>(), (4.0 + 2.0 + 4.0 / 3) / 3, 1e-6);
  EXPECT_EQ(film["losses"]["step"][599], 2000);
  ASSERT_GE(state["captures"].size(), 2u);
  const Json& text = state["captures"][1];
  EXPECT_EQ(text["id"], "f1");
  EXPECT_EQ(text["film"], true);
  EXPECT_EQ(text["text"], "a b c a b c a");
  EXPECT_EQ(text["model"], "nano");
  EXPECT_EQ(text["kinds"][0]["queries"], 7);
  EXPECT_EQ(text["kinds"][0]["mask"], "causal");
  EXPECT_EQ(text["sequences"]["decoder"]["tokens"][1], "b");
}

TEST_F(FilmServer, every_frame_has_the_librarys_numbers) {
  const Film film = small_film();
  for (Index t = 0; t < 2; ++t) {
    for (Index f = 0; f < kFrames; ++f) {
      const fovea::Run& run = film.run(f, t);
      const std::string path = "/api/captures/f" + std::to_string(t) + "x" + std::to_string(f) + "/";
      const Tensor weights = arrays(path + "weights?kind=decoder&layer=1&head=1").tensor("weights");
      expect_same(weights, run.weights({.kind = kCausal, .layer = 1, .head = 1}), path);
      const NamedArrays rollout = arrays(path + "rollout?kind=decoder");
      EXPECT_EQ(rollout.tensor("rollout").shape(), (Shape{kLayers, 6 + t, 6 + t}));
      EXPECT_EQ(arrays(path + "thumbnails?kind=decoder").tensor("max").shape(),
                (Shape{kLayers, kHeads, 6 + t, 6 + t}));
      EXPECT_EQ(arrays(path + "similarity?kind=decoder").tensor("divergence").shape(), (Shape{4, 4}));
      const Json overview = Json::parse(get(path + "overview?kind=decoder")->body);
      const AttentionMeasures want = measure_attention(run.select(kCausal));
      EXPECT_NEAR(overview["heads"][1][0]["measures"]["entropy"].get<double>(),
                  want.heads[1][0][Measure::entropy], 1e-9);
    }
    // The text itself is its last frame.
    const std::string text = "/api/captures/f" + std::to_string(t) + "/weights?kind=decoder&layer=0&head=0";
    expect_same(arrays(text).tensor("weights"), film.run(kFrames - 1, t).weights({.kind = kCausal}), text);
  }
}

TEST_F(FilmServer, what_is_not_there_is_told) {
  for (const char* id : {"f2", "f0x3", "f0x", "fx1", "f", "f0x1x1", "f00000000000000000000000", "f0y1"}) {
    expect_error(get(std::string("/api/captures/") + id), 404, "frames f0x0 to f0x2");
  }
  expect_error(get("/api/captures/f0x1/steps?kind=decoder&layer=0&head=0"), 422, "not the model");
  expect_error(running().client().remove("/api/captures/f0"), 422, "stay");
  EXPECT_EQ(get("/api/captures/f0x1")->status, 200);
  // Texts of models beside it.
  const Json summary = read_text("bert", "the cat");
  EXPECT_FALSE(summary.contains("film"));
  EXPECT_EQ(Json::parse(get("/api/state")->body)["captures"].back()["id"], summary["id"]);
}

TEST(FilmStore, keeps_so_many_frames_and_no_more) {
  Limits limits;
  limits.film_frames = 2;
  const FilmStore store(small_film(), limits);
  const CapturePtr first = store.get("f0x0");
  EXPECT_EQ(store.get("f0x0"), first);
  store.get("f0x1");
  EXPECT_EQ(store.get("f0x0"), first);
  store.get("f0x1");
  store.get("f0x2");
  EXPECT_NE(store.get("f0x0"), first);
}

TEST(FilmStore, refuses_what_is_too_large) {
  Limits small;
  small.film_bytes = 1000;
  EXPECT_TRUE(contains(error_of([&] { FilmStore(small_film(), small); }), "at most 0.0 are shown"));
  Limits few;
  few.tokens = 6;
  EXPECT_TRUE(contains(error_of([&] { FilmStore(small_film(), few); }), "text 1 has 7 tokens, at most 6"));
  EXPECT_TRUE(contains(error_of([] { FilmStore(Film(), Limits()); }), "no frames"));
}

NamedArrays film_data(const PageFile& file) {
  const std::string tag = R"(<script type="application/octet-stream" id="fovea-data">)";
  const std::size_t begin = file.html.find(tag) + tag.size(), end = file.html.find("</script>", begin);
  return parse_safetensors(from_base64(std::string_view(file.html).substr(begin, end - begin)), "page");
}

// A row's numbers are shares of its largest one.
double stored_share(const NamedArrays& data, const std::string& name, Index at, Index columns) {
  return static_cast<double>(data.ids(name).data()[at]) / 255 *
         static_cast<double>(data.tensor(name + ".row_max").data()[at / columns]);
}

TEST(FilmPage, holds_every_frame_within_the_stated_error) {
  const Film film = small_film();
  const PageFile file = film_page(test_page(), film);
  EXPECT_EQ(file.weights, "U8");
  EXPECT_LE(file.loss, 0.5 / 255 + 1e-6);
  const NamedArrays data = film_data(file);
  for (Index t = 0; t < 2; ++t) {
    const std::string prefix = "f" + std::to_string(t) + ".decoder.";
    const Index tokens = 6 + t;
    EXPECT_EQ(data.ids(prefix + "weights").shape(), (Shape{kFrames, kLayers, kHeads, tokens, tokens}));
    EXPECT_EQ(data.tensor(prefix + "measures").shape(),
              (Shape{kFrames, kLayers, kHeads, static_cast<Index>(kMeasureCount)}));
    const Json roles = Json::parse(data.metadata().at(prefix + "roles"));
    for (Index f = 0; f < kFrames; ++f) {
      const fovea::Run run = film.run(f, t).select(kCausal);
      const Tensor want = run.all_weights(kCausal);
      for (Index i = 0; i < want.shape().elements(); ++i) {
        const double got = stored_share(data, prefix + "weights", f * want.shape().elements() + i, tokens);
        ASSERT_NEAR(got, static_cast<double>(want.data()[i]), file.loss * 1.001) << f << " at " << i;
      }
      const AttentionMeasures measures = measure_attention(run);
      EXPECT_NEAR(data.tensor(prefix + "measures")(f, 1, 0, 0), measures.heads[1][0][Measure::entropy],
                  1e-6);
      EXPECT_EQ(roles[static_cast<std::size_t>(f)][2][0],
                role_of(measures.heads[1][0], run.key_labels(kCausal)).id);
      const HeadSimilarity alike = head_similarity(run);
      EXPECT_EQ(data.ids(prefix + "similarity.order")(f, 3), alike.order[3]);
      EXPECT_NEAR(data.tensor(prefix + "similarity.divergence")(f, 0, 3), alike.divergence(0, 3), 1e-3);
    }
  }
  const Json state = Json::parse(data.metadata().at("state"));
  EXPECT_EQ(state["film"]["frames"]["step"], (Json{0, 10, 20}));
  EXPECT_EQ(state["captures"].size(), 2u);
}

TEST(FilmPage, refuses_what_no_page_can_hold) {
  Film film({"long"});
  Capture capture;
  TokenSequence sequence;
  sequence.tokens.assign(kStoredTokens + 1, "a");
  capture.sequences = {sequence};
  const Tensor q({1, 1, kStoredTokens + 1, 1});
  capture.attention({kCausal, 0, q, q, q, {}});
  film.append(0, 1, {fovea::Run(std::move(capture))});
  EXPECT_TRUE(contains(error_of([&] { film_page(test_page(), film); }), "at most 512"));
}

// A film of a kind of attention that joins two sequences: no rollout, and nothing else missing.
TEST(FilmPage, cross_attention_has_no_rollout) {
  Capture capture;
  TokenSequence two, three;
  two.tokens = {"x", "y"}, three.tokens = {"a", "b", "c"};
  capture.sequences = {three};
  capture.decoder_sequences = {two};
  const Tensor q({1, 1, 2, 4}), k({1, 1, 3, 4});
  capture.attention({AttentionKind::cross, 0, q, k, k, {}});
  Film film({"a b c"});
  film.append(0, 1, {fovea::Run(std::move(capture))});
  const NamedArrays data = film_data(film_page(test_page(), film));
  EXPECT_TRUE(data.contains("f0.cross.weights"));
  EXPECT_FALSE(data.contains("f0.cross.rollout"));
}

}  // namespace
}  // namespace fovea::explorer
