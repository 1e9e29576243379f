// The parts of `fovea demo finds`, and the pictures that they leave behind.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "fovea/figure.h"
#include "fovea/pointing.h"

namespace fovea::command {

// Pictures go into the folder, if there is one.
class FoundPictures {
 public:
  explicit FoundPictures(std::optional<std::string> folder) : folder_(std::move(folder)) {}
  bool wanted() const { return folder_.has_value(); }
  void save(const std::string& file, const Figure& figure) const;

 private:
  std::optional<std::string> folder_;
};

// Who 她 is: before and after training, with the names swapped, and over sentences of the test.
void find_person(const Context& context, const FoundPictures& pictures);
// Which head of MiniLM looks from "cat" at "sat" and "mat", and how much of it is the sentence's length.
void find_neighbours(const Context& context, const FoundPictures& pictures);

// "I love you" and 我 爱 你, word by word.
void find_translation(const Context& context, const FoundPictures& pictures);

// The position of the first token that is this word. Throws Error if there is none.
Index position_of(const Encoding& encoding, const std::string& word);

}  // namespace fovea::command
