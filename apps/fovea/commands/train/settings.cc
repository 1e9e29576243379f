#include "commands/train/settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "commands/train/folder.h"
#include "fovea/coreference.h"
#include "fovea/error.h"
#include "fovea/flat_json.h"
#include "fovea/json_writer.h"
#include "fovea/render.h"
#include "fovea/text_pairs.h"
#include "options.h"
#include "output/output.h"

namespace fovea::command {
namespace {

const std::vector<std::string>& task_names() {
  static const std::vector<std::string> kNames = {"sort",        "induction", "addition",
                                                  "coreference", "text",      "translate"};
  return kNames;
}

// Each setting with the option that changes it: f(name, setting, given).
template <class Settings, class Function>
void for_each_setting(Settings& s, const TrainArguments& given, const Function& f) {
  f("--family", s.family, given.family);
  f("--tokenizer", s.tokenizer, given.tokenizer);
  f("--steps", s.steps, given.steps);
  f("--batch", s.batch, given.batch);
  f("--d-model", s.width, given.width);
  f("--layers", s.layers, given.layers);
  f("--heads", s.heads, given.heads);
  f("--length", s.length, given.length);
  f("--vocabulary", s.vocabulary, given.vocabulary);
  f("--warmup", s.warmup, given.warmup);
  f("--seed", s.seed, given.seed);
  f("--evaluate-every", s.evaluate_every, given.evaluate_every);
  f("--film-every", s.film_every, given.film_every);
  f("--rate", s.rate, given.rate);
  f("--weight-decay", s.weight_decay, given.weight_decay);
  f("--dropout", s.dropout, given.dropout);
  f("--half", s.half, given.half);
  f("--film", s.film, given.film);
}

template <class T>
bool is_given(const std::optional<T>& value) {
  return value.has_value();
}
bool is_given(const std::string& value) { return !value.empty(); }
bool is_given(bool value) { return value; }
bool is_given(const std::vector<std::string>& value) { return !value.empty(); }

template <class T>
const T& value_of(const std::optional<T>& value) {
  return *value;
}
template <class T>
const T& value_of(const T& value) {
  return value;
}

std::string shown(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "\"" : ", \"") + one_line(text) + "\"";
  return all.empty() ? "none" : all;
}
std::string shown(bool value) { return value ? "yes" : "no"; }
std::string shown(const std::string& value) { return value; }
template <class Number>
std::string shown(Number value) {
  return fmt::format("{}", value);
}

// TASK, text FILE, or FILE.
void take_words(const std::vector<std::string>& words, TrainSettings& settings) {
  const auto is_task = [&](const std::string& word) {
    return std::find(task_names().begin(), task_names().end(), word) != task_names().end();
  };
  const auto takes_file = [](const std::string& word) { return word == "text" || word == "translate"; };
  if (words.size() == 2 && !takes_file(words[0])) {
    throw UsageError(
        fmt::format("TASK: got \"{}\" and \"{}\", expected a file after text or translate only",
                    one_line(words[0]), one_line(words[1])));
  }
  if (words.size() == 1 && takes_file(words[0])) {
    throw UsageError(fmt::format("TASK: {0} needs a FILE: fovea train {0} FILE", words[0]));
  }
  settings.task = is_task(words[0]) ? words[0] : "text";
  if (!takes_file(settings.task)) return;
  std::error_code ignored;
  if (words.size() == 1 && !std::filesystem::exists(words[0], ignored)) {
    throw UsageError(fmt::format(
        "TASK: got \"{}\", expected sort, induction, addition, coreference, translate FILE, text FILE, or a file "
        "that is there",
        one_line(words[0])));
  }
  settings.file = std::filesystem::absolute(words.back()).lexically_normal().string();
}

// What is usual for the task. Numbers that were tried: docs/training.md.
void set_usual(TrainSettings& s) {
  s.family = s.task == "induction" ? "llama" : s.task == "coreference" ? "bert" : "gpt2";
  s.steps = 3000;
  s.warmup = 100;
  s.rate = 3e-3;
  s.weight_decay = 0.1;
  s.layers = 2;
  if (s.task == "sort") {
    s.heads = 2, s.width = 32, s.batch = 64, s.length = 8;
  } else if (s.task == "induction") {
    s.heads = 4, s.width = 64, s.batch = 32, s.length = 64;
  } else if (s.task == "addition") {
    s.heads = 4, s.width = 128, s.batch = 512, s.length = 4;
    s.layers = 1, s.steps = 500, s.rate = 1e-3, s.weight_decay = 1;
  } else if (s.task == "translate") {
    s.heads = 4, s.width = 128, s.batch = 32, s.length = 48;
    s.steps = 7000, s.rate = 1.5e-3, s.warmup = 400, s.weight_decay = 0.01;
    s.family = "bart", s.vocabulary = 5000, s.dropout = 0.1;
  } else if (s.task == "coreference") {
    s.heads = 4, s.width = 64, s.batch = 64, s.length = kCoreferenceTokens;
    s.steps = 2000;
  } else {
    s.heads = 4, s.width = 128, s.batch = 16, s.length = 128;
    s.layers = 4, s.steps = 2000, s.rate = 1e-3;
    s.tokenizer = "bpe";
  }
}

void check_fit(const TrainSettings& s, const TrainArguments& given) {
  const auto refuse = [&](const char* option, bool is_there) {
    if (is_there) throw UsageError(fmt::format("{}: {} has no such setting", option, s.task));
  };
  if ((s.family == "bart") != (s.task == "translate")) {
    throw UsageError(fmt::format("--family: got {}; bart is what translate is for, and only it", s.family));
  }
  if (s.task != "text") refuse("--tokenizer", is_given(given.tokenizer));
  if (s.task != "text" && s.task != "translate") {
    refuse("--vocabulary", is_given(given.vocabulary));
    if (s.family == "bert" && s.task != "coreference") {
      throw UsageError(fmt::format(
          "--family: bert looks both ways and would see what {} asks for; expected gpt2 or llama", s.task));
    }
  }
  if (s.task == "coreference" && s.family != "bert") {
    throw UsageError(fmt::format(
        "--family: got {}, but coreference needs bert: the name may come behind the pronoun", s.family));
  }
  refuse("--length", (s.task == "addition" || s.task == "coreference") && is_given(given.length));
  for (const std::string& text : s.film) {
    const TextPairs read = parse_text_pairs(text);
    if (s.task != "translate" || (read.pairs.size() == 1 && read.broken.empty())) continue;
    throw UsageError(fmt::format(
        "--film: got \"{}\", but translate films pairs: expected \"source TAB target\"", one_line(text)));
  }
  if (s.film.empty() && given.film_every) throw UsageError("--film-every: there is no --film TEXT");
  const bool fine = s.rate > 0 && s.weight_decay >= 0 && s.dropout >= 0 && s.dropout < 1;
  if (!fine) {
    throw UsageError(
        fmt::format("got --rate {}, --weight-decay {}, --dropout {}; expected > 0, ≥ 0, 0 to 1", s.rate,
                    s.weight_decay, s.dropout));
  }
}

void write_value(JsonWriter& json, const std::string& value) { json.string(value); }
void write_value(JsonWriter& json, Index value) { json.integer(value); }
void write_value(JsonWriter& json, double value) { json.number(value); }
void write_value(JsonWriter& json, bool value) { json.boolean(value); }
void write_value(JsonWriter& json, const std::vector<std::string>& value) { json.strings(value); }

const std::vector<std::string>& texts_of(const FlatJson& json, const std::string& key,
                                         const std::string& where) {
  const auto found = json.find(key);
  if (found == json.end()) throw Error(fmt::format("{}: \"{}\" is missing", where, key));
  return found->second;
}

void read_setting(const FlatJson& json, const std::string& key, const std::string& where,
                  std::vector<std::string>& value) {
  value = texts_of(json, key, where);
}

const std::string& one_text(const FlatJson& json, const std::string& key, const std::string& where) {
  const std::vector<std::string>& texts = texts_of(json, key, where);
  if (texts.size() != 1) {
    throw Error(fmt::format("{}: \"{}\" has {} values, expected one", where, key, texts.size()));
  }
  return texts.front();
}

void read_setting(const FlatJson& json, const std::string& key, const std::string& where,
                  std::string& value) {
  value = one_text(json, key, where);
}

void read_setting(const FlatJson& json, const std::string& key, const std::string& where, bool& value) {
  value = one_text(json, key, where) == "true";
}

template <class Number>
void read_setting(const FlatJson& json, const std::string& key, const std::string& where, Number& value) {
  const std::string& text = one_text(json, key, where);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size()) return;
  throw Error(fmt::format("{}: \"{}\" is \"{}\", expected a number", where, key, one_line(text)));
}

}  // namespace

