# fovea_precompile(target owner): the headers that most files include, compiled once for all targets of an owner, the first
# of them; a third of the time of a build. nlohmann's is not among them: few files include it, and GCC would load its
# 50 MB for every other one. clang wants the same flags for all who share, so each target has its own there. The preset
# dev compiles without.
function(fovea_precompile target owner)
  if(NOT FOVEA_PRECOMPILED_HEADERS)
    return()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT target STREQUAL owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE <algorithm> <cmath> <functional> <map> <memory> <optional> <string>
                              <variant> <vector> <fmt/core.h> ${PROJECT_SOURCE_DIR}/include/fovea/attention.h)
  endif()
endfunction()
