// A film keeps every frame bit for bit, through a file and an interruption, and trusts no file.
#include "fovea/film.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "fovea/file.h"
#include "fovea/random.h"
#include "fovea/safetensors.h"
#include "fovea/text_model.h"
#include "fovea/train.h"
#include "fovea/training_tasks.h"
#include "io/io_testing.h"

namespace fovea {
namespace {

constexpr Index kFilmHeads = 3, kFilmTokens = 4, kFilmWidth = 5;
constexpr auto kDecoder = AttentionKind::decoder;

// A causal run of two layers on "a b c d"; its numbers follow from the seed.
fovea::Run frame_run(std::uint64_t seed, Index tokens = kFilmTokens, bool bias = false) {
  Random random(seed);
  Capture capture;
  capture.model = "nano";
  TokenSequence sequence;
  for (Index i = 0; i < tokens; ++i) {
    sequence.tokens.push_back(std::string(1, static_cast<char>('a' + i)));
    sequence.ids.push_back(i);
    sequence.begins.push_back(2 * i);
    sequence.ends.push_back(2 * i + 1);
  }
  capture.sequences = {sequence};
  for (Index layer = 0; layer < 2; ++layer) {
    AttentionOptions options{.mask = Mask::causal()};
    if (bias) options.bias = Bias::alibi({1, 2, 3});
    const Tensor q = random.normal({1, kFilmHeads, tokens, kFilmWidth}),
                 k = random.normal({1, kFilmHeads, tokens, kFilmWidth}),
                 v = random.normal({1, kFilmHeads, tokens, kFilmWidth});
    capture.attention({kDecoder, layer, q, k, v, options});
  }
  return fovea::Run(std::move(capture));
}

Film sample_film(std::uint64_t frames = 3) {
  Film film({"a b c d", "a b c d e"});
  for (std::uint64_t f = 0; f < frames; ++f) {
    film.append(static_cast<Index>(10 * f), f == 0 ? std::nan("") : 4.0 / static_cast<double>(f),
                {frame_run(f), frame_run(100 + f, 5)});
  }
  for (Index step = 1; step <= 10 * static_cast<Index>(frames - 1); ++step) {
    film.add_loss(step, 1.0 / static_cast<double>(step));
  }
  return film;
}

void expect_same_weights(const fovea::Run& got, const fovea::Run& want) {
  for (Index layer = 0; layer < 2; ++layer) {
    for (Index head = 0; head < kFilmHeads; ++head) {
      const HeadChoice choice{.kind = kDecoder, .layer = layer, .head = head};
      const Tensor a = got.weights(choice), b = want.weights(choice);
      ASSERT_EQ(a.shape(), b.shape());
      for (Index i = 0; i < a.shape().elements(); ++i) ASSERT_EQ(a.data()[i], b.data()[i]);
    }
  }
}

void expect_sample(const Film& film) {
  ASSERT_EQ(film.frames().size(), 3u);
  EXPECT_EQ(film.model(), "nano");
  EXPECT_EQ(film.texts(), (std::vector<std::string>{"a b c d", "a b c d e"}));
  EXPECT_EQ(film.frames()[2].step, 20);
  EXPECT_TRUE(std::isnan(film.frames()[0].loss));
  EXPECT_EQ(film.frames()[2].loss, 2.0f);
  ASSERT_EQ(film.losses().size(), 20u);
  EXPECT_EQ(film.losses()[3].step, 4);
  EXPECT_EQ(film.losses()[3].loss, 0.25f);
  for (Index f = 0; f < 3; ++f) {
    const auto seed = static_cast<std::uint64_t>(f);
    expect_same_weights(film.run(f, 0), frame_run(seed));
    expect_same_weights(film.run(f, 1), frame_run(100 + seed, 5));
    const TokenSequence& tokens = film.run(f, 1).tokens(kDecoder).queries.at(0);
    EXPECT_EQ(tokens, frame_run(0, 5).tokens(kDecoder).queries.at(0));
    EXPECT_EQ(film.run(f).model(), "nano");
  }
  // Queries and keys of 3 frames, 2 layers, 4 + 5 tokens; no values.
  EXPECT_EQ(film.bytes(), sizeof(float) * 3u * 2u * 2u * 9u * kFilmHeads * kFilmWidth);
}

TEST(Film, keeps_every_frame_bit_for_bit) { expect_sample(sample_film()); }

TEST(Film, a_file_brings_everything_back) {
  const TemporaryFolder folder;
  sample_film().save(folder / "film.safetensors");
  expect_sample(Film::load(folder / "film.safetensors"));
  expect_sample(Film::parse(read_file(folder / "film.safetensors"), "[film]"));
}

// Killed after the film was saved at step 20, but before the checkpoint of that step: training goes on at
// 10.
TEST(Film, an_interrupted_film_ends_as_the_whole_one) {
  const TemporaryFolder folder;
  sample_film().save(folder / "whole");
  Film film = Film::load(folder / "whole");
  film.rewind(10);
  EXPECT_EQ(film.frames().size(), 2u);
  EXPECT_EQ(film.losses().back().step, 10);
  EXPECT_TRUE(contains(error_of([&] { film.run(2); }), "frame 2 was asked for, there are 2"));
  film.append(20, 2.0, {frame_run(2), frame_run(102, 5)});
  for (Index step = 11; step <= 20; ++step) film.add_loss(step, 1.0 / static_cast<double>(step));
  film.save(folder / "resumed");
  EXPECT_EQ(read_file(folder / "resumed"), read_file(folder / "whole"));
}

TEST(Film, refuses_what_does_not_belong_together) {
  Film film = sample_film();
  const auto append = [&](Index step, fovea::Run first, fovea::Run second) {
    return error_of([&] { film.append(step, 1, {std::move(first), std::move(second)}); });
  };
  EXPECT_TRUE(contains(append(20, frame_run(1), frame_run(2, 5)), "step 20, expected step 21"));
  EXPECT_TRUE(contains(append(30, frame_run(1), frame_run(2, 4)), "in the first frame"));
  EXPECT_TRUE(contains(append(30, frame_run(1, 4, true), frame_run(2, 5)), "keeps no biases"));
  EXPECT_TRUE(contains(append(30, frame_run(1, 5), frame_run(2, 5)), "text 0 at step 30"));
  EXPECT_TRUE(contains(error_of([&] { film.append(30, 1, {frame_run(1)}); }), "1 runs for 2 texts"));
  EXPECT_TRUE(contains(error_of([&] { film.add_loss(20, 1); }), "a loss of step 20"));
  EXPECT_TRUE(contains(error_of([] { Film(std::vector<std::string>{}); }), "at least one"));
  EXPECT_TRUE(contains(error_of([&] { film.run(0, 2); }), "text 2 was asked for"));
  EXPECT_TRUE(contains(error_of([] { Film({"a"}).save("/dev/null"); }), "without frames"));
  const fovea::Run stored = fovea::Run::from_weights(Tensor::filled({1, 1, 4, 4}, 0.25f));
  EXPECT_TRUE(contains(append(30, stored, frame_run(2, 5)), "keeps queries and keys"));
  expect_sample(film);  // nothing changed
}

// A file with one thing changed.
std::string changed(const std::function<void(NamedArrays&)>& change) {
  const TemporaryFolder folder;
  sample_film().save(folder / "film");
  NamedArrays arrays = load_safetensors(folder / "film");
  change(arrays);
  return error_of([&] { Film::parse(safetensors_bytes(arrays), "[film]"); });
}

NamedArrays without(const NamedArrays& arrays, const std::string& name) {
  NamedArrays rest(arrays.source());
  rest.metadata() = arrays.metadata();
  for (const NamedArrays::Entry& entry : arrays) {
    if (entry.name == name) continue;
    std::visit([&](const auto& array) { rest.add(entry.name, array); }, entry.array);
  }
  return rest;
}

std::string with_array(const std::string& name, Tensor tensor) {
  return changed([&](NamedArrays& arrays) {
    arrays = without(arrays, name);
    arrays.add(name, tensor);
  });
}

std::string with_text(const std::string& from, const std::string& to) {
  return changed([&](NamedArrays& arrays) {
    std::string& json = arrays.metadata()["fovea.film"];
    const std::size_t at = json.find(from);
    ASSERT_NE(at, json.npos) << from << " in " << json;
    json.replace(at, from.size(), to);
  });
}

TEST(Film, files_are_not_trusted) {
  EXPECT_EQ(changed([](NamedArrays&) {}), "");
  EXPECT_TRUE(contains(changed([](NamedArrays& a) { a.metadata().clear(); }), "not a film"));
  EXPECT_TRUE(contains(changed([](NamedArrays& a) { a = without(a, "frames.step"); }), "frames.step"));
  EXPECT_TRUE(contains(changed([](NamedArrays& a) { a = without(a, "1.decoder.1.k"); }), "1.decoder.1.k"));
  const Shape frames{3, kFilmHeads, kFilmTokens, kFilmWidth};
  EXPECT_EQ(with_array("0.decoder.0.q", Tensor(frames)), "");
  EXPECT_TRUE(
      contains(with_array("0.decoder.0.q", Tensor::filled(frames, std::nanf(""))), "expected numbers"));
  EXPECT_TRUE(contains(with_array("0.decoder.0.q", Tensor::filled(frames, 3e38f)), "expected numbers"));
  EXPECT_TRUE(contains(with_array("0.decoder.0.q", Tensor({2, 3, 4, 5})), "expected [B, H, N, D]"));
  EXPECT_TRUE(contains(with_array("0.decoder.0.q", Tensor({3, 3, 4, 6})), "width"));
  EXPECT_TRUE(contains(with_array("0.decoder.1.q", Tensor({3, 3, 2, 5})), "as many"));
  EXPECT_TRUE(contains(with_array("frames.loss", Tensor({2})), "expected [F] twice"));
  EXPECT_TRUE(contains(changed([](NamedArrays& a) {
                         a = without(a, "frames.step");
                         a.add("frames.step", Ids{0, 10, 10});
                       }),
                       "expected 11 or more"));
  EXPECT_TRUE(contains(changed([](NamedArrays& a) {
                         a = without(without(a, "frames.step"), "frames.loss");
                         a.add("frames.step", Ids{0, 10});
                         a.add("frames.loss", Tensor({2}));
                       }),
                       "has 3 frames, there are 2"));
  EXPECT_TRUE(contains(with_text("\"version\": 1", "\"version\": 2"), "version 2"));
  EXPECT_TRUE(contains(with_text("\"causal\"", "\"caudal\""), "caudal"));
  EXPECT_TRUE(contains(with_text("\"layer\": 1", "\"layer\": 7"), "7"));
  EXPECT_TRUE(contains(with_text("[\"a\",", "[\"a\", \"x\","), "5 tokens for 4"));
  EXPECT_TRUE(contains(with_text("\"softcap\": 0", "\"softcap\": -1"), "softcap"));
  EXPECT_TRUE(contains(with_text("\"softcap\": 0", "\"softcap\": 0, \"scale\": 1e300"), "scale"));
}

TEST(Film, a_file_that_is_too_large_is_refused_before_it_is_read) {
  const TemporaryFolder folder;
  const Film film = sample_film();
  film.save(folder / "film");
  EXPECT_TRUE(
      contains(error_of([&] { Film::load(folder / "film", film.bytes()); }), "bytes that are read"));
  EXPECT_EQ(Film::load(folder / "film", film.bytes() + 300).frames().size(), 3u);
  // One number per frame: a small file of a million frames.
  NamedArrays many("[film]");
  constexpr Index kMany = 1'000'000;
  Ids steps = Ids::filled({kMany}, 0);
  for (Index i = 0; i < kMany; ++i) steps(i) = i;
  many.add("frames.step", std::move(steps));
  many.add("frames.loss", Tensor({kMany}));
  many.add("0.decoder.0.q", Tensor({kMany, 1, 1, 1}));
  many.add("0.decoder.0.k", Tensor({kMany, 1, 1, 1}));
  many.metadata()["fovea.film"] =
      R"({"version": 1, "model": "", "texts": [{"text": "a", "tokens": {"decoder": {"queries": [{"tokens": ["a"],
          "ids": [], "begins": [], "ends": [], "segments": []}]}},
          "layers": [{"kind": "decoder", "layer": 0, "mask": "none", "softcap": 0}]}]})";
  EXPECT_TRUE(
      contains(error_of([&] { Film::parse(safetensors_bytes(many), "[film]"); }), "1,000,000 layers"));
}

