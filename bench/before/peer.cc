// The attention of another commit, in step with `fovea bench --before`: the commands and answers of
// competitors/peers/serve.py, arrays through the same shared file. Only names that every commit has are
// used (attention, attention_backward, linear_attention, KeyValueCache); a type that a commit's cache does
// not have is answered with "no".
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fovea/attention.h"
#include "fovea/instruction_set.h"
#include "fovea/key_value_cache.h"
#include "fovea/linear_attention.h"
#include "fovea/threads.h"
#include "fovea/version.h"

namespace {

using fovea::Index;
using fovea::Tensor;
using nlohmann::json;

using Results = std::vector<Tensor>;
using Call = std::function<Results()>;

struct Cannot : std::runtime_error {
  using std::runtime_error::runtime_error;
};

Results one(Tensor tensor) {
  Results results;
  results.push_back(std::move(tensor));
  return results;
}

// A problem as it was handed over. Cases hold it by pointer.
struct Problem {
  Tensor q, doutput;
  std::vector<Tensor> k, v;  // copies, used in turn: no cache serves the second call
  fovea::AttentionOptions options;
  std::string operation, cache;
  bool causal = false;  // of linear attention
  Index copies = 1;
  std::size_t turn = 0;
};

class Arrays {
 public:
  Arrays(int file, const json& arrays) : file_(file), arrays_(arrays) {}

  bool has(const std::string& name) const { return arrays_.contains(name); }

  Tensor tensor(const std::string& name) const {
    Tensor result = Tensor::uninitialized(shape(name));
    read(name, result.data(), 4 * result.shape().elements());
    return result;
  }
  std::vector<std::int64_t> integers(const std::string& name) const {
    std::vector<std::int64_t> result(static_cast<std::size_t>(shape(name).elements()));
    read(name, result.data(), 8 * shape(name).elements());
    return result;
  }

 private:
  fovea::Shape shape(const std::string& name) const {
    const auto e = arrays_.at(name).at("shape").get<std::vector<Index>>();
    switch (e.size()) {
      case 1:
        return {e[0]};
      case 4:
        return {e[0], e[1], e[2], e[3]};
    }
    throw std::runtime_error("unexpected rank of " + name);
  }
  void read(const std::string& name, void* to, Index bytes) const {
    const Index at = arrays_.at(name).at("at").get<Index>();
    for (Index done = 0; done < bytes;) {
      const ssize_t got =
          pread(file_, static_cast<char*>(to) + done, static_cast<std::size_t>(bytes - done), at + done);
      if (got <= 0) throw std::runtime_error("the shared file is too short for " + name);
      done += got;
    }
  }

