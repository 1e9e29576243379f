// Studies: the same bits in any order, shards and threads; numbers against measures of each text.
#include "fovea/study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "analysis/study/exact_sum.h"
#include "analysis/study/pair_sketch.h"
#include "analysis/study/study_similarity.h"
#include "fovea/head_roles.h"
#include "fovea/random.h"
#include "fovea/threads.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace fovea {
namespace {

using testing::message_of;

const TextModel& small_model() {
  static const TextModel model = TextModel::load(std::string(FOVEA_TEST_DATA) + "/models/bert");
  return model;
}

std::vector<std::string> some_texts() {
  const std::vector<std::string> words = {"the", "cat", "sat",   "on",  "a",   "mat",
                                          ".",   ",",   "movie", "was", "good"};
  Random random(3);
  std::vector<std::string> texts;
  for (int t = 0; t < 23; ++t) {
    std::string text;
    for (Index i = 0; i < 1 + random.below(20); ++i) {
      text += words[static_cast<std::size_t>(random.below(static_cast<Index>(words.size())))] + " ";
    }
    texts.push_back(text);
  }
  texts[5] = "";
  texts[6] = "caf\xc3\xa9 \xe5\xa5\xbd 12 !";
  return texts;
}

StudyOptions small_options() {
  StudyOptions options;
  options.length = 12;
  options.corpus = "some texts";
  return options;
}

std::string bytes_of(const Study& study) {
  const TemporaryDirectory directory;
  study.save(directory.file("s.safetensors"));
  return text_of(directory.file("s.safetensors"));
}

Study study_of(const std::vector<std::string>& texts) {
  Study study(small_model(), small_options());
  study.add(small_model(), texts);
  return study;
}

std::string put_lines(const TemporaryDirectory& directory, const std::string& name,
                      const std::vector<std::string>& lines) {
  std::ofstream file(directory.file(name), std::ios::binary);
  for (const std::string& line : lines) file << line << "\n";
  return directory.file(name);
}

TEST(Study, sums_are_exact_in_any_order) {
  Random random(1);
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(random.normal() * std::pow(10, random.below(6)));
  Int128 forward = 0, backward = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    forward += exact(values[i]);
    backward += exact(values[values.size() - 1 - i]);
  }
  EXPECT_TRUE(forward == backward);
  EXPECT_EQ(value_of(exact(0.375)), 0.375);
  EXPECT_EQ(value_of(exact(-1e9)), -1e9);
  EXPECT_EQ(value_of(exact(1e14)), 1e14);
}

TEST(Study, heavy_pairs_are_found_whatever_else_comes) {
  const Index vocabulary = 30522;
  std::vector<std::int64_t> buckets(static_cast<std::size_t>(kPairBuckets * pair_counters(vocabulary)));
  Random random(5);
  const auto add_pair = [&](Index query, Index key, double weight) {
    const MarkedAmount pair = marked_pair(vocabulary, query, key, weight);
    add_marked(buckets.data(), pair_counters(vocabulary), {&pair, 1});
  };
  for (int i = 0; i < 20000; ++i) add_pair(random.below(vocabulary), random.below(vocabulary), 0.2);
  std::map<std::pair<Index, Index>, double> heavy;
  for (Index p = 0; p < 20; ++p) {
    const auto pair = std::pair(random.below(vocabulary), random.below(vocabulary));
    heavy[pair] = 50;
    for (int i = 0; i < 50; ++i) add_pair(pair.first, pair.second, 1);
  }
  Index found = 0;
  for (Index b = 0; b < kPairBuckets; ++b) {
    const auto pair = pair_of_bucket(buckets.data(), vocabulary, b);
    if (!pair || pair->weight < 40) continue;
    const auto known = heavy.find({pair->query, pair->key});
    ASSERT_NE(known, heavy.end());
    EXPECT_GE(pair->weight, known->second);
    EXPECT_LE(pair->weight, known->second + 10);  // what else fell into the bucket
    ++found;
  }
  EXPECT_GE(found, 19);  // two may have met in one bucket
}

