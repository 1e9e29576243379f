#include "http_response.h"

#include <fmt/core.h>
#include <microhttpd.h>
#include <sys/socket.h>

#include <memory>
#include <new>

namespace fovea::explorer {
namespace {

using SharedBody = std::shared_ptr<const std::string>;
using Response = std::unique_ptr<MHD_Response, void (*)(MHD_Response*)>;

MHD_Response* response_without_headers(const SharedBody& body) {
  if (body == nullptr) return MHD_create_response_from_buffer(0, nullptr, MHD_RESPMEM_PERSISTENT);
  auto kept = std::make_unique<SharedBody>(body);
  MHD_Response* response = MHD_create_response_from_buffer_with_free_callback_cls(
      body->size(), const_cast<char*>(body->data()),  // it only reads, whatever the type says
      [](void* done) { delete static_cast<SharedBody*>(done); }, kept.get());
  if (response != nullptr) static_cast<void>(kept.release());  // the library calls the function above
  return response;
}

}  // namespace

bool queue_answer(MHD_Connection* handle, const HttpAnswer& answer, const HttpHeaders& headers) {
  const Response response(response_without_headers(answer.body), MHD_destroy_response);
  if (response == nullptr) throw std::bad_alloc();
  for (const auto& [name, value] : headers) {
    MHD_add_response_header(response.get(), name.c_str(), value.c_str());
  }
  if (answer.body) MHD_add_response_header(response.get(), "Content-Type", answer.type);
  return MHD_queue_response(handle, static_cast<unsigned>(answer.status), response.get()) == MHD_YES;
}

void send_last_answer(int socket, const HttpAnswer& answer, const HttpHeaders& headers) {
  std::string bytes = fmt::format(
      "HTTP/1.1 {} {}\r\nConnection: close\r\nContent-Length: {}\r\nContent-Type: {}\r\n", answer.status,
      MHD_get_reason_phrase_for(static_cast<unsigned>(answer.status)), answer.body->size(), answer.type);
  for (const auto& [name, value] : headers) bytes += fmt::format("{}: {}\r\n", name, value);
  bytes += "\r\n" + *answer.body;
  // A few hundred bytes into an empty buffer; if they do not fit, there is nothing better to do.
  static_cast<void>(::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
}

}  // namespace fovea::explorer
