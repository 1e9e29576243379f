// An answer as the HTTP library sends it, and as it is sent without the library.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "http.h"

struct MHD_Connection;

namespace fovea::explorer {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// Gives the library the answer to a request; false if it takes none now.
bool queue_answer(MHD_Connection* handle, const HttpAnswer& answer, const HttpHeaders& headers);

// Where the library takes no answer: while a body is being read, and on connections that it does not get.
// The connection is to be closed then.
void send_last_answer(int socket, const HttpAnswer& answer, const HttpHeaders& headers);

}  // namespace fovea::explorer
