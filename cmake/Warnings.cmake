# fovea_warnings(target [TESTS]): the warnings our own code is free of. Where files are compiled together, -Wshadow would
# also name what a neighbour's file has: with TESTS it is that of local names, because tests use the same short names, and
# clang, which finds more of this than GCC, leaves it to GCC.
function(fovea_warnings target)
  cmake_parse_arguments(PARSE_ARGV 1 of "TESTS" "" "")
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
  if(FOVEA_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC takes a source that is included for a header, whose anonymous namespaces would be one per file.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    if(of_TESTS)
      target_compile_options(${target} PRIVATE -Wno-shadow -Wshadow=local)
    endif()
  elseif(FOVEA_UNITY_BUILD)
    target_compile_options(${target} PRIVATE -Wno-shadow)
  endif()
  if(FOVEA_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
