# How every part of the project is built: the settings that all targets share, and four functions.
#
#   fixkeep_library(NAME [ASIO|COLD] SOURCES … DEPS …)      a static library
#   fixkeep_executable(NAME [ASIO|COLD] SOURCES … DEPS …)   a program in bin/
#   fixkeep_test(NAME SOURCES … DEPS …)                     a GoogleTest program
#   fixkeep_check(NAME COMMAND …)                           a CTest test that runs a command
#
# The sources of a target are compiled together, as one unit: most of a unit's time goes into
# instantiating the same templates, so everything builds in less than half the time. Two sources of
# a target cannot have helpers of one name; what is the same belongs into a header, what is not is
# called otherwise. SEPARATE, with any of the functions: each source is a unit of its own; ALONE: the
# sources behind it are.
#
# ASIO: it uses Asio or Beast. COLD: it does so little, or so seldom, that it is not worth optimising,
# which is two thirds of the time of a unit; it may use Asio. Of a template that two libraries use, a
# program has the code of the one that it names first: what is hot comes first in its DEPS. EXTRA: a
# tool that neither the product nor a test needs; it is built by name, or with all others by the
# target "extras".
#
# A checkout of the same commit in another folder gives the same objects and programs, so that ccache
# finds them: units name their sources from the root, as includes do, and no path of the checkout gets
# into what is compiled. The root is not always what CMake was called with: lock/ builds alone too.

get_filename_component(FIXKEEP_ROOT "${CMAKE_CURRENT_LIST_DIR}" DIRECTORY)
option(FIXKEEP_TESTS "Build the tests" ON)
option(FIXKEEP_FUZZ "There are programs of libFuzzer" OFF)
option(FIXKEEP_UNITS "Compile the sources of a target together" ON)
set(FIXKEEP_SANITIZE "" CACHE STRING "Sanitizers for every target: address,undefined or thread")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_SKIP_BUILD_RPATH ON)
set(FIXKEEP_UNIT_SIZE 0 CACHE STRING "Sources of a unit; 0 means all of a target")
add_custom_target(extras)

# cmake/ccache.sh says what makes it hit.
find_program(FIXKEEP_CCACHE ccache)
if(FIXKEEP_CCACHE)  # and it has a folder that we may write to
  execute_process(COMMAND sh -c "d=$('${FIXKEEP_CCACHE}' -k cache_dir) && mkdir -p $d && test -w $d"
    RESULT_VARIABLE unwritable OUTPUT_QUIET ERROR_QUIET)
endif()
if(FIXKEEP_CCACHE AND NOT unwritable)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${FIXKEEP_ROOT}/cmake/ccache.sh;${FIXKEEP_CCACHE};${FIXKEEP_ROOT}")
endif()

find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED)
if(FIXKEEP_TESTS)
  find_package(GTest 1.12 REQUIRED)
  include(GoogleTest)
endif()

