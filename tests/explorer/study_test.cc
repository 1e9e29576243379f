// Studies on the server and in a page of their own: what the page gets are the library's numbers.
#include <cmath>
#include <numeric>

#include "explorer/study_routes.h"
#include "fovea/base64.h"
#include "fovea/error.h"
#include "fovea/measure_definitions.h"
#include "server_testing.h"

namespace fovea::explorer {
namespace {

const std::vector<std::string>& texts() {
  static const std::vector<std::string> all = {"the cat sat on the mat", "a dog ran",
                                               "the cat the cat the cat"};
  return all;
}

Study small_study(const std::string& corpus, std::size_t count = 3) {
  const TextModel model = TextModel::load(tiny_model("bert"));
  Study study(model, {.length = 12, .corpus = corpus});
  study.add(model, {texts().begin(), texts().begin() + static_cast<std::ptrdiff_t>(count)});
  return study;
}

class StudyServer : public ServerTest {
 protected:
  static void SetUpTestSuite() {
    ServerTest::SetUpTestSuite();
    running().server().show({small_study("three"), small_study("two", 2)});
  }
};

TEST_F(StudyServer, state_lists_the_studies) {
  const Json studies = Json::parse(get("/api/state")->body).at("studies");
  const Study study = small_study("three");
  ASSERT_EQ(studies.size(), 2u);
  EXPECT_EQ(studies[0]["id"], "s0");
  EXPECT_EQ(studies[0]["corpus"], "three");
  EXPECT_EQ(studies[0]["model"], study.model());
  EXPECT_EQ(studies[0]["layers"], study.layers());
  EXPECT_EQ(studies[0]["heads"], study.heads());
  EXPECT_EQ(studies[0]["texts"], 3);
  EXPECT_EQ(studies[0]["tokens"], study.counts().tokens);
  EXPECT_EQ(studies[1]["texts"], 2);
}

TEST_F(StudyServer, every_card_has_the_librarys_numbers) {
  const Study study = small_study("three");
  for (Index h = 0; h < study.layers() * study.heads(); ++h) {
    const Json card = Json::parse(get("/api/studies/s0/head?head=" + std::to_string(h))->body);
    ASSERT_EQ(card["measures"].size(), study_measures().size());
    for (std::size_t k = 0; k < study_measures().size(); ++k) {
      const Measure measure = study_measures()[k];
      const Json& shown = card["measures"][k];
      const StudyValue value = study.value(h, measure);
      EXPECT_EQ(shown["name"], measure_definition(measure).name);
      EXPECT_EQ(shown["count"], value.count);
      EXPECT_NEAR(shown["mean"].get<double>(), value.mean, 6e-7);
      EXPECT_NEAR(shown["deviation"].get<double>(), value.deviation, 6e-7);
      EXPECT_NEAR(shown["quantiles"][2].get<double>(), study.quantile(h, measure, 0.5), 6e-7);
      const std::vector<Index> bins = study.histogram(h, measure);
      ASSERT_EQ(shown["histogram"].size(), 64u);
      EXPECT_EQ(shown["histogram"][3], std::accumulate(bins.begin() + 48, bins.begin() + 64, Index{0}));
      EXPECT_EQ(shown["range"], study.histogram_range(measure));
      const double words = study.of_kind(h, measure, TokenKind::word).mean;
      if (std::isnan(words)) {
        EXPECT_TRUE(shown["kinds"][4].is_null());
      } else {
        EXPECT_NEAR(shown["kinds"][4].get<double>(), words, 6e-7);
      }
    }
    ASSERT_EQ(card["distances"].size(), 23u);
    EXPECT_NEAR(card["distances"][11 - 1].get<double>(), study.at_distance(h, -1), 6e-7);
    ASSERT_EQ(card["places"].size(), study.places(h).size());
    EXPECT_EQ(card["places"][0]["tokens"], Json(study.places(h)[0].tokens));
    EXPECT_EQ(card["places"][0]["key_at"], study.places(h)[0].key_at);
    EXPECT_EQ(card["received"][0]["token"], study.received(h, 1)[0].token);
    EXPECT_EQ(card["roles"][0]["id"], study.roles(h)[0].id);
    EXPECT_NEAR(card["roles"][0]["share"].get<double>(), study.roles(h)[0].share, 6e-7);
  }
}

TEST_F(StudyServer, overview_has_the_map_and_the_nearest_heads) {
  const Study study = small_study("three");
  const HeadSimilarity similarity = study.similarity();
  const Json overview = Json::parse(get("/api/studies/s0")->body);
  const Index heads = study.layers() * study.heads();
  ASSERT_EQ(overview["heads"].size(), static_cast<std::size_t>(heads));
  EXPECT_NEAR(overview["layout"][1][0].get<double>(), similarity.layout(1, 0), 6e-7);
  const Json& nearest = overview["heads"][0]["nearest"][0];
  for (Index other = 1; other < heads; ++other) {
    EXPECT_GE(similarity.divergence(0, other), nearest["divergence"].get<double>() - 6e-7);
  }
  EXPECT_NEAR(overview["heads"][1]["means"]["entropy"].get<double>(), study.value(1, Measure::entropy).mean,
              6e-7);
}

TEST_F(StudyServer, what_is_not_there_is_refused) {
  EXPECT_EQ(get("/api/studies/s2")->status, 404);
  EXPECT_EQ(get("/api/studies/s00")->status, 404);
  EXPECT_EQ(get("/api/studies/s0/head")->status, 400);
  EXPECT_EQ(get("/api/studies/s0/head?head=x")->status, 400);
  EXPECT_EQ(get("/api/studies/s0/head?head=9999")->status, 400);
  EXPECT_EQ(get("/api/studies/s0/head?head=-1")->status, 400);
}

TEST(StudyStore, refuses_too_many_and_empty_ones) {
  const Study study = small_study("three");
  EXPECT_THROW(StudyStore(std::vector<Study>(5, study)), Error);
  EXPECT_THROW(StudyStore({Study(TextModel::load(tiny_model("bert")), {.length = 12})}), Error);
}

TEST(StudyPage, holds_what_the_server_answers) {
  const std::vector<Study> studies = {small_study("three"), small_study("two", 2)};
  const PageFile page = study_page(test_page(), studies);
  const std::string open = "id=\"fovea-data\">";
  const std::size_t begin = page.html.find(open) + open.size();
  const std::string data =
      from_base64(page.html.substr(begin, page.html.find("</script>", begin) - begin), "[test]");
  const NamedArrays arrays = parse_safetensors(data, "[test]");
  const StudyStore store(studies);
  EXPECT_EQ(arrays.metadata().at("study.s1"), *store.overview("s1"));
  const Json cards = Json::parse(arrays.metadata().at("study.s0.heads"));
  ASSERT_EQ(static_cast<Index>(cards.size()), store.heads("s0"));
  EXPECT_EQ(cards[3], Json::parse(*store.head("s0", 3)));
  EXPECT_EQ(Json::parse(arrays.metadata().at("state"))["studies"].size(), 2u);
}

}  // namespace
}  // namespace fovea::explorer
