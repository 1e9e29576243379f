// What the ring asks of the processes: the only thing it knows of MPI. Tests have one of threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/api.h"
#include "fovea/distributed.h"
#include "fovea/shape.h"

namespace fovea {
inline namespace internal {

struct Outgoing {
  const float* data = nullptr;
  Index count = 0;
};
struct Incoming {
  float* data = nullptr;
  Index count = 0;
};

// Something on its way while others compute.
class FOVEA_PRIVATE_API Transfer {
 public:
  virtual ~Transfer() = default;
  virtual void finish() = 0;  // returns when all is sent and here
};

class FOVEA_PRIVATE_API RankGroup {
 public:
  virtual ~RankGroup() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Sends to one rank and receives from another, at the same time, on one of several channels: transfers of
  // one channel arrive in their order. The memory must stay until finish().
  virtual std::unique_ptr<Transfer> start(int channel, int to, std::vector<Outgoing> sent, int from,
                                          std::vector<Incoming> received) = 0;
  // The bytes of every rank, in their order, on every rank; of any lengths.
  virtual std::vector<std::string> gather(const std::string& bytes) = 0;
  [[noreturn]] virtual void abort(int exit_code) noexcept = 0;
};

// By MPI; without it they throw Error.
std::unique_ptr<RankGroup> all_processes();
std::unique_ptr<RankGroup> processes_of(int communicator);
bool has_processes();

}  // namespace internal
}  // namespace fovea
