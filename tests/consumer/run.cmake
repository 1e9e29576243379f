# The steps of the consumer test: cmake -D STEP=install|find_package|pkg_config|command -D BUILD=... -P run.cmake
# The prefix is moved after the installation: nothing in it may depend on where it was installed.
set(prefix ${WORK}/moved)
set(expected "16.0445 3.9555\n")  # output of the worked example, 4 decimals

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    string(REPLACE ";" " " line "${ARGV}")
    message(FATAL_ERROR "${line}\nfailed with ${result}:\n${output}")
  endif()
endfunction()

function(expect_worked_example)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE error)
  if(NOT result EQUAL 0 OR NOT output STREQUAL expected)
    message(FATAL_ERROR "expected ${expected}got (exit code ${result}) ${output}${error}")
  endif()
endfunction()

if(STEP STREQUAL "install")
  file(REMOVE_RECURSE ${WORK})
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
  file(RENAME ${WORK}/first ${prefix})
elseif(STEP STREQUAL "find_package")
  set(binary_dir ${WORK}/find_package)
  run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${binary_dir} -G Ninja -D CMAKE_CXX_COMPILER=${CXX}
      "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}" -D CMAKE_PREFIX_PATH=${prefix})
  run(${CMAKE_COMMAND} --build ${binary_dir})
  expect_worked_example(${binary_dir}/consumer)
elseif(STEP STREQUAL "pkg_config")
  file(GLOB_RECURSE pc_file ${prefix}/*/fovea.pc)
  cmake_path(GET pc_file PARENT_PATH pc_dir)
  set(ENV{PKG_CONFIG_PATH} ${pc_dir})
  execute_process(COMMAND ${PKG_CONFIG} --cflags --libs fovea OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${PKG_CONFIG} --variable=libdir fovea OUTPUT_VARIABLE libdir
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  separate_arguments(cxx_flags UNIX_COMMAND "${CXX_FLAGS}")
  run(${CXX} -std=c++20 ${cxx_flags} ${CMAKE_CURRENT_LIST_DIR}/main.cc -o ${WORK}/by_pkg_config ${flags}
      -Wl,-rpath,${libdir})
  expect_worked_example(${WORK}/by_pkg_config)
elseif(STEP STREQUAL "command")
  run(${prefix}/bin/fovea info)  # finds the library beside it
else()
  message(FATAL_ERROR "no step '${STEP}'")
endif()
