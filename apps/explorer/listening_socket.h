// The port that the server listens on.
#pragma once

#include <optional>
#include <string>

#include "socket.h"

namespace fovea::explorer {

class ListeningSocket {
 public:
  // An address of this machine, or a name of one; port 0: any, none: 7373, or the next one that is free.
  // Throws Error if it cannot be had.
  ListeningSocket(const std::string& host, std::optional<int> port);

  int number() const { return socket_.number(); }
  int port() const { return port_; }
  const std::string& address() const { return address_; }  // "127.0.0.1", "::"
  bool is_any_address() const { return any_; }             // 0.0.0.0 or ::, all addresses of the machine
  bool is_loopback() const { return loopback_; }           // nobody else can reach it

  // The next client, none if there is none at the moment; throws std::system_error for the rest.
  std::optional<Socket> accept() const;
  void close() { socket_ = Socket(); }

 private:
  bool take(const std::string& host, int port);
  void look_at_address();

  Socket socket_;
  int port_ = 0;
  std::string address_;
  bool any_ = false, loopback_ = false;
};

}  // namespace fovea::explorer
