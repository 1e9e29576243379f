// Predictions, heads switched off, masks that act, what is passed on, texts that go on: against the
// library's whole runs.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "explorer/predictions.h"
#include "explorer/request_error.h"
#include "fovea/head_steps.h"
#include "fovea/places.h"
#include "fovea/predict.h"
#include "server_testing.h"

namespace fovea::explorer {
namespace {

const std::string kCatText = "the cat sat on the mat";

class WhatIfAnswers : public ServerTest {
 protected:
  // The whole run, with logits at these positions: no kept run, no restart.
  static TextRun whole(const TextModel& model, const std::string& text, const Intervention& change,
                       const std::vector<Index>& logits_at) {
    ReadOptions options;
    options.intervention = change;
    options.output = true;
    options.logits_at = logits_at;
    return model.read({text}, options);
  }
  static Intervention off(const TextModel& model, const std::string& heads) {
    Intervention all;
    for (const HeadPlace& place : parse_heads(heads, model.model().config())) {
      all = all & Intervention::ablate(place);
    }
    return all;
  }
  static Json json(const std::string& path) {
    const auto result = get(path);
    EXPECT_EQ(result->status, 200) << path << ": " << result->body;
    return Json::parse(result->body);
  }
  static ConstView row(const Tensor& logits) {  // [1, P, V], the first
    return logits.view().select(0, 0).select(0, 0);
  }
};

TEST_F(WhatIfAnswers, the_next_token_before_and_after) {
  const TextModel model = TextModel::load(tiny_model("gpt2"));
  const Json summary = read_text("gpt2", kCatText);
  EXPECT_EQ(summary["predicts"], "next");
  const Index last = static_cast<Index>(summary["sequences"]["decoder"]["tokens"].size()) - 1;
  const TextRun before = whole(model, kCatText, {}, {last, 2});
  const Json plain = json(path_of(summary, "predictions?top=5"));
  EXPECT_EQ(plain["predicts"], "next");
  ASSERT_EQ(plain["positions"].size(), 1u);
  EXPECT_EQ(plain["positions"][0]["position"], last);
  EXPECT_FALSE(plain["positions"][0].contains("kl"));
  const std::vector<TokenPrediction> want = top_tokens(model, row(before.output.logits), 5);
  const Json& top = plain["positions"][0]["top"];
  ASSERT_EQ(top.size(), 5u);
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(top[i]["id"], want[i].id);
    EXPECT_EQ(top[i]["token"], want[i].token);
    EXPECT_NEAR(top[i]["logit"], want[i].logit, 1e-5);
    EXPECT_NEAR(top[i]["probability"], want[i].probability, 1e-6);
  }
  const Json third = json(path_of(summary, "predictions?position=2&top=1"));
  const ConstView at_two = before.output.logits.view().select(0, 0).select(0, 1);
  EXPECT_EQ(third["positions"][0]["top"][0]["id"], top_tokens(model, at_two, 1)[0].id);

