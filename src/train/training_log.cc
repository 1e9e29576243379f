#include "fovea/training_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/fail.h"
#include "fovea/file.h"
#include "fovea/json_writer.h"
#include "io/json.h"

namespace fovea {
namespace {

double number_of(const Json& object, const char* key, const std::string& where) {
  const auto field = object.find(key);
  if (field == object.end() || !field->is_number()) fail("{}: \"{}\" is missing, or no number", where, key);
  return field->get<double>();
}

Index count_of(const Json& object, const char* key, const std::string& where) {
  const auto field = object.find(key);
  if (field == object.end() || !field->is_number_integer() || field->get<std::int64_t>() < 0) {
    fail("{}: \"{}\" is missing, or no whole number", where, key);
  }
  return field->get<std::int64_t>();
}

void read_line(std::string_view line, const std::string& where, TrainingHistory& history) {
  const Json json = parse_json(line, where);
  if (!json.is_object()) fail("{}: an object was expected, got {}", where, json.type_name());
  const Index step = count_of(json, "step", where);
  const auto evaluation = json.find("evaluation");
  if (evaluation != json.end()) {
    if (!evaluation->is_object()) fail("{}: \"evaluation\" is no object", where);
    TrainingEvaluation entry = {step, number_of(*evaluation, "loss", where),
                                number_of(*evaluation, "accuracy", where), false};
    const auto best = evaluation->find("best");
    entry.best = best != evaluation->end() && best->is_boolean() && best->get<bool>();
    history.evaluations.push_back(entry);
    return;
  }
  TrainingStep entry;
  entry.step = step;
  entry.loss = number_of(json, "loss", where);
  entry.rate = number_of(json, "rate", where);
  entry.gradient_norm = number_of(json, "norm", where);
  entry.tokens = count_of(json, "tokens", where);
  entry.targets = count_of(json, "targets", where);
  entry.correct = count_of(json, "correct", where);
  history.steps.push_back(entry);
}

// Every whole line of a log, with its number from 1.
template <typename Take>
void for_each_line(std::string_view bytes, const Take& take) {
  for (std::size_t begin = 0, number = 1;; ++number) {
    const std::size_t end = bytes.find('\n', begin);
    if (end == bytes.npos) return;
    take(bytes.substr(begin, end - begin), number);
    begin = end + 1;
  }
}

std::string where_of(const std::string& path, std::size_t line) {
  return fmt::format("[train] {}, line {}", path, line);
}

}  // namespace

TrainingLog::TrainingLog(const std::string& path, Index step) : path_(path) {
  std::string kept;
  if (std::filesystem::exists(path)) {
    for_each_line(read_file(path), [&](std::string_view line, std::size_t number) {
      TrainingHistory history;
      read_line(line, where_of(path, number), history);
      const Index at = history.steps.empty() ? history.evaluations[0].step : history.steps[0].step;
      if (at <= step) kept.append(line).append("\n");
    });
  }
  write_file(path, kept);
  file_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file_ < 0) fail("[train] {}: cannot be written: {}", path, std::strerror(errno));
}

TrainingLog::~TrainingLog() {
  if (file_ >= 0) ::close(file_);
}

void TrainingLog::write_line(std::string line) {
  line += '\n';
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t count = ::write(file_, line.data() + done, line.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("[train] {}: cannot be written: {}", path_, std::strerror(errno));
    done += static_cast<std::size_t>(count);
  }
}

void TrainingLog::add(const TrainingStep& step) {
  JsonWriter json(JsonStyle::compact);
  json.begin_object();
  json.key("step").integer(step.step);
  json.key("loss").number(step.loss);
  json.key("rate").number(step.rate);
  json.key("norm").number(step.gradient_norm);
  json.key("tokens").integer(step.tokens);
  json.key("targets").integer(step.targets);
  json.key("correct").integer(step.correct);
  json.end_object();
  write_line(json.take());
}

void TrainingLog::add(const TrainingEvaluation& evaluation) {
  JsonWriter json(JsonStyle::compact);
  json.begin_object();
  json.key("step").integer(evaluation.step);
  json.key("evaluation").begin_object();
  json.key("loss").number(evaluation.loss);
  json.key("accuracy").number(evaluation.accuracy);
  json.key("best").boolean(evaluation.best);
  json.end_object();
  json.end_object();
  write_line(json.take());
}

void TrainingLog::synchronize() {
  if (::fdatasync(file_) != 0 && errno != EINVAL && errno != EROFS) {
    fail("[train] {}: cannot be written: {}", path_, std::strerror(errno));
  }
}

TrainingHistory TrainingLog::load(const std::string& path) {
  TrainingHistory history;
  for_each_line(read_file(path), [&](std::string_view line, std::size_t number) {
    read_line(line, where_of(path, number), history);
  });
  return history;
}

}  // namespace fovea
