// When which command of a hook is run, and what is made of its answer.
#include "worker/runner/hook/hook_rooms.hpp"

#include <gmock/gmock.h>

namespace fixkeep::worker {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

const HookAnswer failed{"no credit", ""};
const HookAnswer well{"", ""};

// What is done is written as a word for each action.
struct HookRoomsTest : testing::Test {
  std::vector<std::string> words(const HookActions& actions) {
    std::vector<std::string> said;
    for (const HookAction& action : actions) {
      std::visit([&](const auto& what) { said.push_back(word(what)); }, action);
    }
    return said;
  }
  static std::string word(const RunStart& what) { return "start " + what.object; }
  static std::string word(const RunStop& what) {
    return (what.kill ? "kill " : "ask ") + what.object;
  }
  static std::string word(const RunList&) { return "list"; }
  static std::string word(const RecordObject& what) {
    return (what.place ? "record place of " : "record ") + what.object;
  }
  static std::string word(const ForgetObject& what) { return "forget " + what.object; }
  static std::string word(const HookPlaced& what) {
    return (what.begins ? "begun at " : "found at ") + what.place.host + ":" +
           std::to_string(what.place.port());
  }
  static std::string word(const HookEnded& what) {
    const bool ran = what.end.kind != GameEnd::Kind::not_started;
    return (ran ? "ended: " : "not started: ") + what.end.how;
  }

  template <class Event>
  std::vector<std::string> step(Event event) {
    HookActions actions;
    event(actions);
    return words(actions);
  }
  std::vector<std::string> start(std::uint32_t room = 1) {
    return step([&](auto& out) { rooms.start(RoomNumber{room}, name(room), "l", now, out); });
  }
  std::vector<std::string> started(const HookAnswer& answer, std::uint32_t room = 1) {
    return step([&](auto& out) { rooms.started(name(room), answer, now, out); });
  }
  std::vector<std::string> stopped(const HookAnswer& answer, std::uint32_t room = 1) {
    return step([&](auto& out) { rooms.stopped(name(room), answer, now, out); });
  }
  std::vector<std::string> lists(const std::string& names) {
    return step([&](auto& out) { rooms.listed("l", {"", names}, now, out); });
  }
  std::vector<std::string> no_list() {
    return step([&](auto& out) { rooms.listed("l", failed, now, out); });
  }
  std::vector<std::string> end(bool kill) {
    return step([&](auto& out) { rooms.end("o1", kill, now, out); });
  }
  std::vector<std::string> pass(Duration time) {
    now += time;
    return step([&](auto& out) { rooms.pass_time(now, out); });
  }
  void run_one() {
    start();
    lists("");
    started({"", "host 7\n"});
  }
  static std::string name(std::uint32_t room) { return "o" + std::to_string(room); }

