#include "http_server.h"

#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include "draining_sockets.h"
#include "fovea/error.h"

namespace fovea::explorer {
namespace {

constexpr auto kTick = std::chrono::milliseconds(250);  // how late a deadline may be noticed
constexpr auto kTimeToSend = std::chrono::seconds(1);   // for answers that are there when the server ends
constexpr std::size_t kAcceptedAtOnce = 64;
constexpr unsigned kTurnsWithoutRest = 1000;
constexpr int kTicksUnread = 4;  // until bytes that the library does not take are given up
constexpr std::size_t kFewConnections = 8,
                      kManyConnections = 64;  // after as many, or such bodies, memory is given back
constexpr std::size_t kManyBodyBytes = 256'000;

std::size_t most_connections(const Limits& limits) {
  rlimit files = {};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return limits.connections;
  return std::min<std::size_t>(limits.connections, files.rlim_cur / 2);
}

}  // namespace

class HttpServer::Parts {
 public:
  Parts(ListeningSocket socket, const Limits& limits, HttpHeaders headers_of_all, HttpHandlers handlers);
  ~Parts();
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  void serve();
  void stop();

 private:
  void wake() const;
  void take_turn(std::chrono::milliseconds longest);
  int time_to_wait(std::chrono::milliseconds longest);
  void accept_clients();
  void close_late();
  void close_left();
  bool is_stuck(HttpConnection& connection, int unread) const;
  void give_back_memory();
  static void on_connection(void* self, MHD_Connection* handle, void** context,
                            MHD_ConnectionNotificationCode code);
  void add(MHD_Connection* handle, void** context);
  void remove(HttpConnection* connection);

  const Limits limits_;
  const HttpHeaders headers_;
  const std::size_t most_connections_;
  ListeningSocket listening_;
  bool accepting_ = true;
  Socket wake_;
  HttpRequests requests_;
  std::atomic<bool> ending_ = false;

  std::unordered_set<HttpConnection*> connections_;
  DrainingSockets draining_;
  ServerClock::time_point next_tick_ = {};
  unsigned turns_without_rest_ = 0;
  bool had_much_ = false;  // many connections, or large bodies, since memory was given back

  MHD_Daemon* daemon_ = nullptr;
  int events_ = -1;  // of all connections that the library has
};

HttpServer::Parts::Parts(ListeningSocket socket, const Limits& limits, HttpHeaders headers_of_all,
                         HttpHandlers handlers)
    : limits_(limits),
      headers_(std::move(headers_of_all)),
      most_connections_(most_connections(limits)),
      listening_(std::move(socket)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      requests_(limits, headers_, std::move(handlers), [this] { wake(); }) {
  // Nothing of the library runs by itself: this thread gives it connections, and tells it when to look at
  // them.
  daemon_ = MHD_start_daemon(
      MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME, 0, nullptr, nullptr,
      HttpRequests::on_request, &requests_, MHD_OPTION_URI_LOG_CALLBACK, HttpRequests::on_target,
      &requests_, MHD_OPTION_NOTIFY_COMPLETED, HttpRequests::on_completed, &requests_,
      MHD_OPTION_NOTIFY_CONNECTION, on_connection, this, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      kConnectionBytes, MHD_OPTION_CONNECTION_LIMIT, static_cast<unsigned>(most_connections_),
      MHD_OPTION_END);
  const MHD_DaemonInfo* info =
      daemon_ == nullptr ? nullptr : MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_EPOLL_FD);
  if (!wake_.is_open() || info == nullptr) throw Error("[serve] cannot start the HTTP library");
  events_ = info->epoll_fd;
}

HttpServer::Parts::~Parts() {
  if (daemon_ != nullptr) MHD_stop_daemon(daemon_);
}

void HttpServer::Parts::wake() const {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(wake_.number(), &one, sizeof(one)));
}

void HttpServer::Parts::stop() {
  ending_ = true;
  requests_.end();
  wake();
}

void HttpServer::Parts::serve() {
  while (!ending_) take_turn(std::chrono::hours(1));
  listening_.close();
  requests_.stop_work();
  while (requests_.are_computed()) take_turn(kTick);
  const ServerClock::time_point late = ServerClock::now() + kTimeToSend;
  while (requests_.are_sent() && ServerClock::now() < late) take_turn(std::chrono::milliseconds(10));
}

// Waits until there is something to do, not longer than told, and does it.
void HttpServer::Parts::take_turn(std::chrono::milliseconds longest) {
  std::vector<pollfd> watched = {{wake_.number(), POLLIN, 0},
                                 {events_, POLLIN, 0},
                                 {accepting_ ? listening_.number() : -1, POLLIN, 0}};
  const std::size_t draining = watched.size();
  draining_.add_to(watched);
  const std::size_t clients = watched.size();
  requests_.add_to(watched);
  ::poll(watched.data(), watched.size(), time_to_wait(longest));

  if (watched[0].revents != 0) {
    std::uint64_t count = 0;
    static_cast<void>(!::read(wake_.number(), &count, sizeof(count)));
  }
  draining_.drain(watched, draining);
  requests_.look_after_clients(watched, clients);
  requests_.hand_back_finished();
  if (watched[2].revents != 0) accept_clients();
  MHD_run(daemon_);
  had_much_ |= connections_.size() >= kManyConnections || requests_.body_bytes() >= kManyBodyBytes;
  close_late();
}

