// What the object of a room is called.
#include "worker/runner/object_name.hpp"

#include <gtest/gtest.h>

#include <set>

namespace fixkeep::worker {
namespace {

RoomId room(const std::string& worker, std::uint32_t number) {
  return {WorkerId{worker}, Incarnation{0x5f3a9c0211d2e4b7U}, RoomNumber{number}};
}

bool is_a_name_for_engines(const std::string& name) {
  return name.size() <= most_object_name && name.starts_with("fixkeep-") &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-") == std::string::npos;
}

TEST(ObjectName, says_cluster_and_room_where_their_names_are_plain) {
  EXPECT_EQ(object_name("studio", room("w1", 12)), "fixkeep-studio-w1-5f3a9c0211d2e4b7-12");
}

TEST(ObjectName, is_one_for_engines_and_unique_whatever_the_names_are) {
  const std::string long_name(128, 'x');
  std::set<std::string> names;
  std::size_t made = 0;
  for (const std::string cluster : {"a", "A", "a_b", "a.b", "a-b"}) {
    for (const std::string& worker : {std::string{"w1"}, std::string{"W1"}, long_name}) {
      for (const std::uint32_t number : {1U, 2U, 4'294'967'295U}) {
        const auto name = object_name(cluster, room(worker, number));
        EXPECT_TRUE(is_a_name_for_engines(name)) << name;
        names.insert(name);
        ++made;
      }
    }
  }
  EXPECT_EQ(names.size(), made);
}

}  // namespace
}  // namespace fixkeep::worker
