// By which names and addresses this machine is reached.
#pragma once

#include <string>
#include <vector>

namespace fovea::explorer {

// Its name in the network, in lower case: "desk.example.org", "desk", "desk.local".
std::vector<std::string> own_names();

struct OwnAddress {
  std::string text;        // "192.168.1.5", "fe80::1"
  bool for_others = true;  // neither loopback nor only valid together with an interface (fe80::)
};
// Of all its interfaces, as they are now.
std::vector<OwnAddress> own_addresses();

// "::1" is written "[::1]" in an address.
std::string host_in_url(const std::string& host);

}  // namespace fovea::explorer
