#include "own_names.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

#include <array>
#include <memory>

#include "fovea/ascii.h"

namespace fovea::explorer {

std::string host_in_url(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

std::vector<std::string> own_names() {
  std::array<char, 256> name = {};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return {};
  const std::string whole = ascii_lower_case(std::string(name.data()));
  const std::string first = whole.substr(0, whole.find('.'));
  std::vector<std::string> names = {whole};
  if (first != whole) names.push_back(first);
  if (whole != first + ".local") names.push_back(first + ".local");  // multicast DNS: no server needed
  return names;
}

std::vector<OwnAddress> own_addresses() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, ::freeifaddrs);
  std::vector<OwnAddress> addresses;
  for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || (each->ifa_flags & IFF_UP) == 0) continue;
    OwnAddress address;
    address.for_others = (each->ifa_flags & IFF_LOOPBACK) == 0;
    std::array<char, INET6_ADDRSTRLEN> text = {};
    if (each->ifa_addr->sa_family == AF_INET) {
      const auto* four = reinterpret_cast<const sockaddr_in*>(each->ifa_addr);
      ::inet_ntop(AF_INET, &four->sin_addr, text.data(), text.size());
    } else if (each->ifa_addr->sa_family == AF_INET6) {
      const auto* six = reinterpret_cast<const sockaddr_in6*>(each->ifa_addr);
      ::inet_ntop(AF_INET6, &six->sin6_addr, text.data(), text.size());
      if (IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr)) address.for_others = false;
    } else {
      continue;
    }
    address.text = text.data();
    addresses.push_back(std::move(address));
  }
  return addresses;
}

}  // namespace fovea::explorer
