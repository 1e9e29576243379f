// A small HTTP client over plain sockets: what a well-behaved one would never send can be sent, too.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fovea/ascii.h"

namespace fovea::explorer {

using Headers = std::multimap<std::string, std::string>;

struct Reply {
  int status = 0;
  Headers headers;  // names in lower case
  std::string body;

  std::string header(const std::string& name) const {
    const auto found = headers.find(ascii_lower_case(name));
    return found == headers.end() ? "" : found->second;
  }
  bool has_header(const std::string& name) const { return headers.contains(ascii_lower_case(name)); }
};
using MaybeReply = std::optional<Reply>;

// Of 127.0.0.1, or of ::1. Waits up to two minutes for anything.
class Connection {
 public:
  explicit Connection(int port, bool six = false)
      : socket_(::socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval patience = {120, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    const auto connected = [&](const auto& address) {
      return ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
    };
    sockaddr_in four = {};
    four.sin_family = AF_INET;
    four.sin_port = htons(static_cast<in_port_t>(port));
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr_in6 other = {};
    other.sin6_family = AF_INET6;
    other.sin6_port = four.sin_port;
    other.sin6_addr = in6addr_loopback;
    is_open_ = six ? connected(other) : connected(four);
  }
  ~Connection() { ::close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool is_open() const { return is_open_; }
  int socket() const { return socket_; }

  // False: the server takes no more.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void end_sending() const { ::shutdown(socket_, SHUT_WR); }

  // The next answer; none if the connection ended before it. `head`: to a request without a body.
  MaybeReply receive(bool head = false) {
    Reply reply;
    while (received_.find("\r\n\r\n") == std::string::npos) {
      if (!receive_more()) return std::nullopt;
    }
    const std::size_t end = received_.find("\r\n\r\n");
    if (!read_head(received_.substr(0, end + 2), reply)) return std::nullopt;
    received_.erase(0, end + 4);
    if (reply.status == 100) return receive(head);
    const std::string length = reply.header("Content-Length");
    const std::size_t bytes = length.empty() || head ? 0 : std::stoul(length);
    while (received_.size() < bytes) {
      if (!receive_more()) return std::nullopt;
    }
    reply.body = received_.substr(0, bytes);
    received_.erase(0, bytes);
    return reply;
  }
  // Whether the server has ended the connection, without another answer.
  bool is_ended() { return received_.empty() && !receive_more(); }

 private:
  bool receive_more() {
    char piece[16'384];
    const ssize_t got = ::recv(socket_, piece, sizeof(piece), 0);
    if (got <= 0) return false;
    received_.append(piece, static_cast<std::size_t>(got));
    return true;
  }
  static bool read_head(std::string_view head, Reply& reply) {
    if (!head.starts_with("HTTP/1.") || head.size() < 12) return false;
    reply.status = std::stoi(std::string(head.substr(9, 3)));
    head.remove_prefix(head.find("\r\n") + 2);
    while (!head.empty()) {
      const std::string_view line = head.substr(0, head.find("\r\n"));
      const std::size_t colon = line.find(": ");
      if (colon != std::string_view::npos) {
        reply.headers.emplace(ascii_lower_case(std::string(line.substr(0, colon))), line.substr(colon + 2));
      }
      head.remove_prefix(line.size() + 2);
    }
    return true;
  }

  int socket_ = -1;
  bool is_open_ = false;
  std::string received_;
};

// For one thread. Keeps its connection as long as the server does.
class Client {
 public:
  explicit Client(int port) : port_(port) {}

  MaybeReply get(const std::string& path, const Headers& headers = {}) {
    return ask("GET", path, headers, std::nullopt);
  }
  MaybeReply head(const std::string& path) { return ask("HEAD", path, {}, std::nullopt); }
  MaybeReply remove(const std::string& path) { return ask("DELETE", path, {}, std::nullopt); }
  MaybeReply post(const std::string& path, const std::string& body,
                  const std::string& type = "application/json", Headers headers = {}) {
    if (!type.empty()) headers.emplace("Content-Type", type);
    return ask("POST", path, headers, body);
  }

 private:
  MaybeReply ask(const std::string& method, const std::string& path, Headers headers,
                 const std::optional<std::string>& body) {
    if (!headers.contains("Host")) headers.emplace("Host", "127.0.0.1:" + std::to_string(port_));
    if (body) headers.emplace("Content-Length", std::to_string(body->size()));
    std::string bytes = method + " " + path + " HTTP/1.1\r\n";
    for (const auto& [name, value] : headers) bytes += name + ": " + value + "\r\n";
    bytes += "\r\n" + body.value_or("");
    if (connection_ == nullptr) connection_ = std::make_unique<Connection>(port_);
    connection_->send(bytes);  // an answer may come even if not all was taken
    MaybeReply reply = connection_->receive(method == "HEAD");
    if (!reply || reply->header("Connection") == "close") connection_.reset();
    return reply;
  }

  const int port_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace fovea::explorer
