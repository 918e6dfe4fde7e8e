#include "ctl/cluster/table.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace fixkeep::ctl {
namespace {

TEST(Table, aligns_columns_and_has_numbers_to_the_right) {
  Table table{{"NAME", ">ROOMS", "STATE"}};
  table.add({"w1", "3", "up"});
  table.add({"münchen", "12", ""});
  std::ostringstream out;
  table.print(out);
  EXPECT_EQ(out.str(),
            "NAME     ROOMS  STATE\n"
            "w1           3  up\n"
            "münchen     12  -\n");
}

TEST(Table, makes_what_comes_from_outside_harmless) {
  Table table{{"NAME"}};
  table.add({"\x1b[2Jx\ny"});
  std::ostringstream out;
  table.print(out);
  EXPECT_EQ(out.str(), "NAME\n\\u001b[2Jx\\u000ay\n");
}

}  // namespace
}  // namespace fixkeep::ctl
