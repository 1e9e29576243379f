# The parts of fovea that are built (FOVEA_PARTS), each on top of those before it, and the rooms of src/ in each.
include(CMakeDependentOption)

option(FOVEA_MODELS "The part models: files, tokenizers, models, training, measures, explanations" ON)
cmake_dependent_option(FOVEA_PLOT "The part plot, on top of models: pictures as SVG and in the terminal" ON
                       FOVEA_MODELS OFF)
cmake_dependent_option(FOVEA_CAIRO "Pictures as PNG and PDF, too, by cairo and pango" ON FOVEA_PLOT OFF)
cmake_dependent_option(FOVEA_BUILD_APPS "The command fovea, which needs all parts" ON FOVEA_PLOT OFF)
cmake_dependent_option(FOVEA_ZSTD "Corpora packed by zstd" ON FOVEA_MODELS OFF)
# AUTO, for the preset ci: with MPI where it is installed.
set(FOVEA_MPI OFF CACHE STRING "One sequence over many processes by MPI, in the part distributed: ON, OFF or AUTO")
set_property(CACHE FOVEA_MPI PROPERTY STRINGS ON OFF AUTO)
# pyproject.toml sets it. The libraries would be incomplete, and are not built then.
option(FOVEA_PYTHON_ALONE "Compile nothing but the Python package, and of the library only what that uses" OFF)
if(NOT FOVEA_BUILD_APPS)
  message(STATUS "The command fovea is not built: it needs FOVEA_MODELS, FOVEA_PLOT and FOVEA_BUILD_APPS")
endif()

set(FOVEA_PARTS attention)
set(attention_rooms core mask kernels ops nn)
if(FOVEA_MODELS)
  list(APPEND FOVEA_PARTS models)
  set(models_rooms io text models train run analysis explain lessons)
  if(FOVEA_PYTHON_ALONE)
    list(REMOVE_ITEM models_rooms train lessons)
  endif()
endif()
if(FOVEA_PLOT)
  list(APPEND FOVEA_PARTS plot)
  set(plot_rooms plot)
endif()
# On attention alone. Without MPI it says so (distributed/without_mpi.cc), and the command can be the same.
if(FOVEA_BUILD_APPS OR FOVEA_MPI)
  list(APPEND FOVEA_PARTS distributed)
  set(distributed_rooms distributed)
endif()

set(FOVEA_LIGHT_ROOMS io models train run explain lessons plot)  # compute little themselves: src/CMakeLists.txt

# What the Python package uses of the other rooms: all but these files. The module is linked with -z now, and its stub is
# made by importing it: a file that is missing ends the build.
set(FOVEA_FILES_NOT_IN_PYTHON
    kernels/activation_backward kernels/adamw kernels/column_sums kernels/cross_entropy kernels/dropout_rows
    kernels/normalization_backward ops/activation ops/adamw ops/column_sums ops/cross_entropy ops/dropout
    ops/merge_statistics ops/normalization_backward
    text/training/byte_pair_trainer text/training/tokenizer_training run/word_alignment
    explain/compare_heads explain/shape_trace explain/reading analysis/attribution
    plot/attention_bars plot/diagram_parts plot/flow_diagram plot/growth_chart plot/growth_data plot/layer_head_matrix
    plot/loss_scale plot/multi_head_diagram plot/query_key_value_diagram plot/speed_chart plot/speed_data
    plot/terminal_bars plot/terminal_cells plot/terminal_curve plot/terminal_heatmap plot/terminal_paint
    plot/terminal_weights plot/training_chart plot/word_scores_diagram)
