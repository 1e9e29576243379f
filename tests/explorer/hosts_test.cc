// Which names a server goes by when it listens on one address, and on all of them.
#include <set>

#include "explorer/own_names.h"
#include "server_testing.h"

namespace fovea::explorer {
namespace {

int status_for(const RunningServer& running, const std::string& host) {
  return running.client()
      .get("/api/state", {{"Host", host + ":" + std::to_string(running.port())}})
      ->status;
}

void expect_own_names_only(const RunningServer& running) {
  for (const char* name : {"localhost", "127.0.0.1", "[::1]"})
    EXPECT_EQ(status_for(running, name), 200) << name;
  const std::vector<OwnAddress> addresses = own_addresses();
  EXPECT_FALSE(addresses.empty());
  for (const OwnAddress& address : addresses) {
    EXPECT_EQ(status_for(running, host_in_url(address.text)), 200) << address.text;
  }
  for (const std::string& name : own_names()) EXPECT_EQ(status_for(running, name), 200) << name;
  for (const char* name : {"evil.example", "203.0.113.7", "[2001:db8::7]", "127.0.0.1.evil.example", ""}) {
    EXPECT_EQ(status_for(running, name), 421) << name;
  }
  for (const std::string& name : own_names()) {
    EXPECT_EQ(status_for(running, name + ".evil.example"), 421) << name;
    EXPECT_EQ(status_for(running, "x" + name), 421) << name;
  }
}

TEST(Hosts, all_addresses_of_the_machine) {
  RunningServer running({}, "0.0.0.0");
  EXPECT_EQ(running.server().url(), "http://127.0.0.1:" + std::to_string(running.port()) + "/");
  expect_own_names_only(running);
  EXPECT_TRUE(running.server().is_open_to_others());
  for (const std::string& url : running.server().urls_for_others()) {
    EXPECT_EQ(url.find("127.0.0.1"), std::string::npos) << url;
    EXPECT_EQ(url.find("0.0.0.0"), std::string::npos) << url;
  }
}

TEST(Hosts, all_addresses_of_both_families) {
  std::unique_ptr<RunningServer> running;
  try {
    running = std::make_unique<RunningServer>(Limits(), "::");
  } catch (const Error&) {
    GTEST_SKIP() << "this machine has no IPv6";
  }
  EXPECT_EQ(running->server().url(), "http://127.0.0.1:" + std::to_string(running->port()) + "/");
  expect_own_names_only(*running);
  EXPECT_TRUE(running->server().is_open_to_others());
  Connection six(running->port(), true);
  if (!six.is_open()) return;  // it has the family, but no address of it
  six.send("GET /api/state HTTP/1.1\r\nHost: [::1]:" + std::to_string(running->port()) + "\r\n\r\n");
  EXPECT_EQ(six.receive()->status, 200);
}

TEST(Hosts, loopback_alone_is_for_nobody_else) {
  for (const char* host : {"127.0.0.1", "localhost", "127.0.0.3"}) {
    RunningServer running({}, host);
    EXPECT_FALSE(running.server().is_open_to_others()) << host;
    EXPECT_TRUE(running.server().urls_for_others().empty()) << host;
    if (host == std::string("127.0.0.3")) continue;  // the client is not
    for (const OwnAddress& address : own_addresses()) {
      if (!address.for_others) continue;
      EXPECT_EQ(status_for(running, host_in_url(address.text)), 421) << address.text;
    }
  }
}

TEST(Hosts, one_address_of_the_machine_is_named_by_it) {
  for (const OwnAddress& address : own_addresses()) {
    if (!address.for_others) continue;
    const Server server({address.text, 0, {}}, test_page(), {}, TextModel::load);
    EXPECT_TRUE(server.is_open_to_others());
    EXPECT_EQ(server.urls_for_others(), std::vector<std::string>{server.url()});
    EXPECT_NE(server.url().find(host_in_url(address.text)), std::string::npos) << server.url();
  }
}

}  // namespace
}  // namespace fovea::explorer