TrainSettings settings_of(const TrainArguments& given) {
  TrainSettings settings;
  take_words(given.words, settings);
  set_usual(settings);
  for_each_setting(settings, given, [](const char*, auto& setting, const auto& value) {
    if (is_given(value)) setting = value_of(value);
  });
  check_fit(settings, given);
  const auto part = [&](Index count) { return std::max<Index>(1, settings.steps / count); };
  if (!given.evaluate_every) settings.evaluate_every = part(20);
  if (!given.film_every) settings.film_every = settings.film.empty() ? 0 : part(100);
  settings.warmup = given.warmup ? *given.warmup : std::min(settings.warmup, part(10));
  if (!settings.file.empty()) settings.file_hash = hash_of_file(settings.file);
  return settings;
}

TrainSettings settings_to_resume(const std::string& folder, const TrainArguments& given) {
  const std::string path = TrainFolder(folder).settings();
  const std::string where = "[train] " + path;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw Error(fmt::format("{}: there is no such file, so there is no training to resume", where));
  }
  const FlatJson json = load_flat_json(path);
  TrainSettings settings;
  read_setting(json, "task", where, settings.task);
  read_setting(json, "file", where, settings.file);
  read_setting(json, "file_hash", where, settings.file_hash);
  for_each_setting(settings, given, [&](const char* name, auto& setting, const auto&) {
    read_setting(json, name + 2, where, setting);
  });
  if (!given.words.empty()) {
    TrainSettings named;
    take_words(given.words, named);
    if (named.task != settings.task || named.file != settings.file) {
      throw UsageError(fmt::format("TASK: got {}, but the training in {} is of {}",
                                   listed(given.words, 2, " "), folder,
                                   settings.file.empty() ? settings.task : settings.file));
    }
  }
  for_each_setting(settings, given, [&](const char* name, const auto& setting, const auto& value) {
    if (!is_given(value) || value_of(value) == setting) return;
    throw UsageError(
        fmt::format("{}: got {}, but the training in {} began with {}; --resume takes no other", name,
                    shown(value_of(value)), folder, shown(setting)));
  });
  if (!settings.file.empty() && hash_of_file(settings.file) != settings.file_hash) {
    throw Error(fmt::format("[train] {}: the file has changed since the training in {} began",
                            settings.file, folder));
  }
  return settings;
}

std::string settings_json(const TrainSettings& settings) {
  JsonWriter json;
  json.begin_object();
  json.key("task").string(settings.task);
  json.key("file").string(settings.file);
  json.key("file_hash").string(settings.file_hash);
  for_each_setting(settings, {}, [&](const char* name, const auto& setting, const auto&) {
    json.key(name + 2);
    write_value(json, setting);
  });
  json.end_object();
  return json.take();
}

}  // namespace fovea::command
