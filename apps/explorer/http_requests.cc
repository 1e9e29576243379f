#include "http_requests.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "fovea/ascii.h"
#include "fovea/error.h"
#include "request_error.h"
#include "request_target.h"

namespace fovea::explorer {
namespace {

constexpr unsigned kNever = 1'000'000, kByDefault = 0;  // seconds

}  // namespace

struct HttpRequests::Exchange {
  HttpConnection* connection = nullptr;
  MHD_Connection* handle = nullptr;
  HttpRequest request = {};
  bool target_too_long = false, has_headers = false, refused = false;
  std::size_t answer_bytes = 0;  // counted among those of all

  bool computing = false, only_while_awaited = false;
  std::optional<HttpAnswer> answer = {};  // while it is computed, of the thread that does so
  std::stop_source stop = {};
};

HttpRequests::HttpRequests(const Limits& limits, HttpHeaders headers_of_all, HttpHandlers handlers,
                           std::function<void()> wake)
    : limits_(limits),
      headers_(std::move(headers_of_all)),
      handlers_(std::move(handlers)),
      wake_(std::move(wake)) {}

HttpRequests::~HttpRequests() = default;

void HttpRequests::add_to(std::vector<pollfd>& watched) const {
  for (const Exchange* exchange : exchanges_) {
    const bool looked_after =
        exchange->computing && exchange->only_while_awaited && !exchange->stop.stop_requested();
    watched.push_back({looked_after ? exchange->connection->socket : -1, POLLRDHUP, 0});
  }
}

void HttpRequests::look_after_clients(const std::vector<pollfd>& watched, std::size_t first) {
  for (Exchange* exchange : exchanges_) {
    if (watched[first++].revents != 0) exchange->stop.request_stop();
  }
}

void HttpRequests::hand_back_finished() {
  std::vector<Exchange*> finished;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    finished.swap(finished_);
  }
  for (Exchange* exchange : finished) {
    exchange->computing = false;
    const std::size_t bytes = exchange->answer->body ? exchange->answer->body->size() : 0;
    if (answer_bytes_ + bytes > limits_.all_answer_bytes) {
      exchange->answer = error_answer(503, "too many responses are pending; try again in a moment");
    } else {
      exchange->answer_bytes = bytes;
      answer_bytes_ += bytes;
    }
    MHD_resume_connection(exchange->handle);  // calls handle() again
  }
}

void HttpRequests::stop_work() {
  for (Exchange* exchange : exchanges_) exchange->stop.request_stop();
}

bool HttpRequests::are_computed() const {
  return std::any_of(exchanges_.begin(), exchanges_.end(),
                     [](const auto* each) { return each->computing; });
}

bool HttpRequests::are_sent() const {
  return std::any_of(exchanges_.begin(), exchanges_.end(), [](const auto* each) { return each->answer; });
}

void* HttpRequests::on_target(void* self, const char* target, MHD_Connection* handle) {
  auto& requests = *static_cast<HttpRequests*>(self);
  const MHD_ConnectionInfo* info = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  if (info == nullptr || info->socket_context == nullptr) return nullptr;
  try {
    auto exchange = std::make_unique<Exchange>();
    exchange->connection = static_cast<HttpConnection*>(info->socket_context);
    exchange->connection->deadline = ServerClock::now() + requests.limits_.request_time;
    exchange->handle = handle;
    const std::string_view whole = target == nullptr ? "" : target;
    exchange->target_too_long = whole.size() > kMostTargetBytes;
    RequestTarget parsed = parse_target(whole.substr(0, kMostTargetBytes));
    exchange->request.path = std::move(parsed.path);
    exchange->request.parameters = std::move(parsed.parameters);
    requests.exchanges_.insert(exchange.get());
    if (std::count(whole.begin(), whole.end(), '&') >= kMostParameters) requests.refuse_target(*exchange);
    return exchange.release();
  } catch (const std::exception&) {
    return nullptr;
  }
}

// The library keeps room for every parameter; when it has no more, it forgets to answer.
void HttpRequests::refuse_target(Exchange& exchange) const {
  send_last_answer(exchange.connection->socket, error_answer(414, "the address has too many parameters"),
                   headers_);
  exchange.refused = true;
  exchange.connection->deadline = ServerClock::now();
}

MHD_Result HttpRequests::on_request(void* self, MHD_Connection* /*handle*/, const char* /*url*/,
                                    const char* method, const char* /*version*/, const char* data,
                                    std::size_t* bytes, void** context) {
  if (*context == nullptr) return MHD_NO;
  try {
    return static_cast<HttpRequests*>(self)->handle(*static_cast<Exchange*>(*context), method, data, bytes);
  } catch (const std::exception&) {
    return MHD_NO;  // no memory even for an error: the connection is closed
  }
}

// Called with the headers, with each piece of the body, and with nothing at its end; with nothing again
// when an answer was computed.
MHD_Result HttpRequests::handle(Exchange& exchange, const char* method, const char* data,
                                std::size_t* bytes) {
  if (exchange.refused) return MHD_NO;
  if (!exchange.has_headers) return read_headers(exchange, method);
  if (*bytes > 0) return read_body(exchange, data, std::exchange(*bytes, 0));
  if (exchange.computing) return MHD_YES;
  return exchange.answer ? send(exchange) : start(exchange);
}

