#include "listening_socket.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

#include "fovea/error.h"

namespace fovea::explorer {
namespace {

constexpr int kFirstPort = 7373, kPortsToTry = 20;
constexpr int kBacklog = 1024;  // connections that the kernel keeps until we come to them

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

Addresses addresses_of(const std::string& host, int port) {
  addrinfo wanted = {};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found) != 0) found = nullptr;
  return {found, [](addrinfo* list) {
            if (list != nullptr) ::freeaddrinfo(list);
          }};
}

Socket bound_socket(const addrinfo& address) {
  Socket made(::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!made.is_open()) return {};
  // After the end of a server its port is free at once. SO_REUSEPORT would share it with others.
  const int yes = 1, no = 0;
  ::setsockopt(made.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  // :: means all addresses, whatever the machine's default is.
  if (address.ai_family == AF_INET6) {
    ::setsockopt(made.number(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
  }
  const bool fine = ::bind(made.number(), address.ai_addr, address.ai_addrlen) == 0 &&
                    ::listen(made.number(), kBacklog) == 0;
  return fine ? std::move(made) : Socket();
}

}  // namespace

ListeningSocket::ListeningSocket(const std::string& host, std::optional<int> port) {
  if (port) {
    if (take(host, *port)) return;
    if (*port == 0) throw fovea::Error(fmt::format("[serve] cannot bind to any port of {}", host));
    throw fovea::Error(
        fmt::format("[serve] cannot bind to port {} of {}: in use, or not permitted", *port, host));
  }
  for (int next = kFirstPort; next < kFirstPort + kPortsToTry; ++next) {
    if (take(host, next)) return;
  }
  throw fovea::Error(fmt::format("[serve] cannot bind to any of the ports {} to {} of {}", kFirstPort,
                                 kFirstPort + kPortsToTry - 1, host));
}

bool ListeningSocket::take(const std::string& host, int port) {
  const Addresses all = addresses_of(host, port);
  for (const addrinfo* each = all.get(); each != nullptr; each = each->ai_next) {
    socket_ = bound_socket(*each);
    if (!socket_.is_open()) continue;
    look_at_address();
    return true;
  }
  return false;
}

void ListeningSocket::look_at_address() {
  sockaddr_storage own = {};
  socklen_t size = sizeof(own);
  ::getsockname(socket_.number(), reinterpret_cast<sockaddr*>(&own), &size);
  std::array<char, INET6_ADDRSTRLEN> text = {};
  if (own.ss_family == AF_INET6) {
    const auto& six = reinterpret_cast<const sockaddr_in6&>(own);
    port_ = ntohs(six.sin6_port);
    any_ = IN6_IS_ADDR_UNSPECIFIED(&six.sin6_addr);
    loopback_ = IN6_IS_ADDR_LOOPBACK(&six.sin6_addr);
    ::inet_ntop(AF_INET6, &six.sin6_addr, text.data(), text.size());
  } else {
    const auto& four = reinterpret_cast<const sockaddr_in&>(own);
    port_ = ntohs(four.sin_port);
    any_ = four.sin_addr.s_addr == htonl(INADDR_ANY);
    loopback_ = (ntohl(four.sin_addr.s_addr) >> 24) == 127;
    ::inet_ntop(AF_INET, &four.sin_addr, text.data(), text.size());
  }
  address_ = text.data();
}

std::optional<Socket> ListeningSocket::accept() const {
  while (true) {
    Socket client(::accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (client.is_open()) return client;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return std::nullopt;
    if (errno == EINTR || errno == ECONNABORTED) continue;
    throw std::system_error(errno, std::generic_category(), "accept");
  }
}

}  // namespace fovea::explorer
