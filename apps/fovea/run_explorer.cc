#include "run_explorer.h"

#include <fmt/core.h>

#include <cstdlib>
#include <exception>
#include <thread>

#include "end_signal.h"
#include "subprocess.h"

namespace fovea::command {
namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

void warn_of_others(const Context& context, const explorer::Server& server) {
  std::string urls;
  for (const std::string& url : server.urls_for_others()) urls += (urls.empty() ? "" : ", ") + url;
  print_message(context.say(
      tr("Warning: anyone on the network can use this explorer, read its texts and run its models")));
  if (!urls.empty()) print_message(context.say(tr("Others can reach it at {0}", urls)));
}

void tell_address(const Context& context, const std::string& url, const ExplorerSession& session) {
  if (session.json) {
    context.line(fmt::format("{{\"url\": \"{}\"}}", url));  // one line: who waits for it reads lines
    context.out.flush();
  }
  const bool display = is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
  const bool opened = session.browser && display && start_program({"xdg-open", url});
  if (session.json) return;
  print_message(
      context.say(opened ? tr("The explorer is at {0} and opens in your browser; Ctrl-C stops it", url)
                         : tr("The explorer is at {0}; Ctrl-C stops it", url)));
}

}  // namespace

void run_explorer(const Context& context, explorer::Server& server, const ExplorerSession& session) {
  const EndSignal end;
  std::exception_ptr failure;
  std::thread listening([&] {
    try {
      server.listen();
    } catch (...) {
      failure = std::current_exception();
    }
  });
  if (server.is_open_to_others()) warn_of_others(context, server);
  tell_address(context, server.url() + session.place, session);
  end.wait();
  server.stop();
  listening.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace fovea::command
