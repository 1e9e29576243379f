# fovea_precompile(target): the headers that most files include, compiled once per target; a third of the time of a
# build. nlohmann's is not among them: few files include it, and GCC would load its 50 MB for every other one. `make
# lint` and the preset dev compile without, and find the include that a file forgot.
function(fovea_precompile target)
  if(FOVEA_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} PRIVATE <algorithm> <cmath> <functional> <map> <memory> <optional> <string>
                              <variant> <vector> <fmt/core.h> ${PROJECT_SOURCE_DIR}/include/fovea/attention.h)
  endif()
endfunction()