  TimePoint now{std::chrono::hours{1}};
  HookRooms rooms{{.at_once = 2}};
};

TEST_F(HookRoomsTest, a_room_is_started_when_its_name_is_free) {
  EXPECT_THAT(start(), ElementsAre("list"));
  EXPECT_EQ(rooms.waiting(), 1U);
  EXPECT_THAT(lists("o2\n"), ElementsAre("record o1", "start o1"));
  EXPECT_EQ(rooms.waiting(), 0U);
  EXPECT_THAT(started({"", "host 7 query=8\n"}),
              ElementsAre("record place of o1", "begun at host:7"));
}

TEST_F(HookRoomsTest, a_name_that_is_taken_is_left_alone) {
  start();
  EXPECT_THAT(lists("o1\n"),
              ElementsAre("not started: there is a o1 already, and it is not ours", "forget o1"));
  EXPECT_FALSE(rooms.any());
}

TEST_F(HookRoomsTest, a_list_that_began_before_tells_nothing_of_a_room) {
  start(1);
  EXPECT_THAT(start(2), IsEmpty()) << "one list at a time";
  EXPECT_THAT(lists("o2\n"), ElementsAre("record o1", "start o1", "list"));
  EXPECT_THAT(lists("o1\n"), ElementsAre("record o2", "start o2"));
}

TEST_F(HookRoomsTest, nothing_is_started_while_rooms_cannot_be_listed) {
  start();
  EXPECT_THAT(no_list(), ElementsAre("not started: cannot list rooms: no credit", "forget o1"));
}

TEST_F(HookRoomsTest, a_start_that_failed_is_stopped_and_looked_for_and_ends_with_its_reason) {
  start();
  lists("");
  EXPECT_THAT(started(failed), ElementsAre("kill o1")) << "it may be there, or may come to be";
  EXPECT_THAT(stopped(failed), ElementsAre("list"));
  EXPECT_THAT(no_list(), IsEmpty()) << "it may be there";
  EXPECT_THAT(pass(milliseconds{99}), IsEmpty());
  EXPECT_THAT(pass(milliseconds{1}), ElementsAre("list"));
  EXPECT_THAT(lists(""), ElementsAre("not started: no credit"));
}

TEST_F(HookRoomsTest, a_room_whose_start_failed_and_that_is_there_is_stopped_until_it_is_not) {
  start();
  lists("");
  started(failed);
  stopped(well);
  EXPECT_THAT(lists("o1\n"), IsEmpty());
  EXPECT_THAT(pass(milliseconds{100}), ElementsAre("kill o1"));
  EXPECT_THAT(stopped(well), ElementsAre("list"));
  EXPECT_THAT(lists(""), ElementsAre("not started: no credit"));
}

TEST_F(HookRoomsTest, a_list_that_was_under_way_when_a_start_failed_tells_nothing_of_it) {
  start(2);
  lists("");
  started({"", "host 7"}, 2);
  start(1);
  lists("o2\n");
  EXPECT_THAT(pass(seconds{2}), ElementsAre("list"));
  EXPECT_THAT(started(failed), ElementsAre("kill o1"));
  EXPECT_THAT(lists("o2\n"), IsEmpty());
  EXPECT_THAT(stopped(well), ElementsAre("list"));
  EXPECT_THAT(lists("o2\n"), ElementsAre("not started: no credit"));
}

TEST_F(HookRoomsTest, an_answer_that_names_no_place_is_a_start_that_failed) {
  for (const std::string line : {"", "host", "host 0", "host 70000", "host 7 query", "h/ost 7",
                                 "host 7 default=8", "host 7 q=8 q=9"}) {
    HookRooms fresh{{}};
    std::swap(rooms, fresh);
    start();
    lists("");
    EXPECT_THAT(started({"", line + "\nmore\n"}), ElementsAre("kill o1")) << line;
  }
}

TEST_F(HookRoomsTest, what_appears_after_its_start_was_given_up_is_stopped) {
  start();
  lists("");
  started(failed);
  stopped(failed);
  lists("");
  EXPECT_THAT(pass(seconds{2}), ElementsAre("list"));
  EXPECT_THAT(lists("o1\n"), ElementsAre("kill o1"));
  EXPECT_THAT(stopped(failed), ElementsAre("list"));
  EXPECT_THAT(lists(""), IsEmpty()) << "its room heard of its end before";
  EXPECT_THAT(pass(minutes{10}), ElementsAre("forget o1"));
  EXPECT_EQ(rooms.next_tick(), TimePoint::max());
}

TEST_F(HookRoomsTest, starts_that_were_given_up_are_remembered_within_a_bound) {
  HookRooms fresh{{.most_remembered = 1}};
  std::swap(rooms, fresh);
  start(1);
  lists("");
  started(failed, 1);
  stopped(well);
  lists("");
  start(2);
  pass(seconds{2});
  lists("");
  started(failed, 2);
  stopped(well, 2);
  EXPECT_THAT(lists(""), ElementsAre("not started: no credit", "forget o1"));
}

TEST_F(HookRoomsTest, a_running_room_has_ended_when_two_lists_in_a_row_do_not_show_it) {
  run_one();
  EXPECT_THAT(pass(milliseconds{1999}), IsEmpty());
  EXPECT_THAT(pass(milliseconds{1}), ElementsAre("list"));
  EXPECT_THAT(lists(""), IsEmpty());
  pass(seconds{2});
  EXPECT_THAT(lists("o1\n"), IsEmpty());
  pass(seconds{2});
  EXPECT_THAT(lists(""), IsEmpty());
  pass(seconds{2});
  EXPECT_THAT(lists(""), ElementsAre("ended: it is not listed any more", "forget o1"));
  EXPECT_THAT(pass(minutes{1}), IsEmpty()) << "nothing is there to be looked for";
}

TEST_F(HookRoomsTest, a_list_that_fails_tells_nothing_and_is_repeated_ever_more_slowly) {
  run_one();
  pass(seconds{2});
  Duration waited{};
  for (int i = 0; i < 12; ++i) {
    EXPECT_THAT(no_list(), IsEmpty());
    waited = rooms.next_tick() - now;
    EXPECT_THAT(pass(waited), ElementsAre("list"));
  }
  EXPECT_EQ(waited, seconds{30});
  EXPECT_THAT(lists("o1\n"), IsEmpty());
}

TEST_F(HookRoomsTest, a_stop_is_repeated_ever_more_slowly_until_no_list_shows_the_room) {
  run_one();
  EXPECT_THAT(end(true), ElementsAre("kill o1"));
  Duration waited{};
  for (int i = 0; i < 12; ++i) {
    EXPECT_THAT(stopped(i % 2 == 0 ? failed : well), ElementsAre("list"));
    EXPECT_THAT(lists("o1\n"), IsEmpty());
    EXPECT_THAT(end(true), IsEmpty()) << "it is being ended";
    waited = rooms.next_tick() - now;
    EXPECT_THAT(pass(waited), ElementsAre("kill o1"));
  }
  EXPECT_EQ(waited, seconds{30});
  stopped(well);
  EXPECT_THAT(lists(""), ElementsAre("ended: it was stopped", "forget o1"));
}

TEST_F(HookRoomsTest, a_game_is_asked_once_and_again_only_if_that_failed) {
  run_one();
  EXPECT_THAT(end(false), ElementsAre("ask o1"));
  EXPECT_THAT(stopped(failed), IsEmpty());
  EXPECT_THAT(pass(milliseconds{100}), ElementsAre("ask o1"));
  EXPECT_THAT(stopped(well), IsEmpty());
  EXPECT_THAT(end(true), ElementsAre("kill o1"));
}

TEST_F(HookRoomsTest, the_end_of_a_game_that_was_asked_is_looked_for_more_often) {
  run_one();
  end(false);
  stopped(well);
  EXPECT_THAT(pass(milliseconds{500}), ElementsAre("list"));
  EXPECT_THAT(lists("o1\n"), IsEmpty());
  EXPECT_THAT(pass(milliseconds{500}), ElementsAre("list"));
  EXPECT_THAT(lists(""), ElementsAre("ended: it is not listed any more", "forget o1"));
}

TEST_F(HookRoomsTest, a_room_that_is_closed_while_it_starts_never_begins) {
  start(1);
  start(2);
  EXPECT_THAT(end(false), ElementsAre("not started: it was closed before it began", "forget o1"));
  lists("");
  lists("");
  step([&](auto& out) { rooms.end("o2", true, now, out); });
  EXPECT_THAT(started({"", "host 7"}, 2), ElementsAre("record place of o2", "kill o2"));
}

TEST_F(HookRoomsTest, only_so_many_commands_run_at_a_time) {
  for (std::uint32_t room = 1; room <= 4; ++room) start(room);
  lists("");
  EXPECT_THAT(lists(""), ElementsAre("record o2", "start o2"));
  EXPECT_EQ(rooms.waiting(), 2U);
  EXPECT_THAT(started({"", "host 7"}, 1),
              ElementsAre("record place of o1", "begun at host:7", "record o3", "start o3"));
}

TEST_F(HookRoomsTest, an_adopted_room_is_where_it_was_and_one_without_a_place_is_stopped) {
  const wire::RoomPlace place{"host", {{"game", 7}}};
  EXPECT_THAT(step([&](auto& out) { rooms.adopt(RoomNumber{1}, "o1", "l", place, now, out); }),
              ElementsAre("found at host:7", "list"));
  EXPECT_THAT(
      step([&](auto& out) { rooms.adopt(RoomNumber{2}, "o2", "l", std::nullopt, now, out); }),
      ElementsAre("kill o2"));
}

TEST_F(HookRoomsTest, what_nobody_adopts_is_stopped_and_nobody_is_told) {
  EXPECT_THAT(step([&](auto& out) { rooms.end_other("o1", "l", now, out); }),
              ElementsAre("kill o1"));
  EXPECT_TRUE(rooms.any());
  stopped(well);
  EXPECT_THAT(lists("o3\n"), IsEmpty());
  EXPECT_FALSE(rooms.any());
}

}  // namespace
}  // namespace fixkeep::worker
