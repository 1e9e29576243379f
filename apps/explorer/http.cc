#include "http.h"

#include <fmt/core.h>

#include <charconv>
#include <new>
#include <system_error>
#include <utility>

#include "fovea/ascii.h"
#include "fovea/error.h"
#include "fovea/json_writer.h"
#include "request_error.h"

namespace fovea::explorer {

std::string HttpRequest::header(const std::string& lower_case_name) const {
  return headers.count(lower_case_name) == 1 ? headers.find(lower_case_name)->second : "";
}

bool HttpRequest::may_have_body() const {
  if (headers.count("transfer-encoding") > 0) return true;
  return headers.count("content-length") > 0 && header("content-length") != "0";
}

HttpAnswer answer_with(std::string body, const char* type, int status) {
  return {status, type, std::make_shared<const std::string>(std::move(body))};
}

HttpAnswer error_answer(int status, const std::string& message) {
  JsonWriter json(JsonStyle::compact);
  json.begin_object();
  json.key("error").begin_object();
  json.key("message").string(message);
  json.key("status").integer(status);
  json.end_object();
  json.end_object();
  return answer_with(json.take(), kJson, status);
}

HttpAnswer answer_of(const std::function<HttpAnswer()>& work, int status_of_error) {
  try {
    return work();
  } catch (const RequestError& error) {
    return error_answer(error.status(), error.what());
  } catch (const Stopped&) {
    return error_answer(503, "stopped: the client disconnected, or the server is shutting down");
  } catch (const Error& error) {
    return error_answer(status_of_error, error.what());
  } catch (const std::bad_alloc&) {
    return error_answer(503, "out of memory");
  } catch (const std::exception& error) {
    return error_answer(500, error.what());
  }
}

void check_framing(const HttpRequest& request, const Limits& limits) {
  const std::size_t lengths = request.headers.count("content-length"),
                    codings = request.headers.count("transfer-encoding");
  if (lengths + codings > 1) throw RequestError(400, "the length of the body is given more than once");
  if (request.headers.count("content-encoding") > 0 &&
      ascii_lower_case(request.header("content-encoding")) != "identity") {
    throw RequestError(415, "Content-Encoding is not supported: send the body unencoded");
  }
  if (codings == 1 && ascii_lower_case(request.header("transfer-encoding")) != "chunked") {
    throw RequestError(400, "Transfer-Encoding: expected chunked, or Content-Length instead");
  }
  if (lengths == 1) {
    const std::string text = request.header("content-length");
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    if (end != text.data() + text.size() || error == std::errc::invalid_argument) {
      throw RequestError(400, "Content-Length: expected a number");
    }
    if (error == std::errc::result_out_of_range || length > limits.body_bytes) {
      throw RequestError(
          413, fmt::format("the request body is too large: the limit is {} bytes", limits.body_bytes));
    }
  }
  if (request.method == "POST" && lengths + codings == 0) {
    throw RequestError(400, "the body needs a length: send Content-Length or Transfer-Encoding: chunked");
  }
}

}  // namespace fovea::explorer
