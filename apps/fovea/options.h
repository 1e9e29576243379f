// What a subcommand takes: declared once, for the parser and for the help text.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fovea/shape.h"
#include "texts/message.h"

namespace fovea::command {

// The command line was not understood: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Option {
  std::string names;  // "-o,--output", "--json"
  std::string value;  // what follows: "FILE"; "[NAME]" may be missing; empty for a flag
  Message help;
  bool required = false;
  std::function<void(const std::string&)> set;  // throws UsageError; a flag gets ""
  bool repeats = false;                         // may be given several times: each value is set
  // What a shell may complete: these words, names of files.
  std::vector<std::string> words = {};
  bool file = false;
};

// The arguments without a name.
struct Positionals {
  std::string name;  // "FILE"; empty: the command takes none
  int min = 0, max = 0;
  Message help;
  std::function<void(const std::vector<std::string>&)> set;
  std::vector<std::string> words = {};
  bool file = false;
};

// Targets must outlive the parsing. Every text but paths must be valid UTF-8.
class OptionList {
 public:
  void flag(const std::string& names, bool& target, Message help);
  void text(const std::string& names, const std::string& value, std::optional<std::string>& target,
            Message help);
  // May be given several times.
  void texts(const std::string& names, const std::string& value, std::vector<std::string>& target,
             Message help);
  // The value may be left out: then the target is "".
  void optional_text(const std::string& names, const std::string& value, std::optional<std::string>& target,
                     Message help);
  void path(const std::string& names, const std::string& value, std::optional<std::string>& target,
            Message help);
  // May be given several times.
  void paths(const std::string& names, const std::string& value, std::vector<std::string>& target,
             Message help);
  void integer(const std::string& names, const std::string& value, std::optional<Index>& target, Index min,
               Index max, Message help);
  void number(const std::string& names, const std::string& value, std::optional<double>& target,
              Message help);
  void choice(const std::string& names, const std::vector<std::string>& choices, std::string& target,
              Message help);
  // `given` becomes one of several things, each of which has some names: the first are shown, all are
  // taken.
  void named_choice(const std::string& names, const std::string& value,
                    const std::vector<std::vector<std::string>>& choices,
                    const std::function<void(std::size_t)>& set, Message help);
  void require_last() { options_.back().required = true; }
  void suggest_last(std::vector<std::string> words) { options_.back().words = std::move(words); }

  void positional_texts(const std::string& name, int min, int max, std::vector<std::string>& target,
                        Message help);
  void positional_paths(const std::string& name, int min, int max, std::vector<std::string>& target,
                        Message help);

  void suggest(std::vector<std::string> words) { positionals_.words = std::move(words); }
  void suggest_files() { positionals_.file = true; }

  const std::vector<Option>& options() const { return options_; }
  const Positionals& positionals() const { return positionals_; }

 private:
  std::vector<Option> options_;
  Positionals positionals_;
};

}  // namespace fovea::command
