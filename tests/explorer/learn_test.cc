// Lessons over HTTP and in the single file: the library's texts, numbers and check, and nothing beyond its
// limits.
#include <set>

#include "explorer/page_file.h"
#include "fovea/base64.h"
#include "fovea/exercises.h"
#include "fovea/lessons.h"
#include "server_testing.h"

namespace fovea::explorer {
namespace {

class Learn : public ServerTest {
 protected:
  static Json got(const std::string& path) {
    const auto result = get(path);
    EXPECT_EQ(result->status, 200) << path << ": " << result->body;
    return Json::parse(result->body);
  }
  static MaybeReply check(const std::string& exercise, const std::string& answer) {
    return running().client().post(
        "/api/learn/check", Json{{"exercise", exercise}, {"answer", answer}}.dump(), "application/json");
  }
};

TEST_F(Learn, catalogue_has_everything_in_both_languages) {
  for (const char* language : {"en", "zh"}) {
    const Json all = got(std::string("/api/learn?language=") + language);
    EXPECT_EQ(all.at("lessons").size(), lessons(Language::english).size());
    EXPECT_EQ(all.at("questions").size(), questions(Language::english).size());
    EXPECT_EQ(all.at("checklist").size(), checklist(Language::english).size());
    EXPECT_EQ(all.at("reading").size(), reading_list(Language::english).size());
    ASSERT_EQ(all.at("exercises").size(), exercises().size());
    EXPECT_EQ(all["exercises"][0]["inputs"]["k"], Json::parse("[[1], [2], [0.5]]"));
    EXPECT_EQ(all["exercises"][0]["shapes"], Json::parse(R"({"weights": [1, 3]})"));
    EXPECT_EQ(
        all["exercises"][0]["title"],
        exercises()[0].title.in(language == std::string("zh") ? Language::chinese : Language::english));
  }
  EXPECT_EQ(got("/api/learn"), got("/api/learn?language=en"));
  expect_error(get("/api/learn?language=fr"), 400, "expected en or zh");
}

TEST_F(Learn, a_lesson_is_the_library_s) {
  const Json lesson_of_server = got("/api/learn/lesson?lesson=by-hand&language=zh");
  EXPECT_EQ(lesson_of_server, Json::parse(to_json(lesson("by-hand", Language::chinese))));
  expect_error(get("/api/learn/lesson?lesson=nowhere"), 400, "by-hand");
  expect_error(get("/api/learn/lesson"), 400, "expected the parameter lesson");
}

TEST_F(Learn, what_is_live_follows_its_controls_and_matrices) {
  LiveInput input;
  input.controls["temperature"] = 0.5;
  input.matrices["scores"] = {{0, 0, 3, -1.5}};
  EXPECT_EQ(got("/api/learn/live?live=softmax&control.temperature=0.5&matrix.scores=0,0,3,-1.5"),
            Json::parse(to_json(live("softmax", Language::english, input))));
  expect_error(get("/api/learn/live?live=softmax&control.temperature=x"), 400, "expected a number");
  expect_error(get("/api/learn/live?live=softmax&control.temperature=99"), 400, "0.1 to 10");
  expect_error(get("/api/learn/live?live=softmax&matrix.scores=1,2"), 400, "expected");
  expect_error(get("/api/learn/live?live=softmax&matrix.scores=1,2;3"), 400, "same length");
  expect_error(get("/api/learn/live?live=softmax&matrix.scores=1,nan,3,4"), 400, "finite");
  expect_error(get("/api/learn/live?live=softmax&matrix.scores=1,,3,4"), 400, "expected a number");
  expect_error(get("/api/learn/live?live=softmax&control.other=1"), 400, "temperature");
}

TEST_F(Learn, the_check_names_the_mistake_and_marks_the_numbers) {
  const Json wrong = Json::parse(check("second-by-hand", "3.655 2.689")->body);
  EXPECT_EQ(wrong["mistakes"], Json::parse(R"(["no_scaling"])"));
  EXPECT_EQ(wrong["marks"]["output"], Json::parse("[false, false]"));
  EXPECT_EQ(wrong["cell"], Json::parse("[0, 0]"));
  const Json half = Json::parse(check("weights-by-hand", "0.231 0.629 0.239")->body);
  EXPECT_EQ(half["verdict"], "unknown");
  EXPECT_EQ(half["marks"]["weights"], Json::parse("[true, true, false]"));
  const Json right = Json::parse(check("weights-by-hand", "0.231 0.629 0.140")->body);
  EXPECT_EQ(right["correct"], true);
  EXPECT_FALSE(right["sentences"][0]["zh"].get<std::string>().empty());
}

TEST_F(Learn, what_is_no_answer_is_refused) {
  expect_error(check("nowhere", "1"), 400, "expected one of");
  expect_error(check("attention", "one two"), 400, "expected numbers");
  expect_error(check("attention", std::string(65'537, '1')), 413, "65536");
  expect_error(check("attention", std::string(60'000, '[')), 400);
  expect_error(check("pronoun", "L0H1"), 400, "not installed");
  const auto post_body = [&](const std::string& body, const std::string& type) {
    return running().client().post("/api/learn/check", body, type);
  };
  expect_error(post_body("{\"exercise\": \"attention\"}", "application/json"), 400, "answer");
  expect_error(post_body("[1]", "application/json"), 400, "JSON object");
  expect_error(post_body("{}", "text/plain"), 415);
  expect_error(get("/api/learn/check"), 404);
}

// The page compares with what stands there: the right answer, and every mistake that the exercise lists.
TEST(LearnFile, holds_what_the_page_compares_with) {
  const PageFile file = page_file(test_page(), {});
  const std::string tag = R"(<script type="application/octet-stream" id="fovea-data">)";
  const std::size_t begin = file.html.find(tag) + tag.size(), end = file.html.find("</script>", begin);
  const NamedArrays data =
      parse_safetensors(from_base64(std::string_view(file.html).substr(begin, end - begin)), "page");
  const Json answers = Json::parse(data.metadata().at("learn.answers"));
  for (const Exercise& each : exercises()) {
    if (each.kind == ExerciseKind::model) continue;  // no model was given
    const Json& stored = answers.at("exercises").at(each.id);
    const Solution right = solve(exercise_problems(each.id).front());
    const bool weights = each.answer == "weights";
    EXPECT_EQ(stored["right"][weights ? "weights" : "output"].size(),
              (weights ? right.weights : right.output).values.size());
    std::set<std::string> named;
    for (const Json& variant : stored["variants"]) {
      for (const Json& explanation : variant["explanations"]) {
        for (const Json& id : explanation) named.insert(id);
      }
    }
    EXPECT_FALSE(named.empty()) << each.id;
    if (each.kind != ExerciseKind::by_hand) continue;  // others have further inputs, which show more
    for (const std::string& id : each.mistakes) {
      const Solution wrong = solve_wrongly(exercise_problems(each.id).front(), {id}).front();
      const bool fits =
          wrong.output.values.size() == right.output.values.size() || weights;  // into the cells
      EXPECT_EQ(named.contains(id), fits) << each.id << " " << id;
    }
  }
  EXPECT_EQ(Json::parse(data.metadata().at("learn.lessons.zh")).size(), lessons(Language::chinese).size());
  const Json positions = Json::parse(data.metadata().at("learn.positions.en"));
  EXPECT_EQ(positions.at("masks").size(), 10U);
  EXPECT_EQ(positions.at("softmax")[0]["controls"][0]["value"], 0.1);
}

}  // namespace
}  // namespace fovea::explorer
