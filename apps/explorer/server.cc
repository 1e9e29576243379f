#include "server.h"

#include <fmt/core.h>

#include <functional>
#include <mutex>
#include <utility>

#include "analysis.h"
#include "fovea/json_writer.h"
#include "http_server.h"
#include "learn.h"
#include "mask_answer.h"
#include "own_names.h"
#include "request_body.h"
#include "request_error.h"
#include "request_guard.h"
#include "routes.h"
#include "run_answer.h"
#include "state.h"
#include "study_routes.h"
#include "summary.h"
#include "whatif_store.h"
#include "work_queue.h"

namespace fovea::explorer {
namespace {

constexpr std::size_t kComputingThreads = 2;  // each with a team of OpenMP threads

HttpHeaders headers_of_all(const Page& page) {
  return {{"Content-Security-Policy", page.policy + "; frame-ancestors 'none'"},
          {"X-Content-Type-Options", "nosniff"},
          {"X-Frame-Options", "DENY"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Cross-Origin-Opener-Policy", "same-origin"},
          {"Cache-Control", "no-store"}};
}

std::string summary_json(const StoredCapture& stored) {
  JsonWriter json(JsonStyle::compact);
  write_summary(json, stored);
  return json.take();
}

std::string url_of(const std::string& host, int port) {
  return fmt::format("http://{}:{}/", host_in_url(host), port);
}

HttpTask answered_at_once(HttpAnswer answer) {
  return {.work = [answer = std::move(answer)](const std::stop_token&) { return answer; }};
}

// The folder of a model by its name; the lessons ask for our own ones.
ModelFinder finder_of(const std::vector<ServedModel>& models) {
  return [models](const std::string& name) -> std::string {
    for (const ServedModel& model : models) {
      if (model.id == name) return model.folder;
    }
    return "";
  };
}

// Hundreds of clients that ask for the same at once get the same bytes, which are there only once.
class SharedAnswer {
 public:
  HttpAnswer of(std::string body) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (last_.body == nullptr || *last_.body != body) last_ = answer_with(std::move(body));
    return last_;
  }

 private:
  std::mutex mutex_;
  HttpAnswer last_;
};

}  // namespace

struct Server::Parts {
  Parts(const ServerOptions& options, Page shown, std::vector<ServedModel> models, ModelLoader loader)
      : Parts(options, ListeningSocket(options.host, options.port), std::move(shown), std::move(models),
              std::move(loader)) {}
  Parts(const ServerOptions& options, ListeningSocket socket, Page shown, std::vector<ServedModel> models,
        ModelLoader loader)
      : limits(options.limits),
        page(answer_with(std::move(shown.html), "text/html; charset=utf-8")),
        examples(answer_with(examples_json())),
        port(socket.port()),
        any_address(socket.is_any_address()),
        loopback(socket.is_loopback()),
        host(any_address ? "127.0.0.1" : options.host),  // 0.0.0.0 is no address that one can go to
        url(url_of(host, port)),
        guard(options.host, socket),
        lesson_models(finder_of(models)),
        captures(std::move(models), std::move(loader), options.limits),
        whatif(options.limits),
        answers(kComputingThreads),
        studies(kComputingThreads, SIZE_MAX, WorkQueue::Priority::low),
        runs(1, options.limits.waiting_runs),
        changes(1, options.limits.waiting_changes),
        http(std::move(socket), options.limits, headers_of_all(shown),
             {[this](const HttpRequest& request) { routes.check(request, guard); },
              [this](const HttpRequest& request) { return routes.task(request); }}) {
    add_routes();
    add_capture_routes();
    add_learn_routes();
    add_study_routes(routes, study_store);
  }

  void add_routes();
  void add_capture_routes();
  void add_learn_routes();

  // GET /api/captures/*/NAME of one head: at once, unless a changed run is made first.
  void add_answer(const std::string& name) {
    routes.add("GET", "/api/captures/*/" + name, &RequestGuard::check_api,
               [this, name](const HttpRequest& request, const std::string& id) {
                 const CapturePtr stored = captures.get(id);
                 static_cast<void>(kind_parameter(request.parameters, stored->run()));
                 const bool changed = asks_for_change(request.parameters);
                 return HttpTask{.work = answer_of(name, stored, request.parameters),
                                 .queue = changed ? &changes : &answers,
                                 .only_while_awaited = changed};
               });
  }

  // The same of all heads or layers, as long as the client waits.
  void add_study(const std::string& name) {
    routes.add("GET", "/api/captures/*/" + name, &RequestGuard::check_api,
               [this, name](const HttpRequest& request, const std::string& id) {
                 const CapturePtr stored = captures.get(id);
                 const AttentionKind kind = kind_parameter(request.parameters, stored->run());
                 static_cast<void>(asks_for_change(request.parameters));  // throws for what is none
                 if (name == "rollout") check_rollout(stored->run(), kind);
                 return HttpTask{.work = answer_of(name, stored, request.parameters),
                                 .queue = &studies,
                                 .only_while_awaited = true};
               });
  }

  // What the model says of the text. Who asks again, because another head was switched off, no longer waits
  // for the first answer, and its run ends at the next layer.
  void add_whatif(const std::string& name) {
    routes.add("GET", "/api/captures/*/" + name, &RequestGuard::check_api,
               [this, name](const HttpRequest& request, const std::string& id) {
                 return HttpTask{.work = answer_of(name, captures.get(id), request.parameters),
                                 .queue = &changes,
                                 .only_while_awaited = true};
               });
  }

