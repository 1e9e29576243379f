#include "draining_sockets.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

namespace fovea::explorer {
namespace {

constexpr std::size_t kMostDraining = 64;
constexpr auto kDrainingTime = std::chrono::seconds(2);

// False: the client has ended it, too. A piece at a time, others wait for their turn.
bool drop_a_piece(int socket) {
  static thread_local std::array<char, 65'536> piece;
  const ssize_t bytes = ::recv(socket, piece.data(), piece.size(), MSG_DONTWAIT);
  return bytes > 0 || (bytes < 0 && (errno == EAGAIN || errno == EINTR));
}

}  // namespace

void DrainingSockets::add(Socket socket) {
  ::shutdown(socket.number(), SHUT_WR);  // the client is told, though the socket stays open
  if (sockets_.size() >= kMostDraining || !drop_a_piece(socket.number())) return;
  sockets_.push_back({std::move(socket), Clock::now() + kDrainingTime});
}

void DrainingSockets::add_to(std::vector<pollfd>& watched) const {
  for (const Draining& each : sockets_) watched.push_back({each.socket.number(), POLLIN, 0});
}

void DrainingSockets::drain(const std::vector<pollfd>& watched, std::size_t first) {
  for (auto each = sockets_.begin(); each != sockets_.end() && first < watched.size(); ++first) {
    const bool over = watched[first].revents != 0 && !drop_a_piece(each->socket.number());
    each = over ? sockets_.erase(each) : std::next(each);
  }
}

void DrainingSockets::close_late(Clock::time_point now) {
  sockets_.remove_if([&](const Draining& each) { return each.end <= now; });
}

}  // namespace fovea::explorer
