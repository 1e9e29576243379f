#include "machine/machine.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "fovea/instruction_set.h"
#include "fovea/threads.h"

namespace fovea::bench {
namespace {

// "model name : AMD EPYC" of /proc/cpuinfo; the name of the architecture if there is none (Arm).
std::string processor_name(const utsname& system) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t at = line.find(": ");
    if (at != std::string::npos) return line.substr(at + 2);
  }
  return system.machine;
}

double meminfo_bytes(const std::string& name) {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    double kilobytes = 0;
    if (word == name && file >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

}  // namespace

Index cache_bytes(int level) {
#ifdef _SC_LEVEL1_DCACHE_SIZE
  const int names[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
  const long bytes = sysconf(names[level - 1]);
  return bytes > 0 ? bytes : 0;
#else
  return 0 * level;
#endif
}

double available_memory() {
  const double bytes = meminfo_bytes("MemAvailable:");
  return bytes > 0 ? bytes : 1e18;
}

Machine describe_machine() {
  Machine machine;
  utsname system = {};
  uname(&system);
  machine.processor = processor_name(system);
  machine.system = std::string(system.sysname) + " " + system.release + " " + system.machine;
  machine.instruction_set = instruction_set();
  machine.processors = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  machine.threads = thread_count();
  machine.l1 = cache_bytes(1), machine.l2 = cache_bytes(2), machine.l3 = cache_bytes(3);
  double load = 0;
  if (getloadavg(&load, 1) == 1) machine.load = load;
  machine.memory = meminfo_bytes("MemTotal:");
  return machine;
}

}  // namespace fovea::bench
