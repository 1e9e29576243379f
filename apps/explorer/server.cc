#include "server.h"

#include <fmt/core.h>
#include <httplib.h>

#include <atomic>
#include <chrono>
#include <future>
#include <new>
#include <stop_token>
#include <thread>
#include <utility>

#include "analysis.h"
#include "fovea/error.h"
#include "fovea/json_writer.h"
#include "head_weights.h"
#include "mask_answer.h"
#include "overview.h"
#include "request_body.h"
#include "request_error.h"
#include "request_guard.h"
#include "state.h"
#include "steps.h"
#include "summary.h"
#include "work_queue.h"

namespace fovea::explorer {
namespace {

using httplib::Request;
using httplib::Response;

constexpr int kFirstPort = 7373, kPortsToTry = 20;
// A client that keeps its connection holds a thread, mostly asleep; after some requests it has to queue up
// again, so that many clients come forward together.
constexpr std::size_t kConnections = 64, kRequestsPerConnection = 200;
constexpr auto kLookAfterClient = std::chrono::milliseconds(100);
constexpr std::size_t kComputingThreads = 2;  // each with a team of OpenMP threads

// With a parameter, so that it is none of the types the server would compress: over loopback that only
// costs time.
constexpr const char* kJson = "application/json; charset=utf-8";
constexpr const char* kBinary = "application/octet-stream";

void send_error(Response& response, int status, const std::string& message) {
  JsonWriter json(JsonStyle::compact);
  json.begin_object();
  json.key("error").begin_object();
  json.key("message").string(message);
  json.key("status").integer(status);
  json.end_object();
  json.end_object();
  response.status = status;
  response.set_content(json.take(), kJson);
}

// Of errors that the HTTP library found by itself.
std::string message_of(int status, const Limits& limits) {
  switch (status) {
    case 400:
      return "this is no HTTP request that can be understood";
    case 404:
      return "there is nothing at this address";
    case 413:
      return fmt::format("the body of a request has at most {} bytes", limits.body_bytes);
    case 414:
      return "the address is too long";
    default:
      return "the request cannot be answered";
  }
}

HeaderOf headers_of(const Request& request) {
  return [&request](const std::string& name) {
    // Two of them are a trick: which one would be believed?
    return request.get_header_value_count(name) == 1 ? request.get_header_value(name) : "";
  };
}

// Fails if somebody else listens there: the library's own choice, SO_REUSEPORT, would share the port with
// them.
void set_socket_options(socket_t socket) {
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
}

int take_port(httplib::Server& http, const std::string& host, std::optional<int> wanted) {
  if (wanted == 0) {
    if (const int port = http.bind_to_any_port(host); port > 0) return port;
    throw fovea::Error(fmt::format("[serve] no port of {} can be had", host));
  }
  if (wanted) {
    if (http.bind_to_port(host, *wanted)) return *wanted;
    throw fovea::Error(
        fmt::format("[serve] port {} of {} cannot be had: taken, or not allowed", *wanted, host));
  }
  for (int port = kFirstPort; port < kFirstPort + kPortsToTry; ++port) {
    if (http.bind_to_port(host, port)) return port;
  }
  throw fovea::Error(fmt::format("[serve] none of the ports {} to {} of {} can be had", kFirstPort,
                                 kFirstPort + kPortsToTry - 1, host));
}

}  // namespace

struct Server::Parts {
  Parts(const ServerOptions& options, Page shown, std::vector<ServedModel> models, ModelLoader loader)
      : limits(options.limits),
        page(std::move(shown)),
        examples(examples_json()),
        captures(std::move(models), std::move(loader), options.limits),
        answers(kComputingThreads),
        studies(kComputingThreads, SIZE_MAX, WorkQueue::Priority::low),
        runs(1, options.limits.waiting_runs) {
    set_up();
    port = take_port(http, options.host, options.port);
    url = fmt::format("http://{}:{}/", host_in_url(options.host), port);
    guard = std::make_unique<RequestGuard>(options.host, port);
    add_routes();
  }

  void set_up();
  void add_routes();
  void add_capture_routes();
  void add_rollout_route();
  void send_rollout_row(Response& response, const CapturePtr& stored, AttentionKind kind, Index query);

  // Runs a handler; whatever it throws becomes an answer.
  template <typename Handler>
  httplib::Server::Handler answered(Handler handler, int status_of_error = 400) const {
    return [handler, status_of_error](const Request& request, Response& response) {
      try {
        handler(request, response);
      } catch (const RequestError& error) {
        send_error(response, error.status(), error.what());
      } catch (const fovea::Error& error) {
        send_error(response, status_of_error, error.what());
      } catch (const std::bad_alloc&) {
        send_error(response, 503, "out of memory");
      } catch (const std::exception& error) {
        send_error(response, 500, error.what());
      }
    };
  }

