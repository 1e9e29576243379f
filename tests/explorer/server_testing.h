// A server with tiny models, on a port of its own, and a client of it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "explorer/server.h"
#include "fovea/safetensors.h"
#include "http_client.h"

namespace fovea::explorer {

using Json = nlohmann::json;

inline std::string tiny_model(const std::string& name) {
  return std::string(FOVEA_TEST_DATA) + "/models/" + name;
}

inline Page test_page() {
  return {std::string("<!doctype html><title>fovea</title>") + kDataMarker + "<p>test</p>",
          "default-src 'none'"};
}

class RunningServer {
 public:
  explicit RunningServer(const Limits& limits = {}, const std::string& host = "127.0.0.1")
      : server_({host, 0, limits}, test_page(),
                {{"bert", tiny_model("bert")},
                 {"gpt2", tiny_model("gpt2")},
                 {"t5", tiny_model("t5")},
                 {"absent", ""},
                 {"broken", tiny_model("nowhere")}},
                TextModel::load),
        thread_([this] { server_.listen(); }) {}
  ~RunningServer() {
    server_.stop();
    thread_.join();
  }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  Server& server() { return server_; }
  std::string host() const { return "127.0.0.1:" + std::to_string(server_.port()); }
  int port() const { return server_.port(); }
  Client client() const { return Client(server_.port()); }

 private:
  Server server_;
  std::thread thread_;
};

// One server for all tests of a suite, and short ways to ask it.
class ServerTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { running_ = new RunningServer(); }  // NOLINT: a suite has no other place
  static void TearDownTestSuite() {
    delete running_;
    running_ = nullptr;
  }

  static RunningServer& running() { return *running_; }
  static MaybeReply get(const std::string& path, const Headers& headers = {}) {
    return running_->client().get(path, headers);
  }
  static MaybeReply post(const std::string& body, const Headers& headers = {}) {
    return running_->client().post("/api/captures", body, "application/json", headers);
  }

  // The summary of a new capture.
  static Json read_text(const std::string& model, const std::string& text, const Json& second = nullptr) {
    const auto result = post(Json{{"model", model}, {"text", text}, {"text2", second}}.dump());
    EXPECT_EQ(result->status, 201) << result->body;
    return Json::parse(result->body);
  }
  static std::string path_of(const Json& summary, const std::string& rest) {
    return "/api/captures/" + summary.at("id").get<std::string>() + "/" + rest;
  }
  static NamedArrays arrays(const std::string& path) {
    const auto result = get(path);
    EXPECT_EQ(result->status, 200) << path << ": " << result->body;
    EXPECT_EQ(result->header("Content-Type"), "application/octet-stream");
    return parse_safetensors(result->body, path);
  }
  static void expect_error(const MaybeReply& result, int status, const std::string& part = "") {
    ASSERT_TRUE(result);
    EXPECT_EQ(result->status, status) << result->body;
    const Json body = Json::parse(result->body, nullptr, false);
    ASSERT_TRUE(body.is_object()) << result->body;
    EXPECT_EQ(body.at("error").at("status"), status);
    const std::string message = body.at("error").at("message");
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  // The library's own run of the same text.
  static TextRun library_run(const std::string& model, const std::vector<std::string>& texts) {
    return TextModel::load(tiny_model(model)).read(texts);
  }

 private:
  static inline RunningServer* running_ = nullptr;
};

inline void expect_same(const Tensor& got, const Tensor& want, const std::string& what,
                        double tolerance = 0) {
  ASSERT_EQ(got.shape(), want.shape()) << what;
  for (Index i = 0; i < want.shape().elements(); ++i) {
    ASSERT_NEAR(static_cast<double>(got.data()[i]), static_cast<double>(want.data()[i]), tolerance)
        << what << " at " << i;
  }
}

}  // namespace fovea::explorer
