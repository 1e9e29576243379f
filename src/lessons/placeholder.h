// Numbers in the texts of lessons: {worked-example.weights[0,1]|4} is computed when the text is shown.
//
//   {id.item}            a number or a control of live(id)
//   {id.item[r,c]}       an entry of one of its matrices; [r]: a row
//   {id(a=1,b=2).item}   with these controls
//   {..|F}               F: 0 to 8 decimals (default 4); %: percent; s: as short as it can be; i: a whole
//                        number, 1,024
// {{ is a brace.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/live.h"

namespace fovea {

struct Placeholder {
  std::string text;  // as it stands, without the braces
  std::string id;
  LiveInput input;
  std::string item;
  Index row = -1, column = -1;  // −1: none
  char format = '4';
};

// Throws Error for what has not that form.
Placeholder parse_placeholder(std::string_view text);
std::vector<Placeholder> placeholders_in(std::string_view text);

// Resolves placeholders, and computes each live() once.
class LessonNumbers {
 public:
  LessonNumbers(Language language, const ModelFinder& models) : language_(language), models_(models) {}

  const Live& live(const std::string& id, const LiveInput& input = {});
  std::string resolved(std::string_view text);

 private:
  std::string value_of(const Placeholder& placeholder);

  Language language_;
  const ModelFinder& models_;
  std::map<std::string, Live> computed_;  // by id and controls
};

}  // namespace fovea