// Float32 logarithms against doubles: peaked and even rows, zeros, rows that see nothing, equal heads.
TEST(Study, divergences_are_those_of_doubles) {
  constexpr Index kRows = 3, kHeads = 7;
  for (const Index n : {1, 2, 9, 64, 123}) {
    Random random(static_cast<std::uint64_t>(n));
    std::vector<float> weights;
    for (Index row = 0; row < kRows * kHeads; ++row) {
      double sum = 0;
      std::vector<double> scores(static_cast<std::size_t>(n));
      for (double& score : scores) {
        score = random.uniform() < 0.2 ? 0 : std::exp(static_cast<double>(row) * random.normal());
        sum += score;
      }
      const bool blind = row == 4 || sum == 0;
      const double scale = 1 + 0.1 * static_cast<double>(row);  // rows are brought to a sum of 1
      for (const double score : scores)
        weights.push_back(blind ? 0.0f : static_cast<float>(scale * score / sum));
    }
    for (Index j = 0; j < n; ++j) {  // heads 1 and 2 of the last row are the same
      weights[static_cast<std::size_t>((2 * kHeads + 2) * n + j)] =
          weights[static_cast<std::size_t>((2 * kHeads + 1) * n + j)];
    }
    const auto entropy = [&](Index r, Index a, Index b) {  // of the mean of two heads' rows
      double total[2] = {0, 0}, result = 0;
      const auto at = [&](Index h, Index j) {
        return static_cast<double>(weights[static_cast<std::size_t>((r * kHeads + h) * n + j)]);
      };
      for (Index j = 0; j < n; ++j) total[0] += at(a, j), total[1] += at(b, j);
      for (Index j = 0; j < n; ++j) {
        const double p = (at(a, j) / total[0] + at(b, j) / total[1]) / 2;
        if (p > 0) result -= p * std::log(p);
      }
      return result;
    };
    const auto sees = [&](Index r, Index h) {
      const float* row = weights.data() + (r * kHeads + h) * n;
      return std::any_of(row, row + n, [](float weight) { return weight > 0; });
    };
    const std::vector<double> sums = divergence_sums(weights, kRows, kHeads, n);
    std::size_t pair = 0;
    for (Index a = 0; a < kHeads; ++a) {
      for (Index b = a + 1; b < kHeads; ++b, ++pair) {
        double expected = 0;
        for (Index r = 0; r < kRows; ++r) {
          if (sees(r, a) != sees(r, b)) {
            expected += std::log(2.0);
          } else if (sees(r, a)) {
            expected += entropy(r, a, b) - (entropy(r, a, a) + entropy(r, b, b)) / 2;
          }
        }
        EXPECT_NEAR(sums[pair], expected, 4e-7) << n << " keys, heads " << a << " and " << b;
      }
    }
    std::vector<float> alike(weights.end() - kHeads * n, weights.end());
    EXPECT_EQ(divergence_sums(alike, 1, kHeads, n)[static_cast<std::size_t>(kHeads - 1)],
              0.0);  // heads 1 and 2
  }
}

