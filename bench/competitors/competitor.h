// Somebody who computes attention: fovea, what a user would pick instead, and a plain read as the limit.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "problem.h"

namespace fovea::bench {

struct Preparation {
  bool able = false;
  std::string text;  // the path taken, or why not
};

struct Checked {
  std::vector<Tensor> results;         // output, or dq, dk, dv; none: nothing to compare
  std::optional<double> extra_memory;  // bytes
  std::string path;                    // what ran, if that is known only now
};

// Cases are numbered by the caller; a problem must live until release(). Everything throws Error.
class Competitor {
 public:
  virtual ~Competitor() = default;
  virtual CompetitorInfo info() const = 0;
  virtual bool concerned(const Problem&) const { return true; }
  virtual FloatType inputs() const { return FloatType::float32; }  // the type of q, k and v
  virtual Preparation prepare(int number, const Problem& problem) = 0;
  virtual Checked check(int number) = 0;               // one call, with its memory
  virtual double run(int number, double seconds) = 0;  // calls for that long, at least one: median seconds
  virtual void release() = 0;                          // forgets all cases
};

// One that runs in this process.
class LocalCompetitor : public Competitor {
 public:
  using Call = std::function<std::vector<Tensor>()>;

  Preparation prepare(int number, const Problem& problem) final;
  Checked check(int number) override;
  double run(int number, double seconds) final;
  void release() final { calls_.clear(); }

 protected:
  // The call that solves the problem; an empty one if it cannot. `text`: the path, or why not.
  virtual Call call_for(const Problem& problem, std::string& text) = 0;

 private:
  std::map<int, Call> calls_;
};

std::unique_ptr<Competitor> make_fovea();
std::unique_ptr<Competitor> make_fovea_bfloat16();           // fovea, with q, k and v of 16 bits
std::unique_ptr<Competitor> make_blas(std::string& reason);  // null if it is not there, with the reason
std::unique_ptr<Competitor> make_read();

struct Peers {
  std::vector<std::unique_ptr<Competitor>> present;
  std::vector<CompetitorInfo> absent;
  std::string python;  // its version and NumPy's
};
// PyTorch, PyTorch in bfloat16 and ONNX Runtime, each in a process of that Python: one that dies takes
// nobody along.
Peers make_peers(const std::string& python, int threads);
// The attention of another commit: the program that scripts/build_before makes. Throws Error if it cannot
// be started, or does not say that it is one.
std::unique_ptr<Competitor> make_before(const std::string& program, int threads);

}  // namespace fovea::bench
