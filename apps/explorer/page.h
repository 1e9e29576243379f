// The page, as web/ builds it: one HTML file, and its content security policy.
#pragma once

#include <string>

namespace fovea::explorer {

struct Page {
  std::string html;
  std::string policy;
};

// Where the data of a single file goes, before the first script.
inline constexpr const char* kDataMarker = "<!--fovea-data-->";

Page embedded_page();  // written by CMake

}  // namespace fovea::explorer