// Every cut and every changed byte of a small file: read, or an Error.
TEST(Film, damaged_files_are_errors) {
  const TemporaryFolder folder;
  sample_film(2).save(folder / "film");
  const std::string bytes = read_file(folder / "film");
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    EXPECT_NE(error_of([&] { Film::parse(bytes.substr(0, size), "[film]"); }), "") << size;
  }
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x15);
    static_cast<void>(error_of([&] { Film::parse(damaged, "[film]"); }));
  }
}

// What training makes: the frames differ, the last one is what the trained model does.
TEST(Film, of_a_model_in_training) {
  TrainableConfig config;
  config.vocabulary = 16, config.layers = 1, config.heads = 2, config.width = 16, config.max_tokens = 16;
  TrainingOptions options;
  options.steps = 4, options.rate = 1e-2;
  const InductionTask task{
      .vocabulary = 16, .tokens = 16, .shortest_period = 4, .longest_period = 8, .batch = 4};
  Trainer trainer(TrainableModel(config, Random(1)), options, training_data(task));
  const auto run = [&] {
    Capture capture;
    capture.model = "induction";
    capture.sequences = {{{"3", "1", "4", "3", "1"}, {3, 1, 4, 3, 1}, {}, {}, {}}};
    ModelInput input;
    input.ids = Ids{{3, 1, 4, 3, 1}};
    RunOptions run_options;
    run_options.probe = &capture;
    trainer.model().to_model().run(input, run_options);
    return fovea::Run(std::move(capture));
  };
  Film film({"3 1 4 3 1"});
  film.append(0, std::nan(""), {run()});
  for (int i = 0; i < 4; ++i) {
    const TrainingStep step = trainer.train_step();
    film.add_loss(step.step, step.loss);
    film.append(step.step, step.loss, {run()});
  }
  const HeadChoice choice{.kind = kDecoder, .head = 1};
  const Tensor last = film.run(4).weights(choice), now = run().weights(choice),
               first = film.run(0).weights(choice);
  EXPECT_EQ(last(3, 2), now(3, 2));
  EXPECT_NE(last(3, 2), first(3, 2));
  EXPECT_EQ(last(0, 1), 0);
}

}  // namespace
}  // namespace fovea
