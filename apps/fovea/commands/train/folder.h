// The folder of a training: which file is what.
#pragma once

#include <string>

namespace fovea::command {

class TrainFolder {
 public:
  explicit TrainFolder(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  std::string settings() const { return path_ + "/training.json"; }
  std::string log() const { return path_ + "/training_log.jsonl"; }
  std::string checkpoint() const { return path_ + "/checkpoint.safetensors"; }
  std::string tokenizer() const { return path_ + "/tokenizer.json"; }
  std::string tokenizer_config() const { return path_ + "/tokenizer_config.json"; }
  std::string film() const { return path_ + "/film.safetensors"; }

  bool has_checkpoint() const;

  // Makes it, if need be. Throws Error if that fails, or if a training or a model is in it already.
  void prepare() const;

 private:
  std::string path_;
};

// 16 hexadecimal digits that change with the contents. Throws Error if the file cannot be read.
std::string hash_of_file(const std::string& path);

}  // namespace fovea::command
