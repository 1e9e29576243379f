// A request as it came over HTTP, and the answer to it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "limits.h"
#include "parameters.h"

namespace fovea::explorer {

inline constexpr const char* kJson = "application/json; charset=utf-8";
inline constexpr const char* kBinary = "application/octet-stream";

struct HttpRequest {
  std::string method;  // "GET"
  std::string path;    // decoded
  Parameters parameters;
  std::multimap<std::string, std::string> headers;  // names in lower case
  std::string body;

  // "" if it is not there, and if it is there twice: which of the two would be believed?
  std::string header(const std::string& lower_case_name) const;
  bool may_have_body() const;  // says that one follows
};

struct HttpAnswer {
  int status = 200;
  const char* type = kJson;
  std::shared_ptr<const std::string> body = {};  // none: no content
};
HttpAnswer answer_with(std::string body, const char* type = kJson, int status = 200);
HttpAnswer error_answer(int status, const std::string& message);

// Runs the work; what it throws becomes an answer. An Error of the library gets the status given.
HttpAnswer answer_of(const std::function<HttpAnswer()>& work, int status_of_error = 400);

// Throws RequestError for a body that is too long, compressed, or of unclear length: 400, 413, 415. Only
// looks at the headers.
void check_framing(const HttpRequest& request, const Limits& limits);

}  // namespace fovea::explorer
