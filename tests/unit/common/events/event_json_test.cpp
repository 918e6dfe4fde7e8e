#include "common/events/event_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

namespace fixkeep::events {
namespace {

using nlohmann::json;

const GroupKey group{"duel/region=\"eu\"\n"};
const CreationId creation{{7, MasterId{2}}, 3, Incarnation{0xfedc'ba98'7654'3210U}};

// One of each, with values that differ from the default ones.
std::vector<What> one_of_each() {
  return {MatchAsked{TicketId{1}, group, 2},
          MatchAnswered{TicketId{1}, "w1-0000000000000001-1"},
          LockWanted{group},
          LockGranted{group, {7, MasterId{2}}},
          LockLeft{group},
          FenceAsked{WorkerId{"w1"}, 4, group},
          FenceAnswered{WorkerId{"w1"}, 4},
          SeatsAsked{WorkerId{"w1"}, 5, RoomNumber{9}, 3},
          SeatsAnswered{WorkerId{"w1"}, 5},
          RoomOrdered{WorkerId{"w1"}, 6, group, creation, 8, {1, 2}, {3, 5}},
          OrderAnswered{WorkerId{"w1"}, 6, true},
          RoomChanged{{WorkerId{"w-1"}, Incarnation{1}, RoomNumber{2}},
                      group,
                      creation,
                      wire::RoomPhase::draining,
                      8,
                      7,
                      6,
                      wire::CloseReason::boot_timeout},
          RoomResult{{WorkerId{"w-1"}, Incarnation{1}, RoomNumber{2}}, group, creation, "", "[1]"}};
}

TEST(EventJson, every_event_is_read_as_it_was_written) {
  const EventTime at{std::chrono::microseconds{1'763'797'124'000'123}};
  std::set<std::string_view> names;
  for (const What& what : one_of_each()) {
    const auto read = parse_event(json::parse(to_json_line(at, what)), "m1");
    ASSERT_TRUE(read) << to_json_line(at, what);
    EXPECT_EQ(*read, (Event{"m1", at, what}));
    names.insert(name_of(what));
  }
  EXPECT_EQ(names.size(), std::variant_size_v<What>);
}

TEST(EventJson, the_result_of_a_match_names_it) {
  const RoomResult result{
      {WorkerId{"w-1"}, Incarnation{1}, RoomNumber{2}}, group, creation, "final", "[1]"};
  const auto read = parse_event(json::parse(to_json_line({}, result)), "w1");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->what, What{result});
}

// The same with what events of a pool have beside.
std::vector<What> of_a_pool() {
  const std::vector<PlayerId> players{PlayerId{"ann"}, PlayerId{"b\"ob"}};
  RoomOrdered ordered{WorkerId{"w1"}, 6, group, creation, 8, {1, 2}, {3, 5}, players, {"1", "2"}};
  RoomChanged changed;
  changed.room = {WorkerId{"w-1"}, Incarnation{1}, RoomNumber{2}};
  changed.creation = creation;
  changed.seated = players;
  changed.left = {PlayerId{"cid"}};
  return {MatchAsked{TicketId{1}, group, 2, PlayerId{"ann"}},
          SeatsAsked{WorkerId{"w1"}, 5, RoomNumber{9}, 3, players}, ordered, changed};
}

TEST(EventJson, players_of_a_pool_are_told_and_nobody_else) {
  for (const What& what : of_a_pool()) {
    json line = json::parse(to_json_line({}, what));
    EXPECT_NE(line.dump().find("ann"), std::string::npos) << line;
    const auto read = parse_event(line, "m1");
    ASSERT_TRUE(read) << line;
    EXPECT_EQ(read->what, what) << line;
    for (const char* key : {"player", "players", "teams", "seated", "left"}) {
      if (!line.contains(key)) continue;
      json wrong = line;
      wrong[key] = json::array({1});
      EXPECT_FALSE(parse_event(wrong, "m1")) << wrong;
      line.erase(key);
    }
    EXPECT_TRUE(parse_event(line, "m1")) << line;
  }
  for (const What& what : one_of_each()) {
    const json line = json::parse(to_json_line({}, what));
    for (const char* key : {"player", "players", "teams", "seated", "left"})
      EXPECT_FALSE(line.contains(key));
  }
}

TEST(EventJson, is_one_line) {
  for (const What& what : one_of_each()) {
    EXPECT_EQ(to_json_line({}, what).find('\n'), std::string::npos);
  }
  EXPECT_EQ(to_json_line(EventTime{std::chrono::microseconds{5}}, LockLeft{GroupKey{"duel"}}),
            R"({"at_us":5,"event":"lock-left","group":"duel"})");
}

TEST(EventJson, what_lacks_a_field_or_has_a_wrong_one_is_no_event) {
  for (const What& what : one_of_each()) {
    const json line = json::parse(to_json_line({}, what));
    for (const auto& [key, value] : line.items()) {
      json without = line;
      without.erase(key);
      EXPECT_FALSE(parse_event(without, "m1")) << without;
      json wrong = line;
      wrong[key] = nullptr;
      EXPECT_FALSE(parse_event(wrong, "m1")) << wrong;
    }
    json more = line;
    more["comes_later"] = 1;
    EXPECT_TRUE(parse_event(more, "m1"));
  }
  EXPECT_FALSE(parse_event(json::parse(R"({"at_us":1,"event":"unheard-of"})"), "m1"));
  EXPECT_FALSE(parse_event(json::parse("[]"), "m1"));
  EXPECT_FALSE(parse_event(
      json::parse(R"({"at_us":1,"event":"fence-answered","worker":"w1","request":-1})"), "m1"));
}

}  // namespace
}  // namespace fixkeep::events