TEST(Study, means_are_those_of_the_measures_of_each_text) {
  const std::vector<std::string> texts = some_texts();
  const Study study = study_of(texts);
  EXPECT_EQ(study.counts().texts, 22);
  EXPECT_EQ(study.counts().skipped, 1);
  EXPECT_GT(study.counts().cut, 0);
  const Index heads = study.layers() * study.heads();
  std::vector<std::array<double, kMeasureCount>> sums(static_cast<std::size_t>(heads));
  std::vector<std::array<Index, kMeasureCount>> counts(static_cast<std::size_t>(heads));
  std::vector<std::map<std::string, Index>> roles(static_cast<std::size_t>(heads));
  for (const std::string& text : texts) {
    EncodeOptions options;
    options.max_length = 12;
    const Encoding encoding = small_model().tokenizer().encode(text, options);
    if (encoding.size() <= 2) continue;
    Capture capture;
    ModelInput input{
        Ids({1, encoding.size()}, encoding.ids), {}, Ids({1, encoding.size()}, encoding.type_ids), {}};
    static_cast<void>(small_model().model().run(input, {&capture, false}));
    MeasureOptions measure;
    measure.tokens = encoding.tokens;
    for (const UnknownToken& token : encoding.unknown) measure.unknown.push_back(token.place);
    measure.unknown_keys = measure.unknown;
    measure.head_mean = false;
    const AttentionMeasures measures = measure_attention(fovea::Run(std::move(capture)), measure);
    for (Index h = 0; h < heads; ++h) {
      const auto at = static_cast<std::size_t>(h);
      const HeadMeasures& head = measures.heads[at / static_cast<std::size_t>(study.heads())]
                                               [at % static_cast<std::size_t>(study.heads())];
      ++roles[at][role_of(head, encoding.tokens).id];
      const auto add = [&](Measure m, double value, Index rows) {
        sums[at][static_cast<std::size_t>(m)] += value * static_cast<double>(rows);
        counts[at][static_cast<std::size_t>(m)] += rows;
      };
      for (const Measure m : {Measure::entropy, Measure::confidence, Measure::keys_90, Measure::distance,
                              Measure::special_tokens, Measure::punctuation, Measure::diagonal}) {
        add(m, head[m], encoding.size());
      }
      add(Measure::previous_token, head[Measure::previous_token], encoding.size() - 1);
      add(Measure::sink_share, head[Measure::sink_share], 1);
    }
  }
  for (Index h = 0; h < heads; ++h) {
    const auto at = static_cast<std::size_t>(h);
    for (std::size_t m = 0; m < kMeasureCount; ++m) {
      if (counts[at][m] == 0) continue;
      const StudyValue value = study.value(h, static_cast<Measure>(m));
      EXPECT_EQ(value.count, counts[at][m]) << "head " << h << ", measure " << m;
      EXPECT_NEAR(value.mean, sums[at][m] / static_cast<double>(counts[at][m]), 1e-9);
    }
    for (const StudyRole& role : study.roles(h)) {
      EXPECT_EQ(role.share, static_cast<double>(roles[at][role.id]) / 22) << role.id;
    }
  }
}

TEST(Study, positions_kinds_and_histograms_add_up) {
  const Study study = study_of(some_texts());
  for (const Measure measure : study_measures()) {
    if (measure == Measure::received || measure == Measure::sink_share) continue;
    const StudyValue all = study.value(0, measure);
    Index by_position = 0, by_kind = 0, in_bins = 0;
    double sum = 0;
    for (Index i = 0; i < 12; ++i) by_position += study.at_position(0, measure, i).count;
    for (Index k = 0; k < kTokenKinds; ++k) {
      const StudyValue value = study.of_kind(0, measure, static_cast<TokenKind>(k));
      by_kind += value.count;
      if (value.count > 0) sum += value.mean * static_cast<double>(value.count);
    }
    for (const Index count : study.histogram(0, measure)) in_bins += count;
    EXPECT_EQ(by_position, all.count);
    EXPECT_EQ(by_kind, all.count);
    EXPECT_EQ(in_bins, all.count);
    EXPECT_NEAR(sum, all.mean * static_cast<double>(all.count), 1e-9);
    const double width = study.histogram_range(measure) / kStudyBins;
    EXPECT_LE(study.quantile(0, measure, 0.05), study.quantile(0, measure, 0.95) + width);
  }
  double weight = 0;
  for (const StudyToken& token : study.received(0, 1000)) weight += token.received;
  EXPECT_NEAR(weight, static_cast<double>(study.counts().tokens), 1e-3);
}

TEST(Study, the_same_bits_in_any_order_and_batch) {
  std::vector<std::string> texts = some_texts();
  const std::string truth = bytes_of(study_of(texts));
  Study one_by_one(small_model(), small_options());
  std::reverse(texts.begin(), texts.end());
  for (const std::string& text : texts) one_by_one.add(small_model(), {text});
  EXPECT_EQ(bytes_of(one_by_one), truth);
}

TEST(Study, the_same_bits_on_any_number_of_threads) {
  const int before = thread_count();
  set_thread_count(1);
  const std::string truth = bytes_of(study_of(some_texts()));
  set_thread_count(4);
  EXPECT_EQ(bytes_of(study_of(some_texts())), truth);
  set_thread_count(before);
}

