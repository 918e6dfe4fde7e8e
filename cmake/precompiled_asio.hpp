// For the targets that are marked ASIO: sockets, HTTP and, as what they carry is JSON, that too.
#pragma once

#include <boost/asio.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <nlohmann/json.hpp>

#include "cmake/precompiled_standard.hpp"
