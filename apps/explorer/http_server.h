// HTTP over libmicrohttpd: connections and the thread that serves them.
#pragma once

#include <memory>

#include "http_requests.h"
#include "listening_socket.h"

namespace fovea::explorer {

// One thread serves all connections; queues do the work. What a client may make the server keep is bounded
// before anybody looks at the request: connections, bytes of each, bodies, answers, and time.
class HttpServer {
 public:
  HttpServer(ListeningSocket socket, const Limits& limits, HttpHeaders headers_of_all,
             HttpHandlers handlers);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Answers until stop() is called, by another thread. Then work that can be stopped is stopped, the rest
  // of what is being computed is awaited, and the answers get a moment to be sent.
  void serve();
  void stop();

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace fovea::explorer
