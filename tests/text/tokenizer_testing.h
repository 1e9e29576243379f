// The small tokenizers of tests/data/tokenizers.
#pragma once

#include <string>
#include <vector>

#include "fovea/file.h"
#include "fovea/tokenizer.h"
#include "io/json.h"

namespace fovea::testing {

inline std::string data_path(const std::string& name) {
  return std::string(FOVEA_TEST_DATA) + "/tokenizers/" + name;
}

inline Json data_json(const std::string& name) { return load_json(data_path(name)); }

inline std::vector<std::string> sample_texts() {
  return data_json("texts.json").get<std::vector<std::string>>();
}

// A tokenizer.json with these parts; those not named are null.
struct SmallTokenizer {
  std::string model = R"({"type": "WordPiece", "unk_token": "?", "vocab": {"?": 0}})";
  std::string normalizer = "null";
  std::string pre_tokenizer = "null";
  std::string post_processor = "null";
  std::string decoder = "null";
  std::string added_tokens = "[]";

  std::string json() const {
    return R"({"version": "1.0", "normalizer": )" + normalizer + R"(, "pre_tokenizer": )" + pre_tokenizer +
           R"(, "post_processor": )" + post_processor + R"(, "decoder": )" + decoder +
           R"(, "added_tokens": )" + added_tokens + R"(, "model": )" + model + "}";
  }
  Tokenizer make() const { return Tokenizer::from_json(json()); }
};

}  // namespace fovea::testing
