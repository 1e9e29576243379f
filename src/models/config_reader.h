// Values of a model's config.json, read with all complaints collected.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/shape.h"
#include "io/json_fwd.h"
#include "ops/dense_layer.h"

namespace fovea {

// What is missing or wrong is noted and replaced by something harmless; finish() throws one Error with all
// of it. Null counts as missing. A list of names means: the first that is there.
class ConfigReader {
 public:
  using Names = std::vector<const char*>;

  ConfigReader(const Json& config, std::string where);

  bool has(const char* name) const;
  Index size(const Names& names, std::optional<Index> fallback = {});    // an integer from 1 to 2^31 − 1
  Index layers(const Names& names, std::optional<Index> fallback = {});  // one from 1 to 1024
  std::optional<Index> id(const char* name);                             // a token id ≥ 0
  std::vector<Index> ids(const char* name);                              // one id, or a list of them
  std::vector<std::vector<Index>> id_lists(const char* name);            // a list of lists of them
  float number(const Names& names, std::optional<float> fallback = {});
  bool flag(const char* name, bool fallback);
  std::string text(const char* name, const std::string& fallback);
  Activation activation(const Names& names, const char* fallback);
  const Json* object(const char* name);  // null if missing

  // "relu" …; nothing if the name is not known.
  static std::optional<Activation> activation_named(const std::string& name);

  void complain(const std::string& problem) { problems_.push_back(problem); }
  void finish() const;

  const std::string& where() const { return where_; }

 private:
  struct Found {
    const char* name;
    const Json* value;  // null: missing
  };
  Found find(const Names& names) const;
  void wrong(const Found& found, const std::string& expected);
  Index positive(const Names& names, std::optional<Index> fallback, Index largest);

  const Json& config_;
  std::string where_;
  std::vector<std::string> problems_;
};

}  // namespace fovea