  // GET /api/captures/{id}/NAME: `body(capture, parameters)` computed on one of our threads.
  template <typename Body>
  void add_answer(const std::string& name, const char* type, WorkQueue& queue, Body body) {
    http.Get("/api/captures/([A-Za-z0-9]+)/" + name,
             answered([this, type, &queue, body](const Request& request, Response& response) {
               guard->check_api(headers_of(request));
               const CapturePtr stored = captures.get(request.matches[1]);
               response.set_content(queue.run([&] { return body(stored, request.params); }), type);
             }));
  }

  const Limits limits;
  const Page page;
  const std::string examples;
  int port = 0;
  std::string url;
  std::unique_ptr<RequestGuard> guard;
  CaptureStore captures;
  WorkQueue answers;  // what a hovering pointer waits for
  WorkQueue studies;  // of all heads or layers: they take seconds, and nothing else waits for them
  WorkQueue runs;
  std::atomic<bool> ended = false;  // listen() has returned
  httplib::Server http;             // the last one: its threads use all the others
};

void Server::Parts::set_up() {
  http.new_task_queue = [] { return new httplib::ThreadPool(kConnections); };  // NOLINT: it takes a pointer
  http.set_socket_options(set_socket_options);
  http.set_tcp_nodelay(true);      // header and body are two packets: without it, the second waits 40 ms
  http.set_keep_alive_timeout(2);  // seconds that the end may have to wait for
  http.set_keep_alive_max_count(kRequestsPerConnection);
  http.set_payload_max_length(limits.body_bytes);
  http.set_default_headers({{"Content-Security-Policy", page.policy + "; frame-ancestors 'none'"},
                            {"X-Content-Type-Options", "nosniff"},
                            {"X-Frame-Options", "DENY"},
                            {"Referrer-Policy", "no-referrer"},
                            {"Cross-Origin-Resource-Policy", "same-origin"},
                            {"Cross-Origin-Opener-Policy", "same-origin"},
                            {"Cache-Control", "no-store"}});
  http.set_error_handler([this](const Request&, Response& response) {
    if (response.body.empty()) send_error(response, response.status, message_of(response.status, limits));
  });
}

void Server::Parts::add_routes() {
  http.Get("/", answered([this](const Request& request, Response& response) {
             guard->check_page(headers_of(request));
             response.set_content_provider(
                 page.html.size(), "text/html; charset=utf-8",
                 [this](std::size_t offset, std::size_t length, httplib::DataSink& to) {
                   return to.write(page.html.data() + offset, length);
                 });
           }));
  http.Get("/favicon.ico", [](const Request&, Response& response) { response.status = 204; });
  http.Get("/api/state", answered([this](const Request& request, Response& response) {
             guard->check_api(headers_of(request));
             const std::vector<CapturePtr> kept = captures.captures();
             std::vector<const StoredCapture*> all;
             for (const CapturePtr& each : kept) all.push_back(each.get());
             response.set_content(state_json(captures.models(), all, limits), kJson);
           }));
  http.Get("/api/examples", answered([this](const Request& request, Response& response) {
             guard->check_api(headers_of(request));
             response.set_content(examples, kJson);
           }));
  http.Get("/api/mask", answered([this](const Request& request, Response& response) {
             guard->check_api(headers_of(request));
             response.set_content(answers.run([&] { return mask_json(request.params); }), kJson);
           }));
  add_capture_routes();
}

void Server::Parts::add_capture_routes() {
  const auto summary = [](const StoredCapture& stored) {
    JsonWriter json(JsonStyle::compact);
    write_summary(json, stored);
    return json.take();
  };
  http.Post("/api/captures", answered(
                                 [this, summary](const Request& request, Response& response) {
                                   guard->check_change(headers_of(request), true);
                                   const CaptureRequest wanted = parse_capture_request(request.body);
                                   const CapturePtr made = runs.run([&] { return captures.add(wanted); });
                                   response.status = 201;
                                   response.set_content(summary(*made), kJson);
                                 },
                                 422));
  http.Get("/api/captures/([A-Za-z0-9]+)",
           answered([this, summary](const Request& request, Response& response) {
             guard->check_api(headers_of(request));
             response.set_content(summary(*captures.get(request.matches[1])), kJson);
           }));
  http.Delete("/api/captures/([A-Za-z0-9]+)", answered([this](const Request& request, Response& response) {
                guard->check_change(headers_of(request), false);
                captures.remove(request.matches[1]);
                response.status = 204;
              }));
  add_answer("overview", kJson, studies, [](const CapturePtr& stored, const Parameters& parameters) {
    const AttentionKind kind = kind_parameter(parameters, stored->run());
    return stored->answers->get(std::string("overview ") + to_string(kind),
                                [&] { return overview_json(*stored, kind); });
  });
  add_answer("thumbnails", kBinary, studies, [](const CapturePtr& stored, const Parameters& parameters) {
    const AttentionKind kind = kind_parameter(parameters, stored->run());
    const Index size =
        integer_parameter(parameters, "size", 1, kMostThumbnailCells).value_or(kThumbnailCells);
    const auto compute = [&] { return thumbnails_bytes(stored->run(), kind, size); };
    if (size != kThumbnailCells) return compute();
    return stored->answers->get(std::string("thumbnails ") + to_string(kind), compute);
  });
  add_answer("weights", kBinary, answers, [](const CapturePtr& stored, const Parameters& parameters) {
    return weights_bytes(stored->run(), parameters);
  });
  add_answer("rows", kBinary, answers, [](const CapturePtr& stored, const Parameters& parameters) {
    return rows_bytes(stored->run(), parameters);
  });
  add_answer("steps", kBinary, answers, [this](const CapturePtr& stored, const Parameters& parameters) {
    return steps_bytes(captures, stored, parameters);
  });
  add_answer("similarity", kBinary, studies, [](const CapturePtr& stored, const Parameters& parameters) {
    const AttentionKind kind = kind_parameter(parameters, stored->run());
    return stored->answers->get(std::string("similarity ") + to_string(kind),
                                [&] { return similarity_bytes(stored->run(), kind); });
  });
  add_rollout_route();
}

void Server::Parts::add_rollout_route() {
  http.Get("/api/captures/([A-Za-z0-9]+)/rollout",
           answered([this](const Request& request, Response& response) {
             guard->check_api(headers_of(request));
             const CapturePtr stored = captures.get(request.matches[1]);
             const AttentionKind kind = kind_parameter(request.params, stored->run());
             const Index queries = stored->run().layer(kind, 0).queries();
             if (const auto query = integer_parameter(request.params, "query", 0, queries - 1)) {
               return send_rollout_row(response, stored, kind, *query);
             }
             const auto all = [&] { return rollout_bytes(stored->run(), kind); };
             response.set_content(studies.run([&] {
               return stored->answers->get(std::string("rollout ") + to_string(kind), all);
             }),
                                  kBinary);
           }));
}

// Of thousands of tokens it takes half a minute: as long as somebody is there to get it.
void Server::Parts::send_rollout_row(Response& response, const CapturePtr& stored, AttentionKind kind,
                                     Index query) {
  check_rollout(stored->run(), kind);
  response.set_chunked_content_provider(kBinary, [this, stored, kind, query](std::size_t /*offset*/,
                                                                             httplib::DataSink& to) {
    std::stop_source stop;
    std::future<std::string> row = std::async(std::launch::async, [&] {
      return studies.run([&] { return rollout_row_bytes(stored->run(), kind, query, stop.get_token()); });
    });
    while (row.wait_for(kLookAfterClient) != std::future_status::ready) {
      if (!to.is_writable()) stop.request_stop();
    }
    try {
      const std::string bytes = row.get();
      to.write(bytes.data(), bytes.size());
      to.done();
      return true;
    } catch (const std::exception&) {
      return false;  // the status was sent already: the connection ends before the answer
    }
  });
}

Server::Server(const ServerOptions& options, Page page, std::vector<ServedModel> models, ModelLoader loader)
    : parts_(std::make_unique<Parts>(options, std::move(page), std::move(models), std::move(loader))) {}

Server::~Server() = default;

const std::string& Server::url() const { return parts_->url; }
int Server::port() const { return parts_->port; }
CaptureStore& Server::captures() { return parts_->captures; }

void Server::listen() {
  const bool fine = parts_->http.listen_after_bind();
  parts_->ended = true;
  if (!fine) throw fovea::Error("[serve] listening failed");
}

void Server::stop() {
  // The HTTP library forgets a stop that comes before its first moment of listening.
  while (!parts_->http.is_running() && !parts_->ended)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  parts_->http.stop();
}

}  // namespace fovea::explorer
