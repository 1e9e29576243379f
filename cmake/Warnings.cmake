# fovea_warnings(target): the warnings our own code is free of.
function(fovea_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
  if(FOVEA_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC takes a source that is included for a header, whose anonymous namespaces would be one per file.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
  if(FOVEA_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
