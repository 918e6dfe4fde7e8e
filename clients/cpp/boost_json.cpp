// SPDX-License-Identifier: MIT
// Compiles Boost.JSON. Leave this file out if your program links Boost.JSON.
#include <boost/json/src.hpp>