TEST(Study, shards_merge_to_the_same_bits) {
  const TemporaryDirectory directory;
  const std::string path = put_lines(directory, "texts.txt", some_texts());
  StudyRunOptions options;
  options.study = small_options();
  Corpus corpus(path);
  const std::string truth = bytes_of(study_corpus(small_model(), corpus, options));
  for (const Index shards : {3, 7}) {
    std::vector<Study> parts;
    for (Index i = shards; i >= 1; --i) {
      Corpus again(path);
      options.shard = i, options.shards = shards;
      study_corpus(small_model(), again, options).save(directory.file("part"));
      parts.push_back(Study::load(directory.file("part")));
    }
    EXPECT_EQ(parts.front().shard(), std::to_string(shards) + "/" + std::to_string(shards));
    EXPECT_NE(message_of([&] { Study(parts[0]).merge(parts[0]); }).find("is in both"), std::string::npos);
    for (std::size_t i = 1; i < parts.size(); ++i) parts[0].merge(parts[i]);
    EXPECT_EQ(parts[0].shard(), "");
    EXPECT_EQ(bytes_of(parts[0]), truth) << shards << " shards";
  }
}

TEST(Study, goes_on_where_it_was_stopped) {
  const TemporaryDirectory directory;
  std::vector<std::string> texts;
  for (int i = 0; i < 4; ++i) {
    for (const std::string& text : some_texts()) texts.push_back(text + std::to_string(i));
  }
  const std::string path = put_lines(directory, "texts.txt", texts);
  StudyRunOptions options;
  options.study = small_options();
  Corpus whole(path);
  const std::string truth = bytes_of(study_corpus(small_model(), whole, options));
  options.checkpoint = directory.file("partial");
  int stops = 0;
  for (bool done = false; !done;) {
    std::stop_source stop;
    options.stop = stop.get_token();
    options.progress = [&](const StudyProgress&) { stop.request_stop(); };
    Corpus corpus(path);
    try {
      const Study study = study_corpus(small_model(), corpus, options);
      EXPECT_EQ(bytes_of(study), truth);
      done = true;
    } catch (const Stopped&) {
      ASSERT_LT(++stops, 20);
    }
  }
  EXPECT_GE(stops, 3);
  options.stop = {};
  options.progress = {};
  texts[2] += "changed";
  Corpus changed(put_lines(directory, "texts.txt", texts));
  EXPECT_NE(
      message_of([&] { study_corpus(small_model(), changed, options); }).find("the corpus has changed"),
      std::string::npos);
}

// As one that is killed: what counts is the file that was there at some moment, not what a stop still
// saves.
TEST(Study, goes_on_from_what_was_saved_on_the_way) {
  const TemporaryDirectory directory;
  std::vector<std::string> texts;
  for (int i = 0; i < 4; ++i) {
    for (const std::string& text : some_texts()) texts.push_back(text + std::to_string(i));
  }
  const std::string path = put_lines(directory, "texts.txt", texts);
  StudyRunOptions options;
  options.study = small_options();
  const auto bytes = [&] {
    Corpus corpus(path);
    return bytes_of(study_corpus(small_model(), corpus, options));
  };
  const std::string truth = bytes();
  options.checkpoint = directory.file("partial");
  options.checkpoint_seconds = 0;
  const std::string killed = directory.file("killed");
  // Before a report stands what was saved after the one before it: the third is the first with texts in it,
  // the second of a run that went on has those it began with.
  for (const int moment : {3, 2, 3, 2}) {
    int reports = 0;
    options.progress = [&](const StudyProgress&) {
      if (++reports == moment) std::filesystem::copy_file(options.checkpoint, killed);
    };
    EXPECT_EQ(bytes(), truth) << moment;
    if (reports < moment) break;
    std::filesystem::rename(killed, options.checkpoint);
  }
  options.progress = {};
  EXPECT_EQ(bytes(), truth);
}

