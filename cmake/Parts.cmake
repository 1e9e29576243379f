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
if(NOT FOVEA_BUILD_APPS)
  message(STATUS "The command fovea is not built: it needs FOVEA_MODELS, FOVEA_PLOT and FOVEA_BUILD_APPS")
endif()

set(FOVEA_PARTS attention)
set(attention_rooms core mask kernels ops nn)
if(FOVEA_MODELS)
  list(APPEND FOVEA_PARTS models)
  set(models_rooms io text models train run analysis explain lessons)
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
