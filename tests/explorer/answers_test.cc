// Every answer has the library's numbers.
#include <algorithm>
#include <cmath>

#include "fovea/colormap.h"
#include "fovea/examples.h"
#include "fovea/head_roles.h"
#include "fovea/head_similarity.h"
#include "fovea/head_steps.h"
#include "fovea/measure_definitions.h"
#include "fovea/passed_on.h"
#include "fovea/rollout.h"
#include "server_testing.h"

namespace fovea::explorer {
namespace {

class Answers : public ServerTest {};

const std::string kText = "the cat sat on the mat and looked at the dog";

TEST_F(Answers, the_page_and_its_policy) {
  const auto page = get("/");
  EXPECT_EQ(page->status, 200);
  EXPECT_EQ(page->body, test_page().html);
  EXPECT_EQ(page->header("Content-Security-Policy"), "default-src 'none'; frame-ancestors 'none'");
  EXPECT_EQ(page->header("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(get("/favicon.ico")->status, 204);
}

TEST_F(Answers, state_has_models_colours_and_definitions) {
  const Json state = Json::parse(get("/api/state")->body);
  ASSERT_EQ(state.at("models").size(), 5u);
  EXPECT_EQ(state["models"][0]["family"], "BERT");
  EXPECT_EQ(state["models"][0]["heads"], 4);
  EXPECT_EQ(state["models"][2]["decoder_layers"], 3);
  EXPECT_EQ(state["models"][2]["available"], true);
  EXPECT_EQ(state["models"][3]["available"], false);
  EXPECT_EQ(state["models"][4]["available"], false);
  for (const std::string& name : Colormap::names()) {
    const std::string digits = state["colormaps"][name];
    ASSERT_EQ(digits.size(), 256u * 6);
    EXPECT_EQ("#" + digits.substr(6 * 255), to_hex(Colormap(name).table()[255])) << name;
  }
  ASSERT_EQ(state["measures"].size(), measure_definitions().size());
  EXPECT_EQ(state["measures"][0]["name"], measure_definitions()[0].name);
  EXPECT_EQ(state["measures"][0]["caveat"]["zh"], measure_definitions()[0].caveat.zh);
  EXPECT_EQ(state["role_rules"].size(), role_rules().size());
  EXPECT_GT(state["limits"]["text_bytes"], 1000);
}

TEST_F(Answers, examples_are_those_of_the_tutorials) {
  const Json all = Json::parse(get("/api/examples")->body).at("examples");
  const std::vector<Example> want = examples();
  ASSERT_EQ(all.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(all[i]["id"], want[i].id);
    EXPECT_EQ(all[i]["title"]["zh"], want[i].title.zh);
    EXPECT_EQ(all[i]["steps"].size(), want[i].account.steps.size());
    EXPECT_EQ(all[i]["steps"].back()["matrix"][0][0], want[i].account.output()(0, 0));
  }
}

TEST_F(Answers, a_capture_tells_tokens_and_kinds) {
  const Json summary = read_text("bert", "the cat", "a dog");
  EXPECT_EQ(summary["text2"], "a dog");
  EXPECT_EQ(summary["cut"], 0);
  const Json& kind = summary["kinds"][0];
  EXPECT_EQ(kind["kind"], "encoder");
  EXPECT_EQ(kind["queries"], 7);
  EXPECT_NEAR(kind["scale"], 1 / std::sqrt(kind["head_width"].get<double>()), 1e-7);
  EXPECT_EQ(kind["mask"], "none");
  const Json& sequence = summary["sequences"]["encoder"];
  EXPECT_EQ(sequence["tokens"], (Json{"[CLS]", "the", "cat", "[SEP]", "a", "dog", "[SEP]"}));
  EXPECT_EQ(sequence["segments"], (Json{0, 0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(sequence["special"], (Json{true, false, false, true, false, false, true}));
  EXPECT_EQ(sequence["begins"], (Json{0, 0, 4, 0, 0, 2, 0}));
  EXPECT_EQ(Json::parse(get("/api/captures/" + summary["id"].get<std::string>())->body), summary);

  const Json gpt = read_text("gpt2", "the cat");
  EXPECT_EQ(gpt["kinds"][0]["mask"], "causal");
  EXPECT_EQ(gpt["kinds"][0]["causal"], true);
  EXPECT_TRUE(gpt["sequences"].contains("decoder"));

  const Json t5 = read_text("t5", "the quick brown fox", "a lazy dog");
  ASSERT_EQ(t5["kinds"].size(), 3u);
  EXPECT_EQ(t5["kinds"][0]["bias"], "relative");
  EXPECT_EQ(t5["kinds"][0]["scale"], 1);
  EXPECT_EQ(t5["kinds"][0]["scaled"], false);
  EXPECT_EQ(t5["kinds"][2]["query_side"], "decoder");
  EXPECT_EQ(t5["kinds"][2]["key_side"], "encoder");
  const Json& decoder = t5["sequences"]["decoder"];
  EXPECT_EQ(decoder["tokens"].size(), decoder["begins"].size());

  std::string longer;
  for (int i = 0; i < 100; ++i) longer += "the ";
  EXPECT_EQ(read_text("bert", longer)["cut"], 102 - 32);
}

Tensor layer_weights(const fovea::Run& run, AttentionKind kind, Index layer) {  // [1, H, N, M]
  const LayerView& view = run.layer(kind, layer);
  return view.crop({0, view.queries(), 0, view.keys()});
}

// Weights [L, H, N, N] of one sequence.
fovea::Run stored(const Tensor& weights) {
  const Shape s = weights.shape();
  return fovea::Run::from_weights(weights.reshaped({s[0], 1, s[1], s[2], s[3]}));
}

TEST_F(Answers, weights_are_those_of_the_run) {
  const Json summary = read_text("gpt2", kText);
  const fovea::Run want = library_run("gpt2", {kText}).run;
  const Tensor all = layer_weights(want, AttentionKind::decoder, 1);  // [1, H, N, N]
  const Index n = all.shape()[2], heads = all.shape()[1];
  const std::string base = path_of(summary, "weights?kind=decoder&layer=1");
  for (Index head = 0; head < heads; ++head) {
    const NamedArrays got = arrays(base + "&head=" + std::to_string(head));
    expect_same(got.tensor("weights"),
                want.weights({.kind = AttentionKind::decoder, .layer = 1, .head = head}), "weights");
  }
  const NamedArrays crop = arrays(base + "&head=2&rows=3:5&keys=1:4");
  expect_same(crop.tensor("weights"),
              want.weights({.kind = AttentionKind::decoder, .layer = 1, .head = 2}, {3, 5, 1, 4}), "crop");
  Tensor mean({n, n});
  for (Index i = 0; i < n * n; ++i) {
    double sum = 0;
    for (Index head = 0; head < heads; ++head) sum += static_cast<double>(all.data()[head * n * n + i]);
    mean.data()[i] = static_cast<float>(sum / static_cast<double>(heads));
  }
  expect_same(arrays(base + "&head=mean").tensor("weights"), mean, "mean", 1e-6);
}

TEST_F(Answers, cells_are_means_and_maxima) {
  const Json summary = read_text("bert", kText);
  const fovea::Run run = library_run("bert", {kText}).run;
  const Index size = 5;
  for (const std::string& head : {std::string("1"), std::string("mean")}) {
    const std::string base = path_of(summary, "weights?kind=encoder&layer=0&head=" + head);
    const NamedArrays whole = arrays(base), cells = arrays(base + "&cells=5");
    const Tensor& weights = whole.tensor("weights");
    const Index n = weights.shape()[0];
    for (Index r = 0; r < size; ++r) {
      for (Index c = 0; c < size; ++c) {
        double sum = 0, count = 0, largest = 0;
        for (Index i = 0; i < n; ++i) {
          for (Index j = 0; j < n; ++j) {
            if (i * size / n != r || j * size / n != c) continue;
            sum += static_cast<double>(weights(i, j));
            largest = std::max(largest, static_cast<double>(weights(i, j)));
            ++count;
          }
        }
        ASSERT_NEAR(static_cast<double>(cells.tensor("mean")(r, c)), sum / count, 1e-6) << head;
        ASSERT_NEAR(static_cast<double>(cells.tensor("max")(r, c)), largest, 1e-6) << head;
      }
    }
  }
}

TEST_F(Answers, a_mask_is_added_to_the_models_own) {
  const Json summary = read_text("gpt2", kText);
  const fovea::Run run = library_run("gpt2", {kText}).run;
  AttentionView head = run.head({.kind = AttentionKind::decoder, .head = 1});
  head.options.mask = head.options.mask & Mask::sliding_window(2, 2);
  const Index n = head.q.shape()[0];
  const NamedArrays got = arrays(path_of(summary, "weights?kind=decoder&layer=0&head=1&mask=window(2,2)"));
  expect_same(got.tensor("weights"), attention_crop(head.q, head.k, head.options, {0, n, 0, n}), "masked");
  EXPECT_EQ(got.tensor("weights")(n - 1, 0), 0);  // by the window
  EXPECT_EQ(got.tensor("weights")(0, 1), 0);      // by the model
}

TEST_F(Answers, rows_are_the_statistics_of_the_head) {
  const Json summary = read_text("gpt2", kText);
  const fovea::Run run = library_run("gpt2", {kText}).run;
  const AttentionView head = run.head({.kind = AttentionKind::decoder, .layer = 1, .head = 3});
  const AttentionStatistics want = attention_statistics(head.q, head.k, head.options);
  const NamedArrays got = arrays(path_of(summary, "rows?kind=decoder&layer=1&head=3"));
  expect_same(got.tensor("entropy"), want.entropy, "entropy");
  expect_same(got.tensor("maximum"), want.maximum, "maximum");
  expect_same(got.tensor("received"), want.received, "received");
  EXPECT_EQ(got.ids("position"), want.position);
  EXPECT_EQ(got.ids("visible"), want.visible);

  const NamedArrays mean = arrays(path_of(summary, "rows?kind=decoder&layer=1&head=mean"));
  const NamedArrays whole = arrays(path_of(summary, "weights?kind=decoder&layer=1&head=mean"));
  const Tensor& weights = whole.tensor("weights");
  const Index n = weights.shape()[0];
  double entropy = 0, received = 0;
  for (Index j = 0; j < n; ++j) {
    const double w = static_cast<double>(weights(n - 1, j));
    entropy -= w > 0 ? w * std::log(w) : 0;
    received += static_cast<double>(weights(j, 0));
  }
  EXPECT_NEAR(static_cast<double>(mean.tensor("entropy")(n - 1)), entropy, 1e-5);
  EXPECT_NEAR(static_cast<double>(mean.tensor("received")(0)), received, 1e-5);
  EXPECT_EQ(mean.ids("visible"), want.visible);
  EXPECT_EQ(mean.ids("position")(0), 0);
}

TEST_F(Answers, overview_measures_every_head) {
  const Json summary = read_text("bert", kText, "a quick fox");
  const fovea::Run run = library_run("bert", {kText, "a quick fox"}).run;
  const Json overview = Json::parse(get(path_of(summary, "overview?kind=encoder"))->body);
  ASSERT_EQ(overview["heads"].size(), 2u);
  EXPECT_EQ(overview["measures_of"], "all");
  MeasureOptions options;
  options.tokens = run.query_tokens(AttentionKind::encoder);
  options.segments = run.key_segments(AttentionKind::encoder);
  fovea::Run with_norms = run;
  add_value_norms(TextModel::load(tiny_model("bert")).model(), with_norms);
  const AttentionMeasures passed =
      measure_attention(with_norms.select(AttentionKind::encoder), MeasureOptions());
  for (Index layer = 0; layer < 2; ++layer) {
    const LayerView& call = run.layer(AttentionKind::encoder, layer);
    const AttentionMeasures want = measure_attention(call.q, call.k, call.options, options);
    for (std::size_t head = 0; head < 4; ++head) {
      const Json& got = overview["heads"][static_cast<std::size_t>(layer)][head];
      const HeadMeasures& measures = want.heads[0][head];
      for (const Measure measure : all_measures()) {
        const Json& value = got["measures"][measure_definition(measure).name];
        if (measure == Measure::passed_on || measure == Measure::sink_passed_on) {
          EXPECT_EQ(value.get<double>(), passed.heads[static_cast<std::size_t>(layer)][head][measure]);
        } else if (std::isnan(measures[measure])) {
          EXPECT_TRUE(value.is_null());
        } else {
          EXPECT_EQ(value.get<double>(), measures[measure]) << measure_definition(measure).name;
        }
      }
      EXPECT_EQ(got["role"]["id"], role_of(measures, options.tokens).id);
      EXPECT_EQ(got["most_attended"], measures.most_attended());
    }
  }
}

TEST_F(Answers, thumbnails_are_those_of_the_statistics) {
  const Json summary = read_text("t5", "the quick brown fox", "a lazy dog");
  const fovea::Run run = library_run("t5", {"the quick brown fox", "a lazy dog"}).run;
  const NamedArrays got = arrays(path_of(summary, "thumbnails?kind=cross&size=3"));
  for (Index layer = 0; layer < 3; ++layer) {
    const AttentionStatistics want =
        run.layer(AttentionKind::cross, layer).statistics({false, false, 3, 0});
    const Tensor part = Tensor::copy_of(got.tensor("mean").view().slice(0, layer, layer + 1));
    expect_same(part, want.thumbnail, "mean", 1e-3);  // float16
    const Tensor largest = Tensor::copy_of(got.tensor("max").view().slice(0, layer, layer + 1));
    expect_same(largest, want.thumbnail_max, "max", 1e-3);
  }
  EXPECT_EQ(arrays(path_of(summary, "thumbnails?kind=encoder")).tensor("mean").shape(),
            (Shape{2, 4, 5, 5}));
}

TEST_F(Answers, steps_are_those_of_the_model) {
  const Json summary = read_text("t5", "the quick brown fox", "a lazy dog");
  const TextModel model = TextModel::load(tiny_model("t5"));
  const TextRun read = model.read({"the quick brown fox", "a lazy dog"});
  const HeadSteps want = head_steps(model.model(), read.input, AttentionKind::encoder, 1, 2, {1, 4, 0, 5});
  const NamedArrays got = arrays(path_of(summary, "steps?kind=encoder&layer=1&head=2&rows=1:4"));
  expect_same(got.tensor("x"), want.x, "x");
  expect_same(got.tensor("w_q"), want.w_q, "w_q");
  expect_same(got.tensor("q"), want.q, "q");
  expect_same(got.tensor("bias"), want.bias, "bias");
  expect_same(got.tensor("weights"), want.weights, "weights");
  expect_same(got.tensor("maximum_score"), want.maximum_score, "maximum");
  expect_same(got.tensor("concat"), want.concat, "concat");
  expect_same(got.tensor("w_o"), want.w_o, "w_o");
  expect_same(got.tensor("output"), want.output, "output");
  EXPECT_FALSE(got.contains("b_q"));
  EXPECT_FALSE(got.contains("q_projected"));
  EXPECT_EQ(got.ids("visible")(0, 0), 1);
  EXPECT_EQ(got.metadata().at("scale"), "1");
  EXPECT_EQ(got.metadata().at("scaled"), "false");
  EXPECT_EQ(got.metadata().at("rotary"), "false");
  EXPECT_EQ(got.metadata().at("positions_begin"), "1");
  EXPECT_EQ(got.metadata().at("heads"), "4");
  EXPECT_EQ(arrays(path_of(summary, "steps?kind=cross&layer=2&head=0")).tensor("memory").shape()[0], 5);
}

TEST_F(Answers, similarity_compares_all_heads) {
  const Json summary = read_text("bert", kText);
  const fovea::Run run = library_run("bert", {kText}).run;
  const HeadSimilarity want = head_similarity(run.all_weights(AttentionKind::encoder));
  const NamedArrays got = arrays(path_of(summary, "similarity?kind=encoder"));
  expect_same(got.tensor("divergence"), want.divergence.to_tensor(), "divergence", 1e-6);
  EXPECT_EQ(got.tensor("layout").shape(), (Shape{8, 2}));
  EXPECT_EQ(got.ids("order").values(), want.order);
}

TEST_F(Answers, rollout_grows_layer_by_layer) {
  const Json summary = read_text("gpt2", kText);
  const fovea::Run run = library_run("gpt2", {kText}).run;
  const NamedArrays got = arrays(path_of(summary, "rollout?kind=decoder"));
  const Tensor& all = got.tensor("rollout");
  const Index n = all.shape()[1];
  Tensor weights({2, 4, n, n});
  for (Index layer = 0; layer < 2; ++layer) {
    const Tensor part = layer_weights(run, AttentionKind::decoder, layer);
    std::copy_n(part.data(), part.shape().elements(), &weights(layer, 0, 0, 0));
    const Matrix want = attention_rollout(stored(Tensor::copy_of(weights.view().slice(0, 0, layer + 1))));
    expect_same(Tensor::copy_of(all.view().select(0, layer)), want.to_tensor(), "rollout",
                1e-3);  // float16
  }
  const Matrix whole = attention_rollout(stored(weights));
  const NamedArrays row = arrays(path_of(summary, "rollout?kind=decoder&query=4"));
  for (Index j = 0; j < n; ++j) EXPECT_NEAR(static_cast<double>(row.tensor("row")(j)), whole(4, j), 1e-6);
}

TEST_F(Answers, a_mask_expression_is_described) {
  const Json mask = Json::parse(get("/api/mask?expression=causal%20%26%20lengths(3)&n=5&m=5")->body);
  const Mask want = Mask::causal() & Mask::lengths({3});
  EXPECT_EQ(mask["density"].get<double>(), want.density(5, 5));
  EXPECT_EQ(mask["rows"], (Json{"10000", "11000", "11100", "11100", "11100"}));
  EXPECT_EQ(mask["rows_seeing_nothing"], Json::array());
  const Json tiles = Json::parse(get("/api/mask?expression=causal&n=2048&m=2048")->body);
  EXPECT_EQ(tiles["tiles"], (Json{{"size", 64}, {"empty", 496}, {"full", 496}, {"partial", 32}}));
  EXPECT_FALSE(tiles.contains("rows"));
  const Json blind = Json::parse(get("/api/mask?expression=!causal&n=3&m=3")->body);
  EXPECT_EQ(blind["rows_seeing_nothing"], (Json{2}));
  expect_error(get("/api/mask?expression=cau&n=3&m=3"), 400, "column 1: unknown mask");
  expect_error(get("/api/mask?expression=causal&n=3"), 400, "expected the parameters");
  expect_error(get("/api/mask?expression=causal&n=3&m=99999999"), 400, "m: expected");
}

}  // namespace
}  // namespace fovea::explorer