// A study of rounded weights is another one: shards of both must not be mixed.
TEST(Study, how_the_model_was_loaded_belongs_to_a_study) {
  const std::string folder = std::string(FOVEA_TEST_DATA) + "/models/bert";
  const auto load = [&](const ModelOptions& options) {
    return TextModel(load_model(folder, options), Tokenizer::load(folder));
  };
  const TextModel rounded = load({.weights = FloatType::bfloat16});
  const TextModel coarse = load({.weights = FloatType::bfloat16, .precision = Precision::bfloat16});
  const Study exact = study_of(some_texts());
  Study study(rounded, small_options());
  study.add(rounded, some_texts());
  EXPECT_EQ(message_of([&] { study.add(small_model(), {"the cat"}); }),
            "[study] got a model with float32 weights and float32 products, expected bfloat16 and float32");
  EXPECT_EQ(
      message_of([&] { study.add(coarse, {"the cat"}); }),
      "[study] got a model with bfloat16 weights and bfloat16 products, expected bfloat16 and float32");
  EXPECT_EQ(message_of([&] { Study(exact).merge(study); }),
            "[study] cannot merge: the type of the weights is float32 in one, bfloat16 in the other");
  EXPECT_EQ(message_of([&] { Study(study).merge(Study(coarse, small_options())); }),
            "[study] cannot merge: the precision is float32 in one, bfloat16 in the other");

  const TemporaryDirectory directory;
  study.save(directory.file("s"));
  EXPECT_EQ(Study::load(directory.file("s")).weights(), FloatType::bfloat16);
  std::string bytes = text_of(directory.file("s"));
  bytes.replace(bytes.find("bfloat16"), 8, "bfloat61");  // the first one is that of the weights
  std::ofstream(directory.file("odd"), std::ios::binary) << bytes;
  EXPECT_NE(message_of([&] { Study::load(directory.file("odd")); }).find("weights is bfloat61"),
            std::string::npos);

  StudyRunOptions options;
  options.study = small_options();
  options.checkpoint = directory.file("partial");
  options.checkpoint_seconds = 0;
  const std::string path = put_lines(directory, "texts.txt", some_texts());
  Corpus corpus(path), again(path);
  study_corpus(rounded, corpus, options);
  EXPECT_NE(message_of([&] { study_corpus(small_model(), again, options); }).find("is of another study"),
            std::string::npos);
}

TEST(Study, files_are_checked) {
  const TemporaryDirectory directory;
  const Study study = study_of(some_texts());
  study.save(directory.file("s"));
  EXPECT_EQ(bytes_of(Study::load(directory.file("s"))), bytes_of(study));
  std::string bytes = text_of(directory.file("s"));
  const std::size_t place = bytes.find("\\\"layers\\\":");
  ASSERT_NE(place, std::string::npos);
  bytes[place + 11] = '7';
  std::ofstream(directory.file("other"), std::ios::binary) << bytes;
  EXPECT_NE(message_of([&] { Study::load(directory.file("other")); }).find("expected"), std::string::npos);
  EXPECT_NE(message_of([&] { Study(small_model(), {.length = 1}); }).find("[study] got a length of 1"),
            std::string::npos);
}

TEST(Study, decoders_and_encoders_of_both_kinds) {
  for (const char* name : {"gpt2", "t5"}) {
    const TextModel model = TextModel::load(std::string(FOVEA_TEST_DATA) + "/models/" + name);
    Study study(model, {.length = 8});
    study.add(model, {"the cat sat on the mat", "a quick fox"});
    EXPECT_EQ(study.counts().texts, 2) << name;
    const bool decoder = study.kind() == AttentionKind::decoder;
    EXPECT_EQ(decoder, std::string(name) == "gpt2");
    EXPECT_EQ(std::isnan(study.at_distance(0, 1)), decoder) << "a decoder does not see what follows";
    EXPECT_EQ(study.value(0, Measure::next_token).count == 0, decoder);
    EXPECT_GT(study.value(0, Measure::entropy).count, 0);
  }
}

TEST(Study, places_are_the_strongest_of_each_text) {
  const Study study = study_of(some_texts());
  for (Index h = 0; h < study.layers() * study.heads(); ++h) {
    const std::vector<StudyPlace>& places = study.places(h);
    ASSERT_FALSE(places.empty());
    EXPECT_LE(static_cast<Index>(places.size()), kStudyPlaces);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (i > 0) {
        EXPECT_GE(places[i - 1].weight, places[i].weight);
      }
      EXPECT_EQ(places[i].weights[static_cast<std::size_t>(places[i].key_at)], places[i].weight);
      EXPECT_NE(places[i].query, places[i].key);
    }
  }
}

}  // namespace
}  // namespace fovea
