// Connections that the server has ended while the client may still be sending.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <list>
#include <vector>

#include "socket.h"

namespace fovea::explorer {

// Closing a socket with unread data resets the connection, and the client may lose the answer that told it
// why. So what it still sends is read and dropped, for a moment.
class DrainingSockets {
 public:
  using Clock = std::chrono::steady_clock;

  void add(Socket socket);                                            // nothing more is written to it
  void add_to(std::vector<pollfd>& watched) const;                    // all of them
  void drain(const std::vector<pollfd>& watched, std::size_t first);  // first: where add_to began
  void close_late(Clock::time_point now);
  bool empty() const { return sockets_.empty(); }

 private:
  struct Draining {
    Socket socket;
    Clock::time_point end;
  };
  std::list<Draining> sockets_;
};

}  // namespace fovea::explorer
