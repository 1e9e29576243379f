// The explorer while it runs: told to the person, opened in the browser, ended by Ctrl-C.
#pragma once

#include <string>

#include "command.h"
#include "explorer/server.h"

namespace fovea::command {

struct ExplorerSession {
  std::string place = {};  // of the page, behind the address: "#view=learn"
  bool browser = true;     // open it; false: only print the address
  bool json = false;       // print {"url": ..} on standard output
};

// Serves until a signal ends it.
void run_explorer(const Context& context, explorer::Server& server, const ExplorerSession& session);

}  // namespace fovea::command