int HttpServer::Parts::time_to_wait(std::chrono::milliseconds longest) {
  const bool deadlines = !connections_.empty() || !draining_.empty() || !accepting_ || had_much_;
  if (deadlines) longest = std::min<std::chrono::milliseconds>(longest, kTick);
  MHD_UNSIGNED_LONG_LONG wanted = 0;
  if (MHD_get_timeout(daemon_, &wanted) == MHD_NO || wanted > 0) {
    turns_without_rest_ = 0;
    return static_cast<int>(longest.count());
  }
  // The library has more to do at once; or it only thinks so: when it has no room for more of a chunk's
  // size that does not end, it looks at what it has again and again.
  return ++turns_without_rest_ < kTurnsWithoutRest ? 0 : 1;
}

void HttpServer::Parts::accept_clients() {
  try {
    for (std::size_t i = 0; i < kAcceptedAtOnce; ++i) {
      std::optional<Socket> client = listening_.accept();
      if (!client) return;
      if (connections_.size() < most_connections_) {
        const sockaddr nobody = {.sa_family = AF_UNSPEC, .sa_data = {}};  // who it is does not matter
        MHD_add_connection(daemon_, client->release(), &nobody, sizeof(nobody));
        continue;
      }
      send_last_answer(client->number(), error_answer(503, "too many connections; try again in a moment"),
                       headers_);
      draining_.add(std::move(*client));
    }
  } catch (const std::system_error&) {
    accepting_ = false;  // no room for more open files: not before the next tick
  }
}

// A slow client must not keep a connection for ever.
void HttpServer::Parts::close_late() {
  const ServerClock::time_point now = ServerClock::now();
  if (now < next_tick_) return;
  next_tick_ = now + kTick;
  accepting_ = true;
  draining_.close_late(now);
  for (HttpConnection* connection : connections_) {
    if (!connection->deadline || *connection->deadline > now) continue;
    connection->deadline.reset();
    ::shutdown(connection->socket, SHUT_RDWR);  // the library closes it then
  }
  close_left();
  give_back_memory();
}

// The library overlooks the end of a client's side that comes together with the last bytes of it. Where all
// was read and a request is awaited, nothing can follow. And of a chunk's size that does not end it reads
// no more than it has room for, and says nothing.
void HttpServer::Parts::close_left() {
  std::vector<HttpConnection*> awaited;
  std::vector<pollfd> sockets;
  for (HttpConnection* connection : connections_) {
    connection->ticks_unread = connection->is_awaited ? connection->ticks_unread : 0;
    if (!connection->is_awaited) continue;
    awaited.push_back(connection);
    sockets.push_back({connection->socket, POLLRDHUP, 0});
  }
  ::poll(sockets.data(), sockets.size(), 0);
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    int unread = 0;
    if (::ioctl(sockets[i].fd, FIONREAD, &unread) != 0) continue;
    const bool stuck = is_stuck(*awaited[i], unread);
    if (stuck)
      send_last_answer(sockets[i].fd, error_answer(400, "a part of the request has no end"), headers_);
    if (stuck || (sockets[i].revents != 0 && unread == 0)) ::shutdown(sockets[i].fd, SHUT_RDWR);
  }
}

bool HttpServer::Parts::is_stuck(HttpConnection& connection, int unread) const {
  const bool same = unread > 0 && unread == connection.unread;
  connection.unread = unread;
  connection.ticks_unread = same ? connection.ticks_unread + 1 : 0;
  return connection.ticks_unread == kTicksUnread;
}

// What a burst of requests took would stay with the program, and count against the next one.
void HttpServer::Parts::give_back_memory() {
  if (!had_much_ || connections_.size() > kFewConnections || requests_.body_bytes() > 0) return;
  had_much_ = false;
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

void HttpServer::Parts::on_connection(void* self, MHD_Connection* handle, void** context,
                                      MHD_ConnectionNotificationCode code) {
  auto& parts = *static_cast<Parts*>(self);
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    parts.add(handle, context);
  } else if (*context != nullptr) {
    parts.remove(static_cast<HttpConnection*>(std::exchange(*context, nullptr)));
  }
}

void HttpServer::Parts::add(MHD_Connection* handle, void** context) {
  const MHD_ConnectionInfo* info = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CONNECTION_FD);
  try {
    auto connection = std::make_unique<HttpConnection>();
    connection->socket = info->connect_fd;
    connection->deadline = ServerClock::now() + limits_.request_time;
    connections_.insert(connection.get());
    *context = connection.release();
  } catch (const std::exception&) {
    // Without a context its requests are not answered.
  }
}

void HttpServer::Parts::remove(HttpConnection* connection) {
  const std::unique_ptr<HttpConnection> owner(connection);
  requests_.forget_all_of(*connection);
  connections_.erase(connection);
  try {
    draining_.add(Socket(::fcntl(connection->socket, F_DUPFD_CLOEXEC, 0)));
  } catch (const std::bad_alloc&) {
    // It ends less gently.
  }
}

HttpServer::HttpServer(ListeningSocket socket, const Limits& limits, HttpHeaders headers_of_all,
                       HttpHandlers handlers)
    : parts_(std::make_unique<Parts>(std::move(socket), limits, std::move(headers_of_all),
                                     std::move(handlers))) {}
HttpServer::~HttpServer() = default;
void HttpServer::serve() { parts_->serve(); }
void HttpServer::stop() { parts_->stop(); }

}  // namespace fovea::explorer
