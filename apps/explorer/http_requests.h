// The requests that a server is busy with, from the first line to the end of the answer.
#pragma once

#include <microhttpd.h>
#include <poll.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <unordered_set>
#include <vector>

#include "http.h"
#include "http_response.h"
#include "limits.h"
#include "work_queue.h"

namespace fovea::explorer {

// How a request is answered.
struct HttpTask {
  std::function<HttpAnswer(const std::stop_token&)> work;
  WorkQueue* queue = nullptr;       // none: at once, by the thread that serves: for what takes no time
  int status_of_error = 400;        // of an Error that the work throws
  bool only_while_awaited = false;  // stopped when the client closes the connection
};

// Both may throw RequestError; the thread that serves calls them.
struct HttpHandlers {
  std::function<void(const HttpRequest&)> check;     // when the headers are there, but no body
  std::function<HttpTask(const HttpRequest&)> task;  // when all is there; the headers are gone
};

using ServerClock = std::chrono::steady_clock;

struct HttpConnection {
  int socket = -1;
  bool is_awaited = true;  // a request, or the rest of one; otherwise it is our turn
  std::optional<ServerClock::time_point> deadline = {};
  int unread = 0, ticks_unread = 0;  // bytes that the library leaves where they are, and since when
};

// All but end() and what the tasks do is called by the thread that serves.
class HttpRequests {
 public:
  // wake: called by any thread when an answer is ready to be handed back.
  HttpRequests(const Limits& limits, HttpHeaders headers_of_all, HttpHandlers handlers,
               std::function<void()> wake);
  ~HttpRequests();
  HttpRequests(const HttpRequests&) = delete;
  HttpRequests& operator=(const HttpRequests&) = delete;

  // Sockets of clients that work is done for only as long as they are there.
  void add_to(std::vector<pollfd>& watched) const;
  void look_after_clients(const std::vector<pollfd>& watched, std::size_t first);  // where add_to began
  void hand_back_finished();

  // The library does not say of every request that it is over: not of those that it refuses by itself.
  void forget_all_of(const HttpConnection& closed);

  void end() { ending_ = true; }  // by any thread: nothing new is begun
  void stop_work();               // what can be stopped
  std::size_t body_bytes() const { return body_bytes_; }
  bool are_computed() const;  // some of them
  bool are_sent() const;

  // What the library calls; `self` is this.
  static void* on_target(void* self, const char* target, MHD_Connection* handle);
  static MHD_Result on_request(void* self, MHD_Connection* handle, const char* url, const char* method,
                               const char* version, const char* data, std::size_t* bytes, void** context);
  static void on_completed(void* self, MHD_Connection* handle, void** context,
                           MHD_RequestTerminationCode code);

 private:
  struct Exchange;

  MHD_Result handle(Exchange& exchange, const char* method, const char* data, std::size_t* bytes);
  MHD_Result read_headers(Exchange& exchange, const char* method);
  MHD_Result read_body(Exchange& exchange, const char* data, std::size_t bytes);
  MHD_Result refuse_body(const Exchange& exchange, int status, const std::string& message) const;
  void refuse_target(Exchange& exchange) const;
  MHD_Result start(Exchange& exchange);
  MHD_Result send(Exchange& exchange);
  void compute(Exchange& exchange, const HttpTask& task);
  void release_body(Exchange& exchange);
  void forget(Exchange* exchange);
  void remove(Exchange* exchange);

  const Limits limits_;
  const HttpHeaders headers_;
  const HttpHandlers handlers_;
  const std::function<void()> wake_;

  std::unordered_set<Exchange*> exchanges_;
  std::size_t body_bytes_ = 0, answer_bytes_ = 0;  // that all of them hold

  std::atomic<bool> ending_ = false;
  std::mutex mutex_;
  std::vector<Exchange*> finished_;
};

}  // namespace fovea::explorer
