# How every part of the project is built: the settings that all targets share, and four functions.
#
#   fixkeep_library(NAME [ASIO] SOURCES … DEPS …)      a static library; ASIO: it uses Asio or Beast
#   fixkeep_executable(NAME [ASIO] SOURCES … DEPS …)   a program in bin/
#   fixkeep_test(NAME [ASIO] SOURCES … DEPS …)         a GoogleTest program, each case a CTest test
#   fixkeep_check(NAME COMMAND …)                      a CTest test that runs a command

option(FIXKEEP_TESTS "Build the tests" ON)
set(FIXKEEP_SANITIZE "" CACHE STRING "Sanitizers for every target: address,undefined or thread")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_SKIP_BUILD_RPATH ON)

find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(Protobuf 3.21 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(prometheus-cpp REQUIRED)
if(FIXKEEP_TESTS)
  find_package(GTest 1.12 REQUIRED)
  include(GoogleTest)
endif()

# --- settings that all our targets share ----------------------------------------------------------
add_library(fixkeep_settings INTERFACE)
target_include_directories(fixkeep_settings INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_options(fixkeep_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast
  -Wcast-align -Woverloaded-virtual -Wimplicit-fallthrough -Wswitch-enum
  -Wno-missing-field-initializers  # designated initialisers leave the rest at its default
  -Wno-maybe-uninitialized  # GCC 12 takes unused alternatives of optional and variant for read
  -Werror)
target_link_libraries(fixkeep_settings INTERFACE Boost::headers Threads::Threads)
if(FIXKEEP_SANITIZE)
  target_compile_options(fixkeep_settings INTERFACE
    -fsanitize=${FIXKEEP_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(fixkeep_settings INTERFACE -fsanitize=${FIXKEEP_SANITIZE})
  target_compile_definitions(fixkeep_settings INTERFACE
    BOOST_ASIO_DISABLE_AWAITABLE_FRAME_RECYCLING)
  if(FIXKEEP_SANITIZE MATCHES thread)
    target_compile_options(fixkeep_settings INTERFACE -Wno-tsan)  # Asio's fences
  endif()
  if(FIXKEEP_SANITIZE MATCHES undefined)
    # Its check probes memory through a pipe, and so fails where a test uses up all descriptors.
    target_compile_options(fixkeep_settings INTERFACE -fno-sanitize=vptr)
  endif()
endif()

find_program(FIXKEEP_MOLD mold)
if(FIXKEEP_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# --- Asio and Beast, compiled once ----------------------------------------------------------------
add_library(fixkeep_asio STATIC "${CMAKE_SOURCE_DIR}/cmake/asio.cpp")
target_compile_definitions(fixkeep_asio PUBLIC
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION
  BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_COROUTINE)
# GCC 12 takes the frame of an awaitable, which Asio recycles, for a mismatched delete.
target_compile_options(fixkeep_asio PUBLIC -Wno-mismatched-new-delete)
target_link_libraries(fixkeep_asio PUBLIC fixkeep_settings)
target_precompile_headers(fixkeep_asio PRIVATE "${CMAKE_SOURCE_DIR}/cmake/asio_precompiled.hpp")

function(_fixkeep_target name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ASIO" "" "SOURCES;DEPS")
  target_link_libraries(${name} PUBLIC fixkeep_settings ${arg_DEPS})
  if(arg_ASIO)
    target_link_libraries(${name} PUBLIC fixkeep_asio)
    target_precompile_headers(${name} REUSE_FROM fixkeep_asio)
  endif()
endfunction()

function(fixkeep_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ASIO" "" "SOURCES;DEPS")
  add_library(${name} STATIC ${arg_SOURCES})
  _fixkeep_target(${name} ${ARGN})
endfunction()

function(fixkeep_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ASIO" "" "SOURCES;DEPS")
  add_executable(${name} ${arg_SOURCES})
  _fixkeep_target(${name} ${ARGN})
endfunction()

# Instrumented code is slower, and a timeout is there for what hangs.
set(fixkeep_timeout_factor 1)
if(FIXKEEP_SANITIZE)
  set(fixkeep_timeout_factor 4)
endif()

# TIMEOUT in seconds is that of each single case; SERIAL: no other test runs beside one of its cases.
function(fixkeep_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ASIO;SERIAL" "TIMEOUT;LABEL" "SOURCES;DEPS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * ${fixkeep_timeout_factor}")
  add_executable(${name} ${arg_SOURCES})
  set(asio "")
  if(arg_ASIO)
    set(asio ASIO)
  endif()
  set(serial FALSE)
  if(arg_SERIAL)
    set(serial TRUE)
  endif()
  _fixkeep_target(${name} ${asio} DEPS ${arg_DEPS} GTest::gtest GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 30
    PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABEL}" RUN_SERIAL ${serial}
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
endfunction()

function(fixkeep_check name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "COMMAND")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * ${fixkeep_timeout_factor}")
  add_test(NAME ${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT})
endfunction()