  int file_;
  const json& arrays_;
};

// "window256" → 256.
Index number_after(const std::string& prefix, const std::string& id) {
  return std::stoll(id.substr(prefix.size()));
}

fovea::Mask mask_of(const std::string& id, const Arrays& arrays) {
  using fovea::Mask;
  if (id.empty()) return {};
  if (id == "causal") return Mask::causal();
  if (id == "padding") return Mask::lengths(arrays.integers("lengths"));
  if (id.rfind("window", 0) == 0)
    return Mask::sliding_window(number_after("window", id), 0) & Mask::causal();
  if (id.rfind("sparse", 0) == 0) return Mask::sparse(number_after("sparse", id));
  throw Cannot("the mask " + id + " is not handed over");
}

fovea::Bias bias_of(const std::string& id, Index heads) {
  if (id.empty()) return {};
  if (id == "alibi") return fovea::Bias::alibi(fovea::alibi_slopes(heads));
  throw Cannot("the bias " + id + " is not handed over");
}

// Caches of other types than float32, if this commit has them.
template <typename Config>
bool set_type(Config& config, const std::string& name) {
  if constexpr (requires { config.type = decltype(config.type)::int8; }) {
    using Type = decltype(config.type);
    config.type = name == "float16"    ? Type::float16
                  : name == "bfloat16" ? Type::bfloat16
                  : name == "int8"     ? Type::int8
                                       : Type::float32;
    return true;
  } else {
    return name == "float32";
  }
}

template <typename Cache>
Tensor attend(const Tensor& q, const Cache& cache, const fovea::AttentionOptions& options) {
  if constexpr (requires { fovea::attention(q, cache, options); }) {
    return std::move(fovea::attention(q, cache, options).output);
  } else {
    return std::move(fovea::attention(q, cache.keys(), cache.values(), options).output);
  }
}

Call decoding(const std::shared_ptr<Problem>& p) {
  const fovea::Shape k = p->k.front().shape(), v = p->v.front().shape();
  fovea::KeyValueCacheConfig config;
  config.batch = k[0], config.kv_heads = k[1], config.d_k = k[3], config.d_v = v[3];
  if (!set_type(config, p->cache)) throw Cannot("has no cache of " + p->cache);
  auto caches = std::make_shared<std::vector<fovea::KeyValueCache>>();
  for (Index copy = 0; copy < p->copies; ++copy) {
    caches->emplace_back(config).reserve(k[2]);
    caches->back().append(p->k.front(), p->v.front());
  }
  p->k.clear(), p->v.clear();
  return [p, caches] { return one(attend(p->q, (*caches)[p->turn++ % caches->size()], p->options)); };
}

fovea::AttentionResult forward_of(const Problem& p) {
  fovea::AttentionOptions options = p.options;
  options.logsumexp = true;
  return fovea::attention(p.q, p.k.front(), p.v.front(), options);
}

Results backward_of(const Problem& p, const fovea::AttentionResult& forward) {
  fovea::AttentionGradients gradients =
      fovea::attention_backward(p.q, p.k.front(), p.v.front(), forward, p.doutput, p.options);
  Results results = one(std::move(gradients.dq));
  results.push_back(std::move(gradients.dk));
  results.push_back(std::move(gradients.dv));
  return results;
}

Call call_for(const std::shared_ptr<Problem>& p) {
  if (p->operation == "forward" && !p->cache.empty()) return decoding(p);
  if (p->operation == "forward") {
    return [p] {
      const std::size_t now = p->turn++ % p->k.size();
      return one(std::move(fovea::attention(p->q, p->k[now], p->v[now], p->options).output));
    };
  }
  if (p->operation == "linear") {
    fovea::LinearAttentionOptions options;
    options.causal = p->causal;
    return [p, options] { return one(fovea::linear_attention(p->q, p->k.front(), p->v.front(), options)); };
  }
  if (p->operation == "backward") {
    return [p, forward = std::make_shared<const fovea::AttentionResult>(forward_of(*p))] {
      return backward_of(*p, *forward);
    };
  }
  if (p->operation == "forward_backward") return [p] { return backward_of(*p, forward_of(*p)); };
  throw Cannot("the operation " + p->operation + " is not handed over");
}

std::shared_ptr<Problem> read_problem(int file) {
  std::string text;
  for (std::string line; std::getline(std::cin, line) && !line.empty();) text += line + "\n";
  const json given = json::parse(text);
  const Arrays arrays(file, given.at("arrays"));
  auto p = std::make_shared<Problem>();
  p->operation = given.at("operation"), p->cache = given.value("cache", "");
  p->causal = given.value("causal", false);
  p->q = arrays.tensor("q");
  p->copies = std::max<Index>(1, given.at("copies"));
  for (Index copy = 0; copy < (p->cache.empty() ? p->copies : 1); ++copy) {
    p->k.push_back(arrays.tensor("k"));
    p->v.push_back(arrays.tensor("v"));
  }
  if (arrays.has("dout")) p->doutput = arrays.tensor("dout");
  p->options.mask = mask_of(given.at("mask"), arrays);
  p->options.bias = bias_of(given.at("bias"), given.at("heads"));
  p->options.dropout = given.at("dropout");
  p->options.seed = 3;
  return p;
}

void write_results(int file, const Results& results) {
  Index at = 0;
  for (const Tensor& result : results) {
    const Index bytes = 4 * result.shape().elements();
    for (Index done = 0; done < bytes;) {
      const ssize_t written = pwrite(file, reinterpret_cast<const char*>(result.data()) + done,
                                     static_cast<std::size_t>(bytes - done), at + done);
      if (written <= 0) throw std::runtime_error("cannot hand over the result");
      done += written;
    }
    at += bytes;
  }
}

// Calls for so many seconds, at least once: the median of their times.
double time_calls(const Call& call, double seconds) {
  std::vector<double> times;
  double sum = 0;
  while (times.empty() || sum < seconds) {
    const auto start = std::chrono::steady_clock::now();
    call();
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    sum += times.back();
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void answer(const std::string& line) { std::cout << line << std::endl; }

std::string path() {
  return fovea::instruction_set() + ", " + std::to_string(fovea::thread_count()) + " threads";
}

// One command; its answer.
std::string obey(const std::string& command, int file, std::map<std::string, Call>& cases) {
  std::string word, peer, number;
  double seconds = 0;
  std::istringstream words(command);
  words >> word >> peer >> number >> seconds;
  if (word == "prepare") {
    const std::shared_ptr<Problem> problem = read_problem(file);
    cases[number] = call_for(problem);
    return "ok\t" + path();
  }
  if (word == "check") {
    write_results(file, cases.at(number)());
    return "ok\t-1";
  }
  if (word == "run") {
    char text[64];
    std::snprintf(text, sizeof text, "ok\t%.9g", time_calls(cases.at(number), seconds));
    return text;
  }
  if (word == "release") {
    cases.clear();
    return "ok";
  }
  return "error\tunknown command " + word;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::cerr << "this program is started by fovea bench --before\n";
    return 2;
  }
  const int file = std::stoi(arguments[1]);
  fovea::set_thread_count(std::stoi(arguments[2]));
  answer(std::string("peer\tbefore\tfovea ") + fovea::version() + " (" FOVEA_BEFORE_NAME ")\t" + path());
  answer("ready");
  std::map<std::string, Call> cases;
  for (std::string command; std::getline(std::cin, command);) {
    try {
      answer(obey(command, file, cases));
    } catch (const Cannot& reason) {
      answer(std::string("no\t") + reason.what());
    } catch (const std::exception& error) {
      answer(std::string("error\t") + error.what());
    }
  }
}
