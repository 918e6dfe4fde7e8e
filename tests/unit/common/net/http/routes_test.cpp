#include "common/net/http/routes.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fixkeep::net::test {
namespace {

using Table = Routes<std::string>;

const Table& table() {
  static const Table rows{
      {"POST", "/match", "match"},
      {"GET, HEAD", "/rooms", "rooms"},
      {"GET, HEAD", "/rooms/{room}", "room"},
      {"GET", "/groups/{group}/rooms/{room}", "of group"},
      {"POST", "/lists/{name}:add", "add"},
      {"PATCH", "/lists/{name}", "change"},
      {"GET", "/lists/{name}", "list"},
      {any_method, "/echo", "echo"},
  };
  return rows;
}

// "room w1 |" for a row with one parameter, "405 POST", "404".
std::string find(std::string_view method, std::string_view path) {
  const auto found = table().find(method, path);
  if (found.handler == nullptr) return found.allow.empty() ? "404" : "405 " + found.allow;
  EXPECT_EQ(found.allow, "") << "the method is allowed";
  std::string text = *found.handler;
  for (const auto parameter : found.parameters) {
    text.append(parameter.data() == nullptr ? "" : " ").append(parameter);
  }
  return text;
}

TEST(Routes, a_path_and_one_of_its_methods_find_a_row) {
  EXPECT_EQ(find("POST", "/match"), "match");
  EXPECT_EQ(find("GET", "/rooms"), "rooms");
  EXPECT_EQ(find("HEAD", "/rooms"), "rooms");
  EXPECT_EQ(find("BREW", "/echo"), "echo");
}

TEST(Routes, another_method_is_told_those_that_there_are) {
  EXPECT_EQ(find("GET", "/match"), "405 POST");
  EXPECT_EQ(find("POST", "/rooms"), "405 GET, HEAD");
  EXPECT_EQ(find("POST", "/rooms/w1"), "405 GET, HEAD");
  EXPECT_EQ(find("DELETE", "/lists/x"), "405 PATCH, GET") << "of all rows of the path";
  for (const char* method : {"", "get", "GE", "GET,", "GET, HEAD", "HEA", ", "}) {
    EXPECT_EQ(find(method, "/rooms"), "405 GET, HEAD") << method;
  }
}

TEST(Routes, a_path_that_is_not_there_is_not_found) {
  for (const char* path :
       {"", "/", "match", "/match/", "/matches", "/room", "//rooms", "/groups/g", "/groups/g/rooms",
        "/groups//rooms/r", "/groups/a/b/rooms/r", "/Rooms"}) {
    EXPECT_EQ(find("GET", path), "404") << path;
  }
}

TEST(Routes, a_parameter_at_the_end_takes_all_that_is_left) {
  EXPECT_EQ(find("GET", "/rooms/w1-1-1"), "room w1-1-1");
  EXPECT_EQ(find("GET", "/rooms/a/b%2F"), "room a/b%2F");
  EXPECT_EQ(find("GET", "/rooms/"), "room ");
}

TEST(Routes, parameters_in_the_middle_end_where_the_pattern_goes_on) {
  EXPECT_EQ(find("GET", "/groups/duel%7Ceu/rooms/r"), "of group duel%7Ceu r");
  EXPECT_EQ(find("GET", "/groups/g/rooms/"), "of group g ");
  EXPECT_EQ(find("POST", "/lists/players:add"), "add players");
  EXPECT_EQ(find("POST", "/lists/a:add:add"), "add a:add");
  EXPECT_EQ(find("POST", "/lists/:add"), "405 PATCH, GET");
}

TEST(Routes, the_first_row_that_fits_counts) {
  EXPECT_EQ(find("PATCH", "/lists/players"), "change players");
  EXPECT_EQ(find("GET", "/lists/players:add"), "list players:add");
}

TEST(Routes, a_row_that_fits_no_path_leaves_no_parameter) {
  const auto found = table().find("GET", "/groups/g/seats/r");
  EXPECT_EQ(found.handler, nullptr);
  EXPECT_EQ(found.parameters, PathParameters{});
}

TEST(RoutePattern, has_closed_braces_and_at_most_two_parameters_that_are_no_neighbours) {
  EXPECT_DEATH(RoutePattern{"/a/{b"}, "assertion failed");
  EXPECT_DEATH(RoutePattern{"/{a}/{b}/{c}"}, "assertion failed");
  EXPECT_DEATH(RoutePattern{"/{a}{b}"}, "assertion failed");
}

TEST(SplitTarget, parts_path_and_query_at_the_first_question_mark) {
  EXPECT_EQ(split_target("/rooms").path, "/rooms");
  EXPECT_EQ(split_target("/rooms").query, "");
  EXPECT_EQ(split_target("/rooms?").path, "/rooms");
  EXPECT_EQ(split_target("/rooms?a=b?c").path, "/rooms");
  EXPECT_EQ(split_target("/rooms?a=b?c").query, "a=b?c");
}

}  // namespace
}  // namespace fixkeep::net::test
