# The steps of the consumer tests: cmake -D STEP=... -D BUILD=... -D WORK=... -P run.cmake
# The prefixes are moved after the installation: nothing in them may depend on where they were installed.
set(prefix ${WORK}/moved)
set(attention_prefix ${WORK}/attention_moved)  # of the part attention alone
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

# Where nothing can be found but what is in the prefix.
set(nothing_else -D CMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF -D CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF)
foreach(package PkgConfig ZLIB nlohmann_json CLI11 hwy fmt)
  list(APPEND nothing_else -D CMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()
set(configure ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -G Ninja -D CMAKE_CXX_COMPILER=${CXX}
    "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}" -D CMAKE_MAKE_PROGRAM=${NINJA} ${nothing_else})

function(build_by_find_package folder)
  run(${configure} -B ${WORK}/${folder} ${ARGN})
  run(${CMAKE_COMMAND} --build ${WORK}/${folder})
  expect_worked_example(${WORK}/${folder}/consumer)
endfunction()

function(build_by_pkg_config package prefix source)
  file(GLOB_RECURSE pc_file ${prefix}/*/${package}.pc)
  cmake_path(GET pc_file PARENT_PATH pc_dir)
  set(ENV{PKG_CONFIG_LIBDIR} ${pc_dir})  # nothing of the system
  execute_process(COMMAND ${PKG_CONFIG} --cflags --libs ${package} OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${PKG_CONFIG} --variable=libdir ${package} OUTPUT_VARIABLE libdir
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  separate_arguments(cxx_flags UNIX_COMMAND "${CXX_FLAGS}")
  run(${CXX} -std=c++20 ${cxx_flags} ${CMAKE_CURRENT_LIST_DIR}/${source} -o ${WORK}/by_pkg_config ${flags}
      -Wl,-rpath,${libdir})
  expect_worked_example(${WORK}/by_pkg_config)
endfunction()

# A part that is not there: an error that says how to get it.
function(expect_complaint part complaint)
  execute_process(COMMAND ${configure} -B ${WORK}/missing -D CMAKE_PREFIX_PATH=${attention_prefix} -D PART=${part}
                  RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE error)
  string(REGEX REPLACE "[ \n]+" " " error "${error}")
  string(FIND "${error}" "${complaint}" at)
  if(result EQUAL 0 OR at EQUAL -1)
    message(FATAL_ERROR "expected an error with: ${complaint}\ngot (exit code ${result}): ${error}")
  endif()
endfunction()

if(STEP STREQUAL "install")
  file(REMOVE_RECURSE ${WORK})
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
  file(RENAME ${WORK}/first ${prefix})
  run(${CMAKE_COMMAND} --install ${BUILD} --component fovea-attention --prefix ${WORK}/attention_first)
  file(RENAME ${WORK}/attention_first ${attention_prefix})
elseif(STEP STREQUAL "find_package")
  build_by_find_package(find_package -D CMAKE_PREFIX_PATH=${prefix})
elseif(STEP STREQUAL "pkg_config")
  build_by_pkg_config(fovea ${prefix} main.cc)
elseif(STEP STREQUAL "attention")  # alone, and of a whole installation
  build_by_find_package(attention -D CMAKE_PREFIX_PATH=${attention_prefix} -D PART=attention)
  build_by_find_package(attention_of_all -D CMAKE_PREFIX_PATH=${prefix} -D PART=attention)
  build_by_pkg_config(fovea-attention ${attention_prefix} attention.cc)
elseif(STEP STREQUAL "missing_part")
  expect_complaint(plot "-DFOVEA_PLOT=ON")
  expect_complaint(models "-DFOVEA_MODELS=ON")
  expect_complaint(sound "fovea has no part sound; its parts are attention, models, plot")
elseif(STEP STREQUAL "command")
  run(${prefix}/bin/fovea info)  # finds the libraries beside it
  foreach(text share/man/man1/fovea.1 share/man/zh_CN/man1/fovea.1 share/bash-completion/completions/fovea
          share/zsh/site-functions/_fovea)
    file(SIZE ${prefix}/${text} size)
    if(size LESS 1000)
      message(FATAL_ERROR "${text} has ${size} bytes")
    endif()
  endforeach()
else()
  message(FATAL_ERROR "no step '${STEP}'")
endif()
