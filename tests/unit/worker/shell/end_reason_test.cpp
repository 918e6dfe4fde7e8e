#include "worker/shell/end_reason.hpp"

#include <gtest/gtest.h>

namespace fixkeep::worker {
namespace {

std::string reason(const std::string& last_lines) {
  return end_reason({.how = "exit code 1", .last_lines = last_lines});
}

TEST(EndReason, is_how_the_game_ended_and_the_last_line_that_it_wrote) {
  EXPECT_EQ(reason(""), "exit code 1");
  EXPECT_EQ(reason(" \r\n\n"), "exit code 1");
  EXPECT_EQ(reason("cannot bind"), "exit code 1: cannot bind");
  EXPECT_EQ(reason("loading\r\ncannot bind \n\n"), "exit code 1: cannot bind");
}

TEST(EndReason, is_short_and_harmless) {
  EXPECT_EQ(reason(std::string(3 * most_last_line, 'x')).size(),
            std::string{"exit code 1: "}.size() + most_last_line);
  EXPECT_EQ(reason("a\x1b[2Jb"), "exit code 1: a\\u001b[2Jb");
}

}  // namespace
}  // namespace fixkeep::worker
