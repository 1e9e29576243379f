// The explorer's server: the page, and the library's numbers over HTTP.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture_store.h"
#include "fovea/study.h"
#include "page.h"

namespace fovea::explorer {

struct ServerOptions {
  std::string host = "127.0.0.1";
  std::optional<int> port;  // 0: any; default: 7373, or the next one that is free
  Limits limits = {};
};

// Answers any number of clients at once. Reads no files but those of the models it was given.
class Server {
 public:
  // Takes the port; throws Error if it cannot be had.
  Server(const ServerOptions& options, Page page, std::vector<ServedModel> models, ModelLoader loader);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const std::string& url() const;  // "http://127.0.0.1:7373/": works on this machine
  int port() const;
  // Whether others in the network can use it, and the addresses that they reach it by now.
  bool is_open_to_others() const;
  std::vector<std::string> urls_for_others() const;
  CaptureStore& captures();
  // What every head does over a corpus. Before anybody asks; throws Error for what cannot be shown.
  void show(const std::vector<Study>& studies);

  void listen();  // answers until stop() is called, from another thread
  void stop();    // stops studies, lets other requests that are being answered end

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace fovea::explorer
