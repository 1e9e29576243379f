#include "fovea/json_writer.h"

#include <gtest/gtest.h>

#include <limits>

namespace fovea {
namespace {

// One of everything.
std::string document(JsonStyle style) {
  JsonWriter json(style);
  json.begin_object();
  json.key("name").string("a \"b\": c, d\n");
  json.key("numbers").numbers({1, 0.1, -std::numeric_limits<double>::infinity()});
  json.key("integers").integers({1, 2});
  json.key("strings").strings({"我", ", : "});
  json.key("shape").shape({2, 3});
  json.key("matrix").matrix(Matrix::from_rows({{1, 2}, {3, 4}}));
  json.key("text").text({"en", "zh"});
  json.key("none").null();
  json.key("empty").begin_array();
  json.end_array();
  json.key("list").begin_array();
  json.boolean(true);
  json.begin_object();
  json.end_object();
  json.integer(3);
  json.end_array();
  json.end_object();
  return json.take();
}

TEST(JsonWriter, compact_has_no_spaces_but_those_in_strings) {
  EXPECT_EQ(
      document(JsonStyle::compact),
      R"({"name":"a \"b\": c, d\n","numbers":[1,0.1,"-inf"],"integers":[1,2],"strings":["我",", : "],)"
      R"("shape":[2,3],"matrix":[[1,2],[3,4]],"text":{"en":"en","zh":"zh"},"none":null,"empty":[],)"
      R"("list":[true,{},3]})");
}

TEST(JsonWriter, readable_has_lines) {
  EXPECT_EQ(document(JsonStyle::readable), R"({
  "name": "a \"b\": c, d\n",
  "numbers": [1, 0.1, "-inf"],
  "integers": [1, 2],
  "strings": ["我", ", : "],
  "shape": [2, 3],
  "matrix": [
    [1, 2],
    [3, 4]
  ],
  "text": {
    "en": "en",
    "zh": "zh"
  },
  "none": null,
  "empty": [],
  "list": [
    true,
    {},
    3
  ]
}
)");
}

}  // namespace
}  // namespace fovea