MHD_Result HttpRequests::read_headers(Exchange& exchange, const char* method) {
  exchange.has_headers = true;
  HttpRequest& request = exchange.request;
  request.method = method;
  const auto keep = [](void* headers, MHD_ValueKind /*kind*/, const char* name, const char* value) {
    auto& all = *static_cast<std::multimap<std::string, std::string>*>(headers);
    all.emplace(ascii_lower_case(std::string(name)), value == nullptr ? "" : value);
    return MHD_YES;
  };
  MHD_get_connection_values(exchange.handle, MHD_HEADER_KIND, keep, &request.headers);
  const HttpAnswer refusal = answer_of([&] {
    if (exchange.target_too_long) throw RequestError(414, "the address is too long");
    check_framing(request, limits_);
    handlers_.check(request);
    return HttpAnswer{.status = 0};
  });
  const bool body_follows = request.may_have_body();
  request.headers.clear();  // they take more room here than in the connection's bytes
  if (refusal.status == 0) return MHD_YES;
  exchange.answer = refusal;
  // An answer at this point makes the library leave the body unread and close the connection. Without a
  // body it can wait for the next call.
  return body_follows ? send(exchange) : MHD_YES;
}

MHD_Result HttpRequests::read_body(Exchange& exchange, const char* data, std::size_t bytes) {
  std::string& body = exchange.request.body;
  if (body.size() + bytes > limits_.body_bytes) {
    return refuse_body(
        exchange, 413,
        fmt::format("the request body is too large: the limit is {} bytes", limits_.body_bytes));
  }
  if (body_bytes_ + bytes > limits_.all_body_bytes) {
    return refuse_body(exchange, 503, "too many requests are being sent; try again in a moment");
  }
  body.append(data, bytes);
  body_bytes_ += bytes;
  return MHD_YES;
}

// Here the library would take no answer before the end of the body, which may never come.
MHD_Result HttpRequests::refuse_body(const Exchange& exchange, int status,
                                     const std::string& message) const {
  send_last_answer(exchange.connection->socket, error_answer(status, message), headers_);
  return MHD_NO;  // closes the connection
}

MHD_Result HttpRequests::start(Exchange& exchange) {
  exchange.connection->is_awaited = false;
  exchange.connection->deadline.reset();
  HttpTask task;
  HttpAnswer answer = answer_of([&] {
    if (ending_) throw RequestError(503, "the server is shutting down");
    task = handlers_.task(exchange.request);
    release_body(exchange);
    if (task.queue == nullptr) return answer_of([&] { return task.work({}); }, task.status_of_error);
    exchange.computing = true;
    exchange.only_while_awaited = task.only_while_awaited;
    task.queue->add([this, &exchange, task] { compute(exchange, task); });
    return HttpAnswer{.status = 0};
  });
  if (answer.status != 0) {
    exchange.computing = false;
    exchange.answer = std::move(answer);
    return send(exchange);
  }
  // Deadlines are ours, this one never comes. But connections with a timeout of their own are the first
  // that the library goes through; another one, when it comes back with the answer, would be read from
  // before, and closed if the client has closed its side after the request.
  MHD_set_connection_option(exchange.handle, MHD_CONNECTION_OPTION_TIMEOUT, kNever);
  // Even if the answer is there already: this thread hands it back, later.
  MHD_suspend_connection(exchange.handle);
  return MHD_YES;
}

// By a thread of a queue. The exchange stays until it is handed back.
void HttpRequests::compute(Exchange& exchange, const HttpTask& task) {
  const std::stop_token stop = exchange.stop.get_token();
  exchange.answer = answer_of(
      [&] {
        if (ending_ || (task.only_while_awaited && stop.stop_requested())) throw Stopped("[serve]");
        return task.work(stop);
      },
      task.status_of_error);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    finished_.push_back(&exchange);
  }
  wake_();
}

MHD_Result HttpRequests::send(Exchange& exchange) {
  exchange.connection->is_awaited = false;
  exchange.connection->deadline = ServerClock::now() + limits_.answer_time;
  return queue_answer(exchange.handle, *exchange.answer, headers_) ? MHD_YES : MHD_NO;
}

void HttpRequests::release_body(Exchange& exchange) {
  body_bytes_ -= exchange.request.body.size();
  exchange.request.body = std::string();
}

void HttpRequests::on_completed(void* self, MHD_Connection* /*handle*/, void** context,
                                MHD_RequestTerminationCode /*code*/) {
  if (*context == nullptr) return;
  static_cast<HttpRequests*>(self)->forget(static_cast<Exchange*>(*context));
  *context = nullptr;
}

void HttpRequests::forget_all_of(const HttpConnection& closed) {
  for (auto each = exchanges_.begin(); each != exchanges_.end();) {
    const auto next = std::next(each);
    if ((*each)->connection == &closed) remove(*each);
    each = next;
  }
}

void HttpRequests::remove(Exchange* exchange) {
  const std::unique_ptr<Exchange> owner(exchange);
  exchanges_.erase(exchange);
  release_body(*exchange);
  answer_bytes_ -= exchange->answer_bytes;
}

void HttpRequests::forget(Exchange* exchange) {
  MHD_set_connection_option(exchange->handle, MHD_CONNECTION_OPTION_TIMEOUT, kByDefault);
  exchange->connection->is_awaited = true;
  exchange->connection->deadline = ServerClock::now() + limits_.request_time;
  remove(exchange);
}

}  // namespace fovea::explorer
