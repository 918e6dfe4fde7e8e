#include "ctl/node/url.hpp"

#include <gtest/gtest.h>

namespace fixkeep::ctl {
namespace {

std::string read(std::string_view text) {
  const auto url = parse_node_url(text);
  return std::holds_alternative<NodeUrl>(url) ? to_string(std::get<NodeUrl>(url)) : "refused";
}

TEST(NodeUrl, is_what_people_type) {
  EXPECT_EQ(read("http://127.0.0.1:8181"), "http://127.0.0.1:8181");
  EXPECT_EQ(read("https://m1.example:8181/"), "https://m1.example:8181");
  EXPECT_EQ(read("m1:8181"), "http://m1:8181");
  EXPECT_EQ(read("[::1]:8181"), "http://[::1]:8181");
}

TEST(NodeUrl, has_a_port_and_no_path) {
  for (const char* text :
       {"", "m1", "http://m1", "m1:0", "ftp://m1:1", "http://m1:1/x", "m1:99999"}) {
    EXPECT_EQ(read(text), "refused") << text;
  }
}

}  // namespace
}  // namespace fixkeep::ctl
