// What must not work: bad requests, other sites, paths out of the server, too much of anything.
#include "server_testing.h"

namespace fovea::explorer {
namespace {

class Safety : public ServerTest {
 protected:
  static Headers host(const std::string& name) { return {{"Host", name}}; }
  static std::string port() { return std::to_string(running().server().port()); }
};

TEST_F(Safety, bad_json_and_bad_fields) {
  expect_error(post("{\"model\": \"bert\", "), 400, "not JSON");
  expect_error(post(""), 400, "not JSON");
  expect_error(post("[1, 2]"), 400, "object");
  expect_error(post(R"({"model": "bert"})"), 400, "\"text\"");
  expect_error(post(R"({"model": 7, "text": "a"})"), 400, "\"model\"");
  expect_error(post(R"({"model": "bert", "text": "a", "text2": 3})"), 400, "\"text2\"");
  expect_error(post("{\"model\": \"bert\", \"text\": \"\xff\"}"), 400, "UTF-8");
  expect_error(post(std::string(100'000, '[')), 400);
}

TEST_F(Safety, unknown_and_unusable_models) {
  expect_error(post(R"({"model": "gpt5", "text": "a"})"), 404, "there are bert, gpt2");
  expect_error(post(R"({"model": "absent", "text": "a"})"), 404, "fovea model get absent");
  expect_error(post(R"({"model": "broken", "text": "a"})"), 422, "nowhere");
  expect_error(post(R"({"model": "../../etc", "text": "a"})"), 404);
  expect_error(post(R"({"model": "gpt2", "text": ""})"), 422, "no tokens");
}

TEST_F(Safety, huge_bodies_and_texts) {
  const Limits limits;
  expect_error(post(Json{{"model", "bert"}, {"text", std::string(limits.text_bytes + 1, 'a')}}.dump()), 413,
               "the limit is");
  expect_error(post(std::string(limits.body_bytes + 1, ' ')), 413, "the limit is");
  EXPECT_EQ(get("/api/state")->status, 200);
  expect_error(get("/api/mask?expression=" + std::string(20'000, 'a') + "&n=1&m=1"), 414);
}

TEST_F(Safety, unknown_ids_and_parameters) {
  const Json summary = read_text("bert", "the cat sat");
  expect_error(get("/api/captures/c999"), 404, "no such capture");
  expect_error(get("/api/captures/c999/overview?kind=encoder"), 404, "no such capture");
  expect_error(running().client().remove("/api/captures/c999"), 404);
  expect_error(get("/api/nothing"), 404, "no such address");
  expect_error(get(path_of(summary, "overview")), 400, "kind");
  expect_error(get(path_of(summary, "overview?kind=cross")), 404, "encoder");
  expect_error(get(path_of(summary, "weights?kind=encoder&layer=2&head=0")), 404, "there are 2");
  expect_error(get(path_of(summary, "weights?kind=encoder&layer=0&head=4")), 404, "there are 4");
  expect_error(get(path_of(summary, "weights?kind=encoder&layer=0&head=-1")), 404);
  expect_error(get(path_of(summary, "weights?kind=encoder&layer=0&head=1e3")), 400, "head");
  expect_error(get(path_of(summary, "weights?kind=encoder&layer=99999999999999999999&head=0")), 400);
  expect_error(get(path_of(summary, "weights?kind=encoder&layer=0")), 400, "head");
  for (const char* rows : {"3", "3:2", "2:2", "-1:2", "0:99", "a:b", ":", "0:1:2"}) {
    expect_error(get(path_of(summary, std::string("weights?kind=encoder&layer=0&head=0&rows=") + rows)),
                 400, "rows");
  }
  expect_error(get(path_of(summary, "weights?kind=encoder&layer=0&head=0&cells=0")), 400, "cells");
  expect_error(get(path_of(summary, "weights?kind=encoder&layer=0&head=0&mask=cau")), 400, "unknown mask");
  expect_error(get(path_of(summary, "weights?kind=encoder&layer=0&head=0&mask=padding([1,1])")), 400);
  expect_error(get(path_of(summary, "steps?kind=encoder&layer=0&head=mean")), 400, "a single head");
  expect_error(get(path_of(summary, "rollout?kind=encoder&query=99")), 400, "query");
  const Json t5 = read_text("t5", "the fox", "a dog");
  expect_error(get(path_of(t5, "rollout?kind=cross")), 422, "cross-attention");
}

TEST_F(Safety, no_path_leads_to_files) {
  for (const char* path :
       {"/../../etc/passwd", "/..%2f..%2fetc%2fpasswd", "//etc/passwd", "/api/../../etc/passwd",
        "/api/captures/..%2f..%2fetc%2fpasswd", "/api/captures/../../../etc/passwd", "/.git/config",
        "/page.html", "/%00", "/api/captures/c1%00/overview"}) {
    expect_error(get(path), 404);
  }
}

TEST_F(Safety, only_its_own_names_are_answered) {
  for (const char* name : {"localhost:", "127.0.0.1:", "[::1]:", "LOCALHOST:"}) {
    EXPECT_EQ(get("/api/state", host(name + port()))->status, 200) << name;
  }
  for (const std::string& name :
       {"evil.example:" + port(), std::string("localhost"), std::string("localhost:1"),
        std::string("127.0.0.1.evil.example:") + port(), std::string(""), "evil@localhost:" + port()}) {
    expect_error(get("/api/state", host(name)), 421);
    expect_error(get("/", host(name)), 421);
    expect_error(post(R"({"model": "bert", "text": "a"})", host(name)), 421);
  }
  expect_error(get("/api/state", {{"Host", running().host()}, {"Host", "evil.example"}}), 421);
}

TEST_F(Safety, other_sites_change_and_read_nothing) {
  const std::string body = R"({"model": "bert", "text": "the cat"})";
  EXPECT_EQ(post(body, {{"Origin", "http://" + running().host()}})->status, 201);
  for (const std::string& origin :
       {std::string("http://evil.example"), std::string("null"), "https://" + running().host(),
        std::string("http://127.0.0.1:1"),
        "http://localhost:" + port()}) {  // another origin than the Host it asked
    expect_error(post(body, {{"Origin", origin}}), 403, "other sites");
  }
  for (const char* site : {"cross-site", "same-site"}) {
    expect_error(get("/api/state", {{"Sec-Fetch-Site", site}}), 403);
    expect_error(post(body, {{"Sec-Fetch-Site", site}}), 403);
    expect_error(get("/", {{"Sec-Fetch-Site", site}, {"Sec-Fetch-Mode", "no-cors"}}), 403);
  }
  EXPECT_EQ(get("/", {{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "navigate"}})->status, 200);
  EXPECT_EQ(get("/api/state", {{"Sec-Fetch-Site", "same-origin"}})->status, 200);
  for (const char* type : {"text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""}) {
    expect_error(running().client().post("/api/captures", body, type), 415, "application/json");
  }
  EXPECT_FALSE(get("/api/state")->has_header("Access-Control-Allow-Origin"));
}

// A body that was not read must not become the next request of the connection.
TEST_F(Safety, a_refused_body_is_no_second_request) {
  Client client = running().client();
  const std::size_t before = running().server().captures().captures().size();
  const std::string inner = R"({"model": "bert", "text": "the cat"})";
  const std::string smuggled =
      "POST /api/captures HTTP/1.1\r\nHost: " + running().host() +
      "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(inner.size()) + "\r\n\r\n" +
      inner;
  expect_error(client.post("/api/captures", smuggled, "text/plain", {{"Origin", "http://evil.example"}}),
               403);
  expect_error(client.post("/nowhere", smuggled, "text/plain", {{"Origin", "http://evil.example"}}), 404);
  EXPECT_EQ(client.get("/api/state")->status, 200);
  EXPECT_EQ(running().server().captures().captures().size(), before);
}

TEST_F(Safety, every_answer_carries_the_headers) {
  for (const char* path : {"/", "/api/state", "/nowhere", "/favicon.ico"}) {
    const auto answer = get(path);
    EXPECT_EQ(answer->header("X-Content-Type-Options"), "nosniff") << path;
    EXPECT_EQ(answer->header("Referrer-Policy"), "no-referrer") << path;
    EXPECT_EQ(answer->header("Cross-Origin-Resource-Policy"), "same-origin") << path;
    EXPECT_EQ(answer->header("Cache-Control"), "no-store") << path;
    EXPECT_NE(answer->header("Content-Security-Policy").find("frame-ancestors 'none'"), std::string::npos)
        << path;
  }
}

TEST_F(Safety, answers_are_not_compressed) {
  const auto answer = get("/api/state", {{"Accept-Encoding", "br, gzip, deflate"}});
  EXPECT_EQ(answer->header("Content-Encoding"), "");
}

TEST(Ports, one_that_is_taken_is_told_and_the_next_is_found) {
  const Server first({"127.0.0.1", std::nullopt, {}}, test_page(), {}, TextModel::load);
  const Server second({"127.0.0.1", std::nullopt, {}}, test_page(), {}, TextModel::load);
  EXPECT_GE(first.port(), 7373);
  EXPECT_GT(second.port(), first.port());
  EXPECT_THROW(Server({"127.0.0.1", first.port(), {}}, test_page(), {}, TextModel::load), fovea::Error);
}

}  // namespace
}  // namespace fovea::explorer
