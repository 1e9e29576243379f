// The way of a request to its answer, with tasks that take as long as the test wants.
#include "explorer/http_server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "fovea/error.h"
#include "http_client.h"

namespace fovea::explorer {
namespace {

constexpr std::size_t kLargeBytes = 20'000'000;  // more than the kernel keeps of an answer

// GET /study ends when it is stopped, GET /answer when the test says so; GET /now waits for no queue.
class TaskServer {
 public:
  explicit TaskServer(const Limits& limits = {})
      : listening_("127.0.0.1", 0),
        port_(listening_.port()),
        http_(std::move(listening_), limits, {},
              {[](const HttpRequest&) {}, [this](const HttpRequest& request) { return task(request); }}),
        thread_([this] { http_.serve(); }) {}
  ~TaskServer() { end(); }
  TaskServer(const TaskServer&) = delete;
  TaskServer& operator=(const TaskServer&) = delete;

  void end() {
    http_.stop();
    if (thread_.joinable()) thread_.join();
  }
  std::string request(const std::string& path) const {
    return "GET " + path + " HTTP/1.1\r\nHost: localhost:" + std::to_string(port_) + "\r\n\r\n";
  }
  int port() const { return port_; }

  std::promise<void> study_started, started, go;
  std::atomic<int> studies = 0;
  std::promise<bool> stopped;

 private:
  HttpTask task(const HttpRequest& request) {
    if (request.path == "/study") return {.work = study(), .queue = &queue_, .only_while_awaited = true};
    if (request.path == "/answer") return {.work = answer(), .queue = &queue_};
    if (request.path == "/large") return {.work = large(), .queue = &queue_};
    const auto quick = [](const std::stop_token&) { return answer_with("\"quick\""); };
    return {.work = quick, .queue = request.path == "/now" ? nullptr : &queue_};
  }
  std::function<HttpAnswer(const std::stop_token&)> study() {
    return [this](const std::stop_token& stop) -> HttpAnswer {
      std::promise<void> asked;
      const std::stop_callback callback(stop, [&] { asked.set_value(); });
      ++studies;
      study_started.set_value();
      asked.get_future().wait();
      stopped.set_value(true);
      throw Stopped("[study] stopped");
    };
  }
  static std::function<HttpAnswer(const std::stop_token&)> large() {
    return [](const std::stop_token&) { return answer_with(std::string(kLargeBytes, 'a')); };
  }
  std::function<HttpAnswer(const std::stop_token&)> answer() {
    return [this](const std::stop_token&) {
      started.set_value();
      go.get_future().wait();
      return answer_with("\"done\"");
    };
  }

  ListeningSocket listening_;
  int port_;
  WorkQueue queue_{1};
  HttpServer http_;
  std::thread thread_;
};

TEST(HttpServer, a_study_is_stopped_when_its_client_is_gone) {
  TaskServer server;
  {
    Connection connection(server.port());
    connection.send(server.request("/study"));
    server.study_started.get_future().wait();
  }
  EXPECT_TRUE(server.stopped.get_future().get());
  EXPECT_EQ(Client(server.port()).get("/quick")->body, "\"quick\"");
}

TEST(HttpServer, a_study_that_still_waits_is_not_begun_for_a_client_that_is_gone) {
  TaskServer server;
  Connection first(server.port());
  first.send(server.request("/answer"));
  server.started.get_future().wait();
  { Connection(server.port()).send(server.request("/study")); }
  for (int turns = 0; turns < 4; ++turns) EXPECT_EQ(Client(server.port()).get("/now")->status, 200);
  Connection last(server.port());
  last.send(server.request("/quick"));
  server.go.set_value();
  EXPECT_EQ(first.receive()->body, "\"done\"");
  EXPECT_EQ(last.receive()->body, "\"quick\"");  // by the queue's only thread, after the study's turn
  EXPECT_EQ(server.studies, 0);
}

TEST(HttpServer, an_answer_is_sent_to_a_client_that_has_closed_its_side) {
  TaskServer server;
  Connection older(server.port());  // the library looks at the oldest first, and then at few others
  EXPECT_TRUE(older.send(server.request("/now")) && older.receive());
  Connection connection(server.port());
  connection.send(server.request("/answer"));
  connection.end_sending();
  server.started.get_future().wait();
  server.go.set_value();
  EXPECT_EQ(connection.receive()->body, "\"done\"");
  EXPECT_TRUE(connection.is_ended());
}

TEST(HttpServer, the_end_stops_studies) {
  TaskServer server;
  Connection connection(server.port());
  connection.send(server.request("/study"));
  server.study_started.get_future().wait();
  server.end();
  EXPECT_TRUE(server.stopped.get_future().get());
  EXPECT_EQ(connection.receive()->status, 503);
}

TEST(HttpServer, the_end_waits_for_an_answer_and_sends_it) {
  TaskServer server;
  Connection connection(server.port());
  connection.send(server.request("/answer"));
  server.started.get_future().wait();
  Connection later(server.port());
  later.send(server.request("/quick"));  // behind the other one, and not begun any more
  std::thread ending([&] { server.end(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // so that the end has to wait
  server.go.set_value();
  EXPECT_EQ(connection.receive()->body, "\"done\"");
  ending.join();
}

TEST(HttpServer, answers_that_nobody_fetches_have_a_limit_together) {
  Limits limits;
  limits.all_answer_bytes = 3;
  TaskServer server(limits);
  const MaybeReply reply = Client(server.port()).get("/quick");
  EXPECT_EQ(reply->status, 503);
  EXPECT_NE(reply->body.find("pending"), std::string::npos) << reply->body;
}

TEST(HttpServer, an_answer_that_is_not_fetched_is_dropped) {
  Limits limits;
  limits.all_answer_bytes = kLargeBytes * 3 / 2;  // room for one
  limits.answer_time = std::chrono::seconds(1);
  TaskServer server(limits);
  Connection slow(server.port());
  slow.send(server.request("/large"));
  pollfd answered = {slow.socket(), POLLIN, 0};
  ASSERT_EQ(::poll(&answered, 1, 60'000), 1);
  EXPECT_EQ(Client(server.port()).get("/large")->status, 503);
  // On a machine that is very busy, others may be too slow as well.
  MaybeReply reply;
  for (int tries = 0; tries < 20'000 && (!reply || reply->status == 503); ++tries) {
    reply = Client(server.port()).get("/large");
  }
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);
  EXPECT_FALSE(slow.receive());
}

TEST(HttpServer, head_is_get_without_the_body) {
  TaskServer server;
  const MaybeReply reply = Client(server.port()).head("/quick");
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->header("Content-Length"), "7");
}

}  // namespace
}  // namespace fovea::explorer
