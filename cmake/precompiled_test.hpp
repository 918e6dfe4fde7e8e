// For the tests, whatever they test.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cmake/precompiled_asio.hpp"
