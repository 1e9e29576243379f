#include "inputs/account_input.h"

#include <fmt/core.h>

#include "fovea/error.h"
#include "fovea/examples.h"
#include "options.h"

namespace fovea::command {
namespace {

// What is to be explained: x (and a memory) with projections, or, if x is empty, bare q, k, v.
struct Subject {
  Text title;
  std::vector<std::string> tokens, memory_tokens;
  Matrix x, memory;
  Projections projections;
  Matrix q, k, v;
};

// The inputs of a finished account, to compute it again with other options.
Subject subject_of(const Account& account) {
  const auto matrix = [&](const char* name) {
    return account.has(name) ? account.step(name).matrix : Matrix();
  };
  Subject subject{
      account.title, account.tokens, account.memory_tokens, matrix("x"), matrix("memory"), {}, {}, {}, {}};
  subject.projections = {matrix("w_q"), matrix("w_k"), matrix("w_v"), matrix("w_o"), account.heads};
  if (subject.x.empty()) {
    subject.q = matrix("q");
    subject.k = matrix("k");
    subject.v = matrix("v");
  }
  return subject;
}

// W_q, W_k, W_v (and W_o for several heads), as wide as the input, drawn as NumPy's randn draws them.
Projections draw_projections(Index seed, Index width, Index memory_width, Index heads) {
  Random random = Random::numpy(static_cast<std::uint32_t>(seed));
  Projections projections;
  projections.heads = heads;
  projections.w_q = Matrix::normal(random, width, width);
  projections.w_k = Matrix::normal(random, memory_width, width);
  projections.w_v = Matrix::normal(random, memory_width, width);
  if (heads > 1) projections.w_o = Matrix::normal(random, width, width);
  return projections;
}

Account find_example(const std::string& id) {
  try {
    return example(id).account;
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

void apply_memory(Subject& subject, const AccountRequest& request, const WordVectors& words) {
  if (!request.memory) return;
  if (subject.x.empty()) throw UsageError("--memory: this example gives q, k and v themselves");
  const EmbeddedSentence embedded = words.embed(*request.memory);
  subject.title = {fmt::format("{} → {}", subject.title.en, *request.memory),
                   fmt::format("{} → {}", subject.title.zh, *request.memory)};
  subject.memory = embedded.x;
  subject.memory_tokens = embedded.tokens;
}

void apply_projections(Subject& subject, const AccountRequest& request) {
  if (subject.x.empty()) {
    if (request.heads.value_or(1) > 1 || request.seed) {
      throw UsageError("--heads and --seed: this example gives q, k and v themselves");
    }
    return;
  }
  const Index heads = request.heads.value_or(subject.projections.heads);
  if (request.seed) {
    const Matrix& memory = subject.memory.empty() ? subject.x : subject.memory;
    subject.projections = draw_projections(*request.seed, subject.x.columns(), memory.columns(), heads);
  }
  subject.projections.heads = heads;
}

}  // namespace

Account make_account(const AccountRequest& request, const WordVectors& words) {
  const bool unchanged =
      !request.mask && !request.heads && !request.seed && !request.memory && request.scaled;
  Subject subject;
  // "I love AI" has its own vectors: it is the example, also if it is typed.
  if (!request.sentence || (*request.sentence == "I love AI" && !request.own_words)) {
    const std::string id = request.example.value_or("i-love-ai");
    const Account account = find_example(id);
    if (unchanged) return account;
    subject = subject_of(account);
    const std::string title = id == "i-love-ai" ? "I love AI" : id;
    subject.title = {title, title};
  } else {
    const EmbeddedSentence embedded = words.embed(*request.sentence);
    subject.title = {*request.sentence, *request.sentence};
    subject.tokens = embedded.tokens;
    subject.x = embedded.x;
  }
  apply_memory(subject, request, words);
  apply_projections(subject, request);
  ExplainOptions options;
  options.tokens = subject.tokens;
  options.memory_tokens = subject.memory_tokens;
  options.mask = request.mask.value_or(Mask());
  options.scaled = request.scaled;
  Account account = subject.x.empty() ? explain(subject.q, subject.k, subject.v, options)
                    : subject.memory.empty()
                        ? explain(subject.x, subject.projections, options)
                        : explain(subject.x, subject.memory, subject.projections, options);
  account.title = {fmt::format("{} · {}", subject.title.en, account.title.en),
                   fmt::format("{} · {}", subject.title.zh, account.title.zh)};
  return account;
}

}  // namespace fovea::command