# --- settings that all our targets share ----------------------------------------------------------
add_library(fixkeep_settings INTERFACE)
target_include_directories(fixkeep_settings INTERFACE "${FIXKEEP_ROOT}")
target_compile_options(fixkeep_settings INTERFACE
  "-ffile-prefix-map=${FIXKEEP_ROOT}/="
  "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>"
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast
  -Wcast-align -Woverloaded-virtual -Wimplicit-fallthrough -Wswitch-enum
  -Wno-missing-field-initializers  # designated initialisers leave the rest at its default
  -Wno-subobject-linkage  # takes the anonymous namespaces of sources compiled as one for a header's
  # Clang, which the presets take: half the time of GCC. std::stable_sort is deprecated in itself.
  "$<$<CXX_COMPILER_ID:Clang>:-Wno-unknown-warning-option;-Wno-sign-conversion>"
  "$<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>"
  # GCC 12 takes unused alternatives of optional and variant for read.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  -Werror)
target_link_libraries(fixkeep_settings INTERFACE Boost::headers Threads::Threads)
if(FIXKEEP_SANITIZE)
  target_compile_options(fixkeep_settings INTERFACE
    -fsanitize=${FIXKEEP_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(fixkeep_settings INTERFACE -fsanitize=${FIXKEEP_SANITIZE})
  target_compile_definitions(fixkeep_settings INTERFACE
    BOOST_ASIO_DISABLE_AWAITABLE_FRAME_RECYCLING)
  if(FIXKEEP_SANITIZE MATCHES undefined)
    target_compile_options(fixkeep_settings INTERFACE
      # Its check probes memory through a pipe, and so fails where a test uses up all descriptors.
      -fno-sanitize=vptr
      # Three quarters of all checks, and a quarter of the time of a build. A null pointer ends the
      # program without them too, and this processor takes any address.
      -fno-sanitize=null,alignment)
  endif()
  # The tables of the checks would be relocated at each start of a program: a million entries.
  target_compile_options(fixkeep_settings INTERFACE -fno-pie)
  target_link_options(fixkeep_settings INTERFACE -no-pie)
endif()

find_program(FIXKEEP_MOLD mold)
if(FIXKEEP_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# --- Asio and Beast, compiled once ----------------------------------------------------------------
add_library(fixkeep_asio STATIC "${FIXKEEP_ROOT}/cmake/asio.cpp")
target_compile_definitions(fixkeep_asio PUBLIC
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION
  BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_COROUTINE)
# GCC 12 takes the frame of an awaitable, which Asio recycles, for a mismatched delete.
target_compile_options(fixkeep_asio PUBLIC
  $<$<CXX_COMPILER_ID:GNU>:-Wno-mismatched-new-delete>)
target_link_libraries(fixkeep_asio PUBLIC fixkeep_settings)

# --- precompiled headers --------------------------------------------------------------------------
# Four of them, since parsing is half of the time of most units: what is marked ASIO or COLD, the
# tests, and the rest. No source relies on them: the preset tidy, which has none, parses every source.
target_precompile_headers(fixkeep_asio PRIVATE <cmake/precompiled_asio.hpp>)

add_library(fixkeep_precompiled OBJECT "${FIXKEEP_ROOT}/cmake/precompiled.cpp")
target_link_libraries(fixkeep_precompiled PUBLIC fixkeep_settings)
target_precompile_headers(fixkeep_precompiled PRIVATE
  <cmake/precompiled_standard.hpp>)

add_library(fixkeep_precompiled_cold OBJECT "${FIXKEEP_ROOT}/cmake/precompiled.cpp")
target_link_libraries(fixkeep_precompiled_cold PUBLIC fixkeep_asio)
target_compile_options(fixkeep_precompiled_cold PRIVATE -O0)
target_precompile_headers(fixkeep_precompiled_cold PRIVATE <cmake/precompiled_asio.hpp>)

# What a test program does itself is not worth optimising, and costs two thirds of the time of a
# build with sanitizers; what it tests is built as it is shipped. A test that searches for long says
# OPTIMISED.
set(fixkeep_test_options -O0)
if(FIXKEEP_SANITIZE MATCHES undefined)
  list(APPEND fixkeep_test_options -fno-sanitize=undefined)
endif()
if(FIXKEEP_TESTS)
  add_library(fixkeep_precompiled_test OBJECT "${FIXKEEP_ROOT}/cmake/precompiled.cpp")
  target_link_libraries(fixkeep_precompiled_test PUBLIC fixkeep_asio GTest::gtest GTest::gmock)
  target_compile_options(fixkeep_precompiled_test PRIVATE ${fixkeep_test_options})
  target_precompile_headers(fixkeep_precompiled_test PRIVATE
    <cmake/precompiled_test.hpp>)
endif()

# Gives a target its sources: as they are, or as units that include some of them.
function(_fixkeep_sources name separate sources)
  file(RELATIVE_PATH folder "${FIXKEEP_ROOT}" "${CMAKE_CURRENT_SOURCE_DIR}")
  set(units "${CMAKE_CURRENT_BINARY_DIR}/units")
  set(joined "")
  foreach(source IN LISTS sources)
    if(separate OR NOT FIXKEEP_UNITS)
      target_sources(${name} PRIVATE ${source})
    elseif(IS_ABSOLUTE "${source}")  # a text that is embedded
      file(RELATIVE_PATH source "${units}" "${source}")
      list(APPEND joined ${source})
    else()
      list(APPEND joined ${folder}/${source})
    endif()
  endforeach()
  list(LENGTH joined count)
  set(size ${FIXKEEP_UNIT_SIZE})
  if(size EQUAL 0)
    set(size ${count})
  endif()
  set(begin 0)
  while(begin LESS count)
    list(SUBLIST joined ${begin} ${size} some)
    list(TRANSFORM some REPLACE "(.+)" "#include \"\\1\"\n")
    string(JOIN "" unit ${some})
    file(CONFIGURE OUTPUT "${units}/${name}_${begin}.cpp" CONTENT "${unit}" @ONLY)
    target_sources(${name} PRIVATE "${units}/${name}_${begin}.cpp")
    math(EXPR begin "${begin} + ${size}")
  endwhile()
endfunction()

# What all kinds of targets have in common. TEST, ASIO and COLD say which precompiled header they take.
function(_fixkeep_target name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ASIO;COLD;TEST;EXTRA;SEPARATE" "" "SOURCES;ALONE;DEPS")
  _fixkeep_sources(${name} "${arg_SEPARATE}" "${arg_SOURCES}")
  target_sources(${name} PRIVATE ${arg_ALONE})
  target_link_libraries(${name} PUBLIC fixkeep_settings ${arg_DEPS})
  if(arg_TEST)
    target_link_libraries(${name} PUBLIC fixkeep_asio)
    target_compile_options(${name} PRIVATE ${fixkeep_test_options})
    target_precompile_headers(${name} REUSE_FROM fixkeep_precompiled_test)
  elseif(arg_COLD)
    target_link_libraries(${name} PUBLIC fixkeep_asio)
    target_compile_options(${name} PRIVATE -O0)
    target_precompile_headers(${name} REUSE_FROM fixkeep_precompiled_cold)
  elseif(arg_ASIO)
    target_link_libraries(${name} PUBLIC fixkeep_asio)
    target_precompile_headers(${name} REUSE_FROM fixkeep_asio)
  else()
    target_precompile_headers(${name} REUSE_FROM fixkeep_precompiled)
  endif()
  if(arg_EXTRA)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    add_dependencies(extras ${name})
  endif()
endfunction()

function(fixkeep_library name)
  add_library(${name} STATIC)
  _fixkeep_target(${name} ${ARGN})
endfunction()

function(fixkeep_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "COLD" "" "SOURCES;DEPS")
  if(arg_COLD)
    # Its code comes after that of its libraries, from a library of its own.
    fixkeep_library(${name}_cold ${ARGN})
    add_executable(${name} "${FIXKEEP_ROOT}/cmake/precompiled.cpp")
    target_link_libraries(${name} PRIVATE ${arg_DEPS} ${name}_cold)
    return()
  endif()
  add_executable(${name})
  _fixkeep_target(${name} ${ARGN})
endfunction()

# Instrumented code is slower, and a timeout is there for what hangs.
set(fixkeep_timeout_factor 1)
if(FIXKEEP_SANITIZE)
  set(fixkeep_timeout_factor 4)
endif()

# Sets TIMEOUT for CTest, and what tests/run.sh is told of processor time.
function(_fixkeep_limits pure timeout)
  math(EXPR timeout "${timeout} * ${fixkeep_timeout_factor}")
  set(fixkeep_seconds "" PARENT_SCOPE)
  if(pure)
    set(fixkeep_seconds --seconds ${timeout} PARENT_SCOPE)
    math(EXPR timeout "${timeout} * 20")
  endif()
  set(arg_TIMEOUT ${timeout} PARENT_SCOPE)
endfunction()

# A GoogleTest program. TIMEOUT in seconds is that of a CTest test. Where the program is PURE, it is of
# processor time, and CTest waits for twenty times as long.
#
#   CASES      each case is a CTest test, and has a process of its own; without it the program is run
#              once (tests/run.sh), since most of the time of a short case is the start of its process
#   PURE       it reads no clock and has no socket, so its pass is kept for the same program and DATA
#   DATA …     files and folders that it reads, named from the root
#   SCRIPTS …  files beside the sources whose lines are its tests (tests/support/scripts.hpp); DATA too
#   SHARDS n   its cases are shared out to so many CTest tests, which run side by side
#   LABEL l    of the CTest tests
#   SERIAL     no other test runs beside it
#   OPTIMISED  it computes for long itself
function(fixkeep_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "CASES;PURE;SERIAL;OPTIMISED;SEPARATE"
    "TIMEOUT;LABEL;SHARDS" "SOURCES;SCRIPTS;DATA;DEPS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 900)  # beside twenty busy loops a program takes a hundred times as long
  endif()
  _fixkeep_limits("${arg_PURE}" ${arg_TIMEOUT})
  add_executable(${name})
  set(kind TEST)
  if(arg_OPTIMISED)
    set(kind ASIO)
  endif()
  if(arg_SEPARATE)
    list(APPEND kind SEPARATE)
  endif()
  _fixkeep_target(${name} ${kind} SOURCES ${arg_SOURCES}
    DEPS ${arg_DEPS} GTest::gtest GTest::gmock GTest::gtest_main)
  if(FIXKEEP_SANITIZE)
    target_compile_definitions(${name} PRIVATE FIXKEEP_SANITIZED)
  endif()
  if(arg_SCRIPTS)
    target_link_libraries(${name} PUBLIC fixkeep_test_scripts)
    file(RELATIVE_PATH folder "${FIXKEEP_ROOT}" "${CMAKE_CURRENT_SOURCE_DIR}")
    list(TRANSFORM arg_SCRIPTS PREPEND "${folder}/")
    list(APPEND arg_DATA ${arg_SCRIPTS})
  endif()
  # An empty value would be dropped, and the next word taken for it.
  set(properties TIMEOUT ${arg_TIMEOUT})
  if(arg_LABEL)
    list(APPEND properties LABELS ${arg_LABEL})
  endif()
  if(arg_SERIAL)
    list(APPEND properties RUN_SERIAL TRUE)
  endif()
  if(arg_CASES)
    gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 30
      # Where an environment fails, GoogleTest skips the case, which CTest would not count as a failure.
      PROPERTIES ${properties} SKIP_REGULAR_EXPRESSION "nothing is skipped"
      WORKING_DIRECTORY "${FIXKEEP_ROOT}")
    return()
  endif()
  set(options "")
  if(arg_PURE)
    list(TRANSFORM arg_DATA PREPEND "--data;")
    set(options ${fixkeep_seconds} --keep ${arg_DATA})
  endif()
  if(NOT arg_SHARDS)
    set(arg_SHARDS 1)
  endif()
  foreach(shard RANGE 1 ${arg_SHARDS})
    set(test ${name})
    if(arg_SHARDS GREATER 1)
      set(test ${name}.${shard})
    endif()
    add_test(NAME ${test} WORKING_DIRECTORY "${FIXKEEP_ROOT}"
      COMMAND tests/run.sh --counts "${CMAKE_BINARY_DIR}/counts/${test}"
        --shard ${shard} ${arg_SHARDS} ${options} "$<TARGET_FILE:${name}>")
    set_tests_properties(${test} PROPERTIES ${properties})
  endforeach()
endfunction()

# A command as a CTest test. PURE and DATA are as for fixkeep_test, and the command is a target.
function(fixkeep_check name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PURE" "TIMEOUT" "COMMAND;DATA")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  _fixkeep_limits("${arg_PURE}" ${arg_TIMEOUT})
  if(arg_PURE)
    list(POP_FRONT arg_COMMAND program)
    list(TRANSFORM arg_DATA PREPEND "--data;")
    set(arg_COMMAND tests/run.sh --counts "${CMAKE_BINARY_DIR}/counts/${name}"
      ${fixkeep_seconds} --keep ${arg_DATA} "$<TARGET_FILE:${program}>" ${arg_COMMAND})
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY "${FIXKEEP_ROOT}")
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT})
endfunction()
