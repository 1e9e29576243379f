# fovea_unite(target): compiles up to 24 files of a folder as one, so that headers are read and templates compiled once
# for all of them; it saves two fifths of a build. Of the kernels, which are compiled for several instruction sets, those
# of FOVEA_KERNELS_TOGETHER are one: Highway's headers take as long as a small kernel.
# scripts/check_includes finds the include that a file forgot; the preset dev compiles file by file.
option(FOVEA_UNITY_BUILD "Compile several files as one: faster, but hides a missing include" OFF)

# Files that use a name in another way than a neighbour: those of a folder are a group of their own, or each alone.
set(FOVEA_FILES_APART
    explain/render_terminal explain/sentences explain/words io/safetensors_index kernels/statistics_pieces
    mask/selected_mask ops/observed_call plot/growth_data plot/layer_head_matrix plot/multi_head_diagram
    plot/terminal_cells plot/terminal_heatmap reference/linear_attention text/files/sentence_piece
    text/steps/split_pattern bench/models/peers bench/products/run
    tests/analysis/rollout_test tests/apps/explain_command_test tests/apps/json_test tests/apps/model_command_test
    tests/explain/render_test tests/memory/statistics_memory_test tests/ops/attention_edges_test
    tests/ops/attention_statistics_test tests/ops/linear_attention_stream_test tests/ops/linear_attention_test
    tests/ops/true_numbers_test tests/plot/heatmap_test tests/text/parts_test tests/text/vocabulary_test)
set(FOVEA_FILES_ALONE
    plot/panel_grid plot/query_key_value_diagram plot/ticks plot/word_scores_diagram
    tests/apps/serve_command_test tests/apps/whatif_command_test tests/io/npy_test tests/io/npz_test
    tests/io/safetensors_test tests/ops/attention_test tests/ops/attention_statistics_edges_test tests/ops/softmax_test)

# Each line is a unit, whose kernels must not share a name; those that take longest stand alone.
set(FOVEA_KERNELS_TOGETHER
    "adamw column_sums convert cross_entropy dropout_rows finite matrix_product normalization normalization_backward packed_weights portable_tile_unit rotary softmax weight_rows"
    "activation_backward bfloat16_keys linear_attention linear_attention_backward"
    "bfloat16_attention bfloat16_dense_layer dense_layer"
    "attention_backward statistics")

# fovea_unite_kernels(target): foreach_target.h compiles the file that HWY_TARGET_INCLUDE names once per instruction set.
# Here that file includes the kernels of a line, each of which names itself and then finds foreach_target.h included.
function(fovea_unite_kernels target)
  get_target_property(sources ${target} SOURCES)
  foreach(line IN LISTS FOVEA_KERNELS_TOGETHER)
    string(REPLACE " " ";" names "${line}")
    list(TRANSFORM names REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/kernels/\\1.cc" OUTPUT_VARIABLE kernels)
    set(includes)
    foreach(kernel IN LISTS kernels)
      if(kernel IN_LIST sources)
        string(APPEND includes "#include \"${kernel}\"\n")
        set_source_files_properties(${kernel} PROPERTIES HEADER_FILE_ONLY ON)
      endif()
    endforeach()
    if(NOT includes)
      continue()
    endif()
    list(GET names 0 name)
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/Unity/kernels_${name}.cxx)
    set(this "#undef HWY_TARGET_INCLUDE\n#define HWY_TARGET_INCLUDE \"${unit}\"\n")
    file(CONFIGURE OUTPUT ${unit} CONTENT "${this}#include <hwy/foreach_target.h>\n${includes}${this}" @ONLY)
    target_sources(${target} PRIVATE ${unit})
  endforeach()
endfunction()

function(fovea_unite target)
  if(NOT FOVEA_UNITY_BUILD)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
    string(REGEX REPLACE "^src/|\\.cc$" "" name "${name}")
    cmake_path(GET name PARENT_PATH folder)
    if(NOT EXISTS ${source} OR name IN_LIST FOVEA_FILES_ALONE)
      continue()  # a file that is not there yet is made by the build
    endif()
    file(STRINGS ${source} kernel REGEX "hwy/foreach_target\\.h" LIMIT_COUNT 1)
    if(kernel)
      continue()
    endif()
    if(name IN_LIST FOVEA_FILES_APART)
      string(APPEND folder _apart)
    endif()
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    math(EXPR number "0${count_${folder}} / 24")
    math(EXPR count_${folder} "0${count_${folder}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${number})
  endforeach()
  fovea_unite_kernels(${target})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