  const TextRun after = whole(model, kCatText, off(model, "L0H1,L1H2"), {last});
  const Json changed = json(path_of(summary, "predictions?top=3&off=L0H1,L1H2"))["positions"][0];
  EXPECT_NEAR(changed["kl"], kl_divergence(row(before.output.logits), row(after.output.logits)), 1e-6);
  EXPECT_GT(changed["kl"], 1e-4);
  EXPECT_GE(changed["top"].size(), 3u);
  for (const Json& token : changed["top"]) {
    const Index id = token["id"];
    EXPECT_NEAR(token["logit"], static_cast<double>(row(after.output.logits).data()[id]), 1e-5);
    EXPECT_NEAR(token["logit_before"], static_cast<double>(row(before.output.logits).data()[id]), 1e-5);
  }
  for (const TokenPrediction& was : top_tokens(model, row(before.output.logits), 3)) {
    const auto same = [&](const Json& token) { return token["id"] == was.id; };
    EXPECT_TRUE(std::any_of(changed["top"].begin(), changed["top"].end(), same)) << was.token;
  }
}

// What the run said before is computed for the first change of a position, and for no other.
TEST_F(WhatIfAnswers, before_is_computed_once_and_belongs_to_its_run) {
  CaptureStore captures({{"gpt2", tiny_model("gpt2")}}, TextModel::load, Limits());
  WhatIfStore store{Limits()};
  const TextModel model = TextModel::load(tiny_model("gpt2"));
  const auto ask = [&](const CapturePtr& capture, const Parameters& parameters) {
    return Json::parse(predictions_json(store, capture, parameters, {}))["positions"][0];
  };
  const auto expect_before = [&](const CapturePtr& capture, const Json& at, const std::string& text) {
    const TextRun run = whole(model, text, {}, {at["position"].get<Index>()});
    ASSERT_EQ(capture->text, text);
    ASSERT_GE(at["top"].size(), 3u);
    for (const Json& token : at["top"]) {
      EXPECT_NEAR(token["logit_before"],
                  static_cast<double>(row(run.output.logits).data()[token["id"].get<Index>()]), 1e-5);
    }
  };
  const CapturePtr first = captures.add({"gpt2", kCatText, std::nullopt});
  ask(first, {});
  for (const char* heads : {"L0H1", "L1H2", "L0H0,L1H3"}) {
    expect_before(first, ask(first, {{"off", heads}}), kCatText);
  }
  EXPECT_EQ(store.computed_before(), 1u);
  ask(first, {{"off", "L0H1"}, {"position", "2"}});
  ask(first, {{"off", "L1H1"}, {"position", "2"}});
  EXPECT_EQ(store.computed_before(), 2u);

  // Another run in its place has its own.
  const std::string other_text = "a dog ran in the park";
  const CapturePtr other = captures.add({"gpt2", other_text, std::nullopt, {}, first->id});
  expect_before(other, ask(other, {{"off", "L0H1"}}), other_text);
  EXPECT_EQ(store.computed_before(), 3u);

  // What is deleted is not kept, and what somebody still holds is computed again.
  captures.remove(other->id);
  store.forget(other->id);
  expect_before(other, ask(other, {{"off", "L0H1"}}), other_text);
  EXPECT_EQ(store.computed_before(), 4u);
}

TEST_F(WhatIfAnswers, a_run_without_its_model_is_not_called_a_film) {
  WhatIfStore store{Limits()};
  const auto said = [&](bool film) {
    StoredCapture stored;
    stored.id = "c1";
    stored.film = film;
    stored.read = library_run("gpt2", {kCatText});
    const auto capture = std::make_shared<const StoredCapture>(std::move(stored));
    try {
      predictions_json(store, capture, {}, {});
    } catch (const RequestError& error) {
      EXPECT_EQ(error.status(), 422);
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  EXPECT_NE(said(true).find("a film keeps queries and keys"), std::string::npos) << said(true);
  EXPECT_NE(said(false).find("came without its model"), std::string::npos) << said(false);
}

TEST_F(WhatIfAnswers, every_view_has_the_changed_run) {
  const TextModel model = TextModel::load(tiny_model("gpt2"));
  const Json summary = read_text("gpt2", kCatText);
  const Intervention change =
      off(model, "L0H1") & Intervention::hide({AttentionKind::decoder, 0, {2}}, Mask::sliding_window(1, 1));
  const fovea::Run want = whole(model, kCatText, change, {}).run;
  const fovea::Run plain = library_run("gpt2", {kCatText}).run;
  const std::string how = "&off=L0H1&hide=L0H2&visible=window(1)";
  const HeadChoice later = {.kind = AttentionKind::decoder, .layer = 1, .head = 3};
  const NamedArrays got = arrays(path_of(summary, "weights?kind=decoder&layer=1&head=3" + how));
  expect_same(got.tensor("weights"), want.weights(later), "weights of a later layer", 1e-6);
  double moved = 0;
  for (Index i = 0; i < plain.weights(later).shape().elements(); ++i) {
    moved = std::max(moved, std::abs(static_cast<double>(plain.weights(later).data()[i] -
                                                         got.tensor("weights").data()[i])));
  }
  EXPECT_GT(moved, 1e-4);
  const HeadChoice masked = {.kind = AttentionKind::decoder, .layer = 0, .head = 2};
  expect_same(arrays(path_of(summary, "weights?kind=decoder&layer=0&head=2" + how)).tensor("weights"),
              want.weights(masked), "the masked head", 1e-6);
  const NamedArrays small = arrays(path_of(summary, "thumbnails?kind=decoder" + how));
  EXPECT_EQ(small.tensor("mean").shape()[0], want.layers(AttentionKind::decoder));
  const NamedArrays steps = arrays(path_of(summary, "steps?kind=decoder&layer=1&head=3" + how));
  const LayerRun whole_layer(model.model(), model.read({kCatText}).input, AttentionKind::decoder, 1,
                             change);
  const Index n = want.layer(AttentionKind::decoder, 1).queries();
  expect_same(steps.tensor("output"), whole_layer.head(3, {0, n, 0, n}).output, "output", 1e-5);
  // The capture itself is as it was.
  expect_same(arrays(path_of(summary, "weights?kind=decoder&layer=1&head=3")).tensor("weights"),
              plain.weights(later), "unchanged");
}

TEST_F(WhatIfAnswers, masks_are_filled_and_vectors_move) {
  const Json masked = read_text("bert", "the [MASK] sat");
  const Json filled = json(path_of(masked, "predictions?top=2"));
  EXPECT_EQ(filled["predicts"], "masked");
  ASSERT_EQ(filled["positions"].size(), 1u);
  EXPECT_EQ(filled["positions"][0]["position"], 2);
  const Json none = read_text("bert", "the cat sat");
  EXPECT_EQ(json(path_of(none, "predictions"))["positions"].size(), 0u);
  EXPECT_EQ(json(path_of(none, "predictions?position=1"))["positions"].size(), 1u);

  const TextModel model = TextModel::load(tiny_model("bert"));
  const Json other = read_text("bert", "a dog ran");
  const auto vector = [&](const std::string& text, const Intervention& change) {
    return sentence_vector(whole(model, text, change, {}).output.hidden);
  };
  const std::string with = "cosine?with=" + other["id"].get<std::string>();
  EXPECT_NEAR(json(path_of(none, with))["cosine"],
              cosine(vector("the cat sat", {}), vector("a dog ran", {})), 1e-6);
  const Json changed = json(path_of(none, with + "&off=L0H*"));
  const Intervention first = off(model, "L0H*");
  EXPECT_NEAR(changed["cosine"], cosine(vector("the cat sat", first), vector("a dog ran", first)), 1e-6);
  EXPECT_NEAR(changed["before"], cosine(vector("the cat sat", {}), vector("a dog ran", {})), 1e-6);
  expect_error(get(path_of(none, "cosine?with=c999")), 404);
  const Json gpt2 = read_text("gpt2", kCatText);
  expect_error(get(path_of(gpt2, with)), 422, "encoders");
}

TEST_F(WhatIfAnswers, what_is_passed_on_as_shares_of_each_row) {
  const TextModel model = TextModel::load(tiny_model("gpt2"));
  const Json summary = read_text("gpt2", kCatText);
  const TextRun run = model.read({kCatText});
  const std::string base = path_of(summary, "weights?kind=decoder&layer=1&show=passed");
  const Tensor got = arrays(base + "&head=2").tensor("weights");
  const Index n = got.shape()[0];
  // Head 2 step by step: ‖v(j) · W_O‖, by its rows of W_O [H·D, E].
  const HeadSteps steps =
      LayerRun(model.model(), run.input, AttentionKind::decoder, 1).head(2, {0, n, 0, n});
  const Index width = steps.v.shape()[1];
  std::vector<double> norms;
  for (Index j = 0; j < n; ++j) {
    double squares = 0;
    for (Index e = 0; e < steps.w_o.shape()[1]; ++e) {
      double sum = 0;
      for (Index d = 0; d < width; ++d) {
        sum += static_cast<double>(steps.v(j, d)) * static_cast<double>(steps.w_o(2 * width + d, e));
      }
      squares += sum * sum;
    }
    norms.push_back(std::sqrt(squares));
  }
  for (Index i = 0; i < n; ++i) {
    const auto passed = [&](Index j) {
      return static_cast<double>(steps.weights(i, j)) * norms[static_cast<std::size_t>(j)];
    };
    double sum = 0;
    for (Index j = 0; j < n; ++j) sum += passed(j);
    for (Index j = 0; j < n; ++j) ASSERT_NEAR(static_cast<double>(got(i, j)), passed(j) / sum, 1e-6);
  }
  EXPECT_EQ(arrays(path_of(summary, "thumbnails?kind=decoder&show=passed")).tensor("mean").shape()[0],
            run.run.layers(AttentionKind::decoder));
  EXPECT_TRUE(
      json(path_of(summary, "overview?kind=decoder&show=passed"))["heads"][0][0].contains("measures"));
  const Tensor silent = arrays(base + "&head=2&off=L1H2").tensor("weights");
  for (Index i = 0; i < n * n; ++i) EXPECT_EQ(silent.data()[i], 0);
  expect_error(get(path_of(summary, "steps?kind=decoder&layer=1&head=0&show=passed")), 400, "steps");
}

TEST_F(WhatIfAnswers, a_text_goes_on_with_tokens) {
  const TextModel model = TextModel::load(tiny_model("gpt2"));
  const Json first = read_text("gpt2", kCatText);
  const Index tokens = static_cast<Index>(first["sequences"]["decoder"]["tokens"].size());
  const auto more = [&](const std::string& ids, const std::string& replaces) {
    return post(Json{{"model", "gpt2"}, {"text", kCatText}, {"more", ids}, {"replaces", replaces}}.dump());
  };
  const Json longer = Json::parse(more("5.9", first["id"])->body);
  EXPECT_EQ(longer["more"], (Json{5, 9}));
  EXPECT_EQ(longer["text"], kCatText);
  ASSERT_EQ(static_cast<Index>(longer["sequences"]["decoder"]["tokens"].size()), tokens + 2);
  EXPECT_EQ(longer["sequences"]["decoder"]["ids"].back(), 9);
  const auto listed = [&](const Json& id) {
    const Json state = json("/api/state");
    const auto same = [&](const Json& each) { return each["id"] == id; };
    return std::any_of(state["captures"].begin(), state["captures"].end(), same);
  };
  EXPECT_FALSE(listed(first["id"]));  // replaced: still there for who asks, but not for long
  EXPECT_TRUE(listed(longer["id"]));
  EXPECT_EQ(get("/api/captures/" + first["id"].get<std::string>())->status, 200);
  Json last = longer;
  for (int i = 0; i < 8; ++i) last = Json::parse(more("5.9", last["id"])->body);
  expect_error(get("/api/captures/" + first["id"].get<std::string>()), 404);
  const fovea::Run want = model.read_generated(model.encode({kCatText}), {5, 9}).run;
  expect_same(arrays(path_of(last, "weights?kind=decoder&layer=1&head=0")).tensor("weights"),
              want.weights({.kind = AttentionKind::decoder, .layer = 1, .head = 0}), "weights");
  for (const char* wrong : {"5.", ".5", "5,9", "x", "-1", "99999999999999999999", "5..9"}) {
    expect_error(more(wrong, ""), 400, "more");
  }
  expect_error(more("99999", ""), 422, "token 99999");
  expect_error(post(Json{{"model", "bert"}, {"text", "the cat"}, {"more", "5"}}.dump()), 422, "continue");
  std::string many = "1";
  for (int i = 0; i < 200; ++i) many += ".1";
  expect_error(more(many, ""), 422, "limit");
}

TEST_F(WhatIfAnswers, what_cannot_be_is_refused) {
  const Json summary = read_text("gpt2", kCatText);
  const auto refused = [&](const std::string& query, int status, const std::string& part) {
    expect_error(get(path_of(summary, query)), status, part);
  };
  refused("predictions?off=L9H0", 400, "layers 0 to");
  refused("predictions?off=L0H99", 400, "head 99");
  refused("predictions?off=nonsense", 400, "expected heads");
  refused("predictions?top=0", 400, "top");
  refused("predictions?top=101", 400, "top");
  refused("predictions?position=99", 400, "position");
  refused("predictions?hide=L0H0", 400, "visible");
  refused("predictions?visible=causal", 400, "hide");
  refused("predictions?hide=L0H0&visible=nonsense", 400, "");
  refused("weights?kind=decoder&layer=0&head=0&show=everything", 400, "show");
  refused("overview?kind=decoder&show=everything", 400, "show");
  std::string all = "L0H0";
  for (int i = 0; i < 100; ++i) all += ",L0H0";
  refused("predictions?off=" + all, 400, "101 places");
  expect_error(get("/api/captures/c999/predictions"), 404);
  const Json t5 = read_text("t5", "the cat", "a dog");
  expect_error(get(path_of(t5, "predictions?off=L0H0")), 400, "three kinds");
  EXPECT_GT(json(path_of(t5, "predictions?off=cross.L0H0"))["positions"][0]["kl"], 0);
}

}  // namespace
}  // namespace fovea::explorer