  std::function<HttpAnswer(const std::stop_token&)> answer_of(const std::string& name,
                                                              const CapturePtr& stored,
                                                              const Parameters& parameters) {
    return [this, name, stored, parameters](const std::stop_token& stop) {
      return answer_with(run_answer(captures, whatif, stored, name, parameters, stop),
                         is_json(name) ? kJson : kBinary);
    };
  }

  const Limits limits;
  const HttpAnswer page, examples;
  const int port;
  const bool any_address, loopback;
  const std::string host, url;
  const RequestGuard guard;
  const ModelFinder lesson_models;
  Routes routes;
  CaptureStore captures;
  WhatIfStore whatif;
  StudyStore study_store;
  SharedAnswer state;
  WorkQueue answers;  // what a hovering pointer waits for
  WorkQueue studies;  // of all heads or layers: they take seconds, and nothing else waits for them
  WorkQueue runs;
  WorkQueue changes;  // of runs: a click waits for them, a text that is typed does not
  HttpServer http;    // the last one: it uses all the others
};

void Server::Parts::add_routes() {
  routes.add("GET", "/", &RequestGuard::check_page,
             [this](const HttpRequest&, const std::string&) { return answered_at_once(page); });
  routes.add("GET", "/favicon.ico", &RequestGuard::check_nothing,
             [](const HttpRequest&, const std::string&) { return answered_at_once({.status = 204}); });
  routes.add("GET", "/api/examples", &RequestGuard::check_api,
             [this](const HttpRequest&, const std::string&) { return answered_at_once(examples); });
  routes.add("GET", "/api/state", &RequestGuard::check_api, [this](const HttpRequest&, const std::string&) {
    return HttpTask{
        .work =
            [this](const std::stop_token&) {
              const std::vector<CapturePtr> kept = captures.captures();
              std::vector<const StoredCapture*> all;
              for (const CapturePtr& each : kept) all.push_back(each.get());
              return state.of(state_json(captures.models(), all, limits, captures.film(), &study_store));
            },
        .queue = &answers};
  });
  routes.add(
      "GET", "/api/mask", &RequestGuard::check_api, [this](const HttpRequest& request, const std::string&) {
        return HttpTask{.work = [parameters = request.parameters](
                                    const std::stop_token&) { return answer_with(mask_json(parameters)); },
                        .queue = &answers};
      });
}

void Server::Parts::add_capture_routes() {
  routes.add("POST", "/api/captures", &RequestGuard::check_change,
             [this](const HttpRequest& request, const std::string&) {
               return HttpTask{
                   .work =
                       [this, wanted = parse_capture_request(request.body)](const std::stop_token&) {
                         return answer_with(summary_json(*captures.add(wanted)), kJson, 201);
                       },
                   .queue = &runs,
                   .status_of_error = 422};
             });
  routes.add("GET", "/api/captures/*", &RequestGuard::check_api,
             [this](const HttpRequest&, const std::string& id) {
               return HttpTask{
                   .work = [stored = captures.get(id)](
                               const std::stop_token&) { return answer_with(summary_json(*stored)); },
                   .queue = &answers};
             });
  routes.add("DELETE", "/api/captures/*", &RequestGuard::check_change,
             [this](const HttpRequest&, const std::string& id) {
               captures.remove(id);
               whatif.forget(id);
               return answered_at_once({.status = 204});
             });
  for (const char* name : {"weights", "rows", "steps"}) add_answer(name);
  for (const char* name : {"overview", "thumbnails", "similarity", "rollout"}) add_study(name);
  for (const char* name : {"predictions", "cosine"}) add_whatif(name);
}

// Something live follows a slider; a lesson computes all of its numbers, and a check may run a model.
void Server::Parts::add_learn_routes() {
  const auto add = [this](const char* path, WorkQueue& queue, auto body) {
    routes.add("GET", path, &RequestGuard::check_api,
               [body, &queue](const HttpRequest& request, const std::string&) {
                 return HttpTask{
                     .work = [body, parameters = request.parameters](
                                 const std::stop_token&) { return answer_with(body(parameters)); },
                     .queue = &queue};
               });
  };
  add("/api/learn", answers,
      [](const Parameters& parameters) { return learn_json(language_parameter(parameters)); });
  add("/api/learn/lesson", studies,
      [this](const Parameters& parameters) { return lesson_json(parameters, lesson_models); });
  add("/api/learn/live", answers,
      [this](const Parameters& parameters) { return live_json(parameters, lesson_models); });
  routes.add("POST", "/api/learn/check", &RequestGuard::check_change,
             [this](const HttpRequest& request, const std::string&) {
               return HttpTask{
                   .work =
                       [this, asked = parse_answer_request(request.body)](const std::stop_token&) {
                         return answer_with(diagnosis_json(asked, lesson_models));
                       },
                   .queue = &studies};
             });
}

Server::Server(const ServerOptions& options, Page page, std::vector<ServedModel> models, ModelLoader loader)
    : parts_(std::make_unique<Parts>(options, std::move(page), std::move(models), std::move(loader))) {}

Server::~Server() = default;

const std::string& Server::url() const { return parts_->url; }
int Server::port() const { return parts_->port; }
bool Server::is_open_to_others() const { return !parts_->loopback; }

std::vector<std::string> Server::urls_for_others() const {
  if (parts_->loopback) return {};
  if (!parts_->any_address) return {parts_->url};
  std::vector<std::string> urls;
  for (const OwnAddress& address : own_addresses()) {
    if (address.for_others) urls.push_back(url_of(address.text, parts_->port));
  }
  return urls;
}

void Server::show(const std::vector<Study>& studies) { parts_->study_store = StudyStore(studies); }
CaptureStore& Server::captures() { return parts_->captures; }
void Server::listen() { parts_->http.serve(); }
void Server::stop() { parts_->http.stop(); }

}  // namespace fovea::explorer
