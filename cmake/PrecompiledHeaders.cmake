# fovea_precompile(target): the headers that most files include, compiled once per target; a third of the time of a
# build. nlohmann's is not among them: few files include it, and GCC would load its 50 MB for every other one. The
# preset dev compiles without.
function(fovea_precompile target)
  if(FOVEA_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} PRIVATE <algorithm> <cmath> <functional> <map> <memory> <optional> <string>
                              <variant> <vector> <fmt/core.h> ${PROJECT_SOURCE_DIR}/include/fovea/attention.h)
  endif()
endfunction()
