// Connections: many at once, slow ones, several requests in one, and the end of the server.
#include <fcntl.h>

#include <chrono>
#include <memory>
#include <vector>

#include "server_testing.h"

namespace fovea::explorer {
namespace {

using Connections = std::vector<std::unique_ptr<Connection>>;

std::string request_for(const std::string& path, int port, const std::string& more = "") {
  return "GET " + path + " HTTP/1.1\r\nHost: localhost:" + std::to_string(port) + "\r\n" + more + "\r\n";
}

TEST(Pipelining, every_request_is_answered_in_order) {
  const RunningServer running;
  const int port = running.port();
  for (const bool ends_sending : {false, true}) {
    Connection connection(port);
    std::string all;
    for (int n = 1; n <= 50; ++n) {
      const std::string size = std::to_string(n);
      all += request_for("/api/mask?expression=causal&n=" + size + "&m=" + size, port);
      all += request_for("/nowhere", port);
      all += request_for("/favicon.ico", port);
    }
    connection.send(all);
    if (ends_sending) connection.end_sending();
    for (std::size_t n = 1; n <= 50; ++n) {
      const MaybeReply mask = connection.receive();
      ASSERT_TRUE(mask) << n;
      EXPECT_EQ(Json::parse(mask->body).at("rows").size(), n);
      EXPECT_EQ(connection.receive()->status, 404);
      EXPECT_EQ(connection.receive()->status, 204);
    }
    EXPECT_TRUE(!ends_sending || connection.is_ended());
  }
}

TEST(Pipelining, also_after_a_body) {
  const RunningServer running;
  Connection connection(running.port());
  const std::string body = R"({"model": "bert", "text": "the cat"})";
  const std::string post =
      "POST /api/captures HTTP/1.1\r\nHost: " + running.host() +
      "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
      body;
  connection.send(post + request_for("/favicon.ico", running.port()) + post +
                  request_for("/nowhere", running.port(), "Connection: close\r\n"));
  for (const int status : {201, 204, 201, 404}) {
    const MaybeReply reply = connection.receive();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, status);
  }
  EXPECT_TRUE(connection.is_ended());
}

TEST(Connecting, a_burst_does_not_wait_for_the_server) {
  const Server server({"127.0.0.1", 0, {}}, test_page(), {}, TextModel::load);  // which does not listen yet
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<in_port_t>(server.port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::vector<int> sockets;
  for (int i = 0; i < 200; ++i) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    sockets.push_back(socket);
    static_cast<void>(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)));
    // The kernel answers for a server that is busy, as long as its queue has room.
    pollfd connected = {socket, POLLOUT, 0};
    ASSERT_EQ(::poll(&connected, 1, 500), 1) << "connection " << i << " waits";
  }
  for (const int socket : sockets) ::close(socket);
}

TEST(Connecting, clients_that_leave_make_room) {
  Limits limits;
  limits.connections = 100;
  const RunningServer running(limits);
  for (const std::string& begin : {std::string(), "GET / HTTP/1.1\r\nX: " + std::string(32'000, 'a'),
                                   request_for("/favicon.ico", running.port())}) {
    for (int i = 0; i < 100; ++i) Connection(running.port()).send(begin);
    MaybeReply reply;
    for (int tries = 0; tries < 5'000 && (!reply || reply->status != 200); ++tries) {
      reply = running.client().get("/api/state");
    }
    EXPECT_EQ(reply->status, 200);
  }
}

TEST(Connecting, a_client_that_closes_its_side_is_answered) {
  const RunningServer running;
  Connection ended(running.port());
  ended.send(request_for("/favicon.ico", running.port()));
  ended.end_sending();
  EXPECT_EQ(ended.receive()->status, 204);
  EXPECT_TRUE(ended.is_ended());
}

TEST(Connecting, many_at_once_are_answered_or_refused) {
  Limits limits;
  limits.connections = 50;
  const RunningServer running(limits);
  Connections connections;
  for (int i = 0; i < 150; ++i) connections.push_back(std::make_unique<Connection>(running.port()));
  for (const auto& connection : connections) connection->send(request_for("/api/state", running.port()));
  int answered = 0, refused = 0;
  for (const auto& connection : connections) {
    const MaybeReply reply = connection->receive();
    if (reply && reply->status == 200) ++answered;
    if (reply && reply->status == 503) ++refused;
  }
  EXPECT_EQ(answered, 50);
  EXPECT_EQ(refused, 100);
  connections.clear();
  MaybeReply later;
  for (int tries = 0; tries < 600 && (!later || later->status != 200); ++tries) {
    later = running.client().get("/api/state");
  }
  EXPECT_EQ(later->status, 200);
}

TEST(Slow, requests_that_do_not_come_to_an_end_are_ended) {
  Limits limits;
  limits.request_time = std::chrono::milliseconds(300);
  const RunningServer running(limits);
  const std::string host = "Host: " + running.host() + "\r\n";
  const std::string post = "POST /api/captures HTTP/1.1\r\n" + host + "Content-Type: application/json\r\n";
  // Each goes on by a byte now and then, or not at all.
  const std::vector<std::pair<std::string, std::string>> begins_and_pieces = {
      {"", ""},
      {"", "\r\n"},
      {"GET /", "a"},
      {"GET / HTTP/1.1\r\n" + host + "X-Slow: ", "a"},
      {"GET / HTTP/1.1\r\n" + host, "A: b\r\n"},
      {post + "Content-Length: 1000\r\n\r\n", " "},
      {post + "Transfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n"},
      {post + "Transfer-Encoding: chunked\r\n\r\n5;", std::string(40'000, 'a')},
      {request_for("/favicon.ico", running.port()), ""}};
  Connections connections;
  for (const auto& [begin, piece] : begins_and_pieces) {
    connections.push_back(std::make_unique<Connection>(running.port()));
    connections.back()->send(begin);
  }
  connections.back()->receive();  // answered, and then silent
  for (std::size_t i = 0; i < connections.size(); ++i) {
    const auto& [begin, piece] = begins_and_pieces[i];
    pollfd ended = {connections[i]->socket(), POLLIN, 0};
    int tries = 0;
    while (::poll(&ended, 1, 20) == 0 && ++tries < 3'000) {
      for (std::size_t each = i; each < connections.size(); ++each) {
        connections[each]->send(begins_and_pieces[each].second);
      }
    }
    EXPECT_LT(tries, 3'000) << begin;
    EXPECT_FALSE(connections[i]->receive()) << begin;
  }
  EXPECT_EQ(running.client().get("/api/state")->status, 200);
}

TEST(Ending, open_connections_do_not_hold_it_up) {
  auto running = std::make_unique<RunningServer>();
  const int port = running->port();
  Connections connections;
  for (const std::string& begin :
       {std::string(), std::string("GET /"), request_for("/", port),
        request_for("/api/state", port) + "GET",
        "POST /api/captures HTTP/1.1\r\nHost: " + running->host() +
            "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"}) {
    connections.push_back(std::make_unique<Connection>(port));
    connections.back()->send(begin);
  }
  EXPECT_EQ(running->client().get("/api/state")->status, 200);
  running.reset();
  for (const auto& connection : connections) {
    while (connection->receive()) {
    }
    EXPECT_TRUE(connection->is_ended());
  }
  EXPECT_FALSE(Connection(port).is_open());
}

TEST(Ending, a_stop_before_the_first_request_is_not_forgotten) {
  Server server({"127.0.0.1", 0, {}}, test_page(), {}, TextModel::load);
  server.stop();
  server.listen();
}

}  // namespace
}  // namespace fovea::explorer
