// When which command of a hook is run, and what is made of its answer. The test answers the
// commands.
#include "worker/runner/hook/hook_engine.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "tests/support/temporary_folder.hpp"
#include "worker/runner/hook/hook_records.hpp"

namespace fixkeep::worker {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const HookAnswer failed{"no credit", ""};
const HookAnswer well{"", ""};
const HookAnswer placed{"", "host 7\n"};
constexpr auto not_listed = "ended: it is not listed any more";

// A command is written as a word and the name of its object.
struct Asked {
  std::string word;
  HookCommands::Done done;
};

struct HookEngineTest : testing::Test {
  HookEngineTest() { make(); }
  ~HookEngineTest() override { runner->leave(); }

  // As the next run of the worker, if there was one.
  void make() {
    asked.clear();
    runner = make_hook_runner(context, {.state_folder = folder.string()}, options());
    EXPECT_EQ(runner->open(), "");
  }
  void make(const HookOptions& with) {
    chosen = with;
    runner->leave();
    runner.reset();
    make();
    runner->end_others();
  }
  HookOptions options() {
    HookOptions all = chosen;
    all.run = [this](const HookCommand& command, HookCommands::Done done) {
      asked.push_back({word_of(command), std::move(done)});
      if (asked.back().word.starts_with("start")) was_recorded = is_recorded("o1");
    };
    return all;
  }
  static std::string word_of(const HookCommand& command) {
    std::string word = command.words.front();
    std::string object;
    for (const std::string& each : command.environment) {
      if (each.starts_with("FIXKEEP_STOP=")) word = each.substr(13);
      if (each.starts_with("FIXKEEP_OBJECT=")) object = " " + each.substr(15);
    }
    return word + object;
  }

  static std::string name(std::uint32_t room) { return "o" + std::to_string(room); }
  static Launch launch(std::uint32_t room) {
    Launch launch;
    launch.name = "room-" + std::to_string(room);
    launch.object = name(room);
    launch.game.command = {"start"};
    launch.stop_command = {"stop"};
    launch.list_command = {"list"};
    launch.note = "its SDK does not outlive the worker";
    launch.follow = true;
    return launch;
  }
  GameRunner::Handlers handlers(std::uint32_t room) {
    const auto tell = [this, room](const std::string& what) { told[room].push_back(what); };
    return {
        .placed =
            [tell](const auto& place) { tell(place.host + ":" + std::to_string(place.port())); },
        .begun = [tell] { tell("begun"); },
        .ended =
            [tell](const GameEnd& end) {
              const bool ran = end.kind != GameEnd::Kind::not_started;
              tell((ran ? "ended: " : "not started: ") + end.how);
            }};
  }
  void start(std::uint32_t room = 1) {
    runner->start(RoomNumber{room}, launch(room), handlers(room));
    poll();
  }
  void end(std::uint32_t room = 1) {
    runner->ask_to_end(RoomNumber{room});
    poll();
  }
  void kill(std::uint32_t room = 1) {
    runner->kill(RoomNumber{room});
    poll();
  }
  void adopt(std::uint32_t room) {
    runner->adopt(RoomNumber{room}, launch(room), handlers(room));
    poll();
  }
  void poll() {
    context.restart();
    context.poll();
  }
  // The commands that run.
  [[nodiscard]] std::vector<std::string> running() const {
    std::vector<std::string> words;
    for (const Asked& each : asked) words.push_back(each.word);
    return words;
  }
  auto find(const std::string& word) {
    return std::find_if(asked.begin(), asked.end(),
                        [&](const auto& each) { return each.word == word; });
  }
  // Waits for a command, and answers it.
  void answer(const std::string& word, const HookAnswer& answer) {
    const auto until = steady_clock::now() + seconds{60};
    while (find(word) == asked.end() && steady_clock::now() < until) {
      context.restart();
      context.run_one_for(milliseconds{20});
    }
    const auto found = find(word);
    if (found == asked.end()) throw std::runtime_error{word + " does not run"};
    const auto done = std::move(found->done);
    asked.erase(found);
    done(answer);
    poll();
  }
  void lists(const std::string& names) { answer("list", {"", names}); }
  void run_one(std::uint32_t room = 1) {
    start(room);
    lists("");
    answer("start " + name(room), placed);
    told[room].clear();
  }
  // Its start failed, and no list shows it.
  void give_up(std::uint32_t room) {
    start(room);
    lists("");
    answer("start " + name(room), failed);
    answer("kill " + name(room), well);
    lists("");
    EXPECT_THAT(told[room], ElementsAre("not started: no credit"));
    told[room].clear();
  }
  void record(std::uint32_t room, std::optional<wire::RoomPlace> place) {
    const HookRecord record{.stop = {"stop"},
                            .list = {"list"},
                            .environment = {"FIXKEEP_OBJECT=" + name(room)},
                            .limit = seconds{1},
                            .place = std::move(place)};
    EXPECT_EQ(HookRecords{folder.string() + "/hook"}.write(name(room), record), "");
  }
  [[nodiscard]] bool is_recorded(const std::string& object) const {
    return std::filesystem::exists(folder / "hook" / object);
  }
  [[nodiscard]] std::optional<wire::RoomPlace> recorded_place(const std::string& object) const {
    std::map<std::string, HookRecord, std::less<>> found;
    EXPECT_EQ(HookRecords{folder.string() + "/hook"}.open(found), "");
    return found.at(object).place;
  }

  const test::TemporaryFolder folder;
  boost::asio::io_context context{1};
  // No list runs that was not asked for.
  HookOptions chosen{.at_once = 2,
                     .look_every = hours{1},
                     .look_for_the_end_every = hours{1},
                     .first_pause = milliseconds{1}};
  std::vector<Asked> asked;
  std::map<std::uint32_t, std::vector<std::string>> told;
  bool was_recorded = false;  // the first room, when a start began
  std::shared_ptr<GameRunner> runner;
};

TEST_F(HookEngineTest, a_room_is_started_when_its_name_is_free) {
  start();
  EXPECT_THAT(running(), ElementsAre("list"));
  lists("o2\n");
  EXPECT_THAT(running(), ElementsAre("start o1"));
  EXPECT_TRUE(was_recorded) << "the next run has to know of it";
  EXPECT_EQ(recorded_place("o1"), std::nullopt);
  answer("start o1", {"", "host 7 query=8\n"});
  EXPECT_THAT(told[1], ElementsAre("host:7", "begun"));
  EXPECT_EQ(recorded_place("o1")->ports.size(), 2U);
  EXPECT_THAT(running(), IsEmpty());
}

TEST_F(HookEngineTest, output_and_notes_are_not_kept) {
  EXPECT_EQ(runner->traits().outputs, nullptr);
  EXPECT_EQ(runner->traits().notes, nullptr);
  run_one();
  EXPECT_FALSE(std::filesystem::exists(folder / "notes"));
}

TEST_F(HookEngineTest, a_name_that_is_taken_is_left_alone) {
  start();
  lists("o1\n");
  EXPECT_THAT(told[1], ElementsAre("not started: there is a o1 already, and it is not ours"));
  EXPECT_THAT(running(), IsEmpty());
  EXPECT_FALSE(is_recorded("o1"));
}

TEST_F(HookEngineTest, a_list_that_began_before_tells_nothing_of_a_room) {
  start(1);
  start(2);
  EXPECT_THAT(running(), ElementsAre("list")) << "one list at a time";
  lists("o2\n");
  EXPECT_THAT(running(), ElementsAre("start o1", "list"));
  lists("o1\n");
  EXPECT_THAT(running(), ElementsAre("start o1", "start o2"));
}

TEST_F(HookEngineTest, nothing_is_started_while_rooms_cannot_be_listed) {
  start();
  answer("list", failed);
  EXPECT_THAT(told[1], ElementsAre("not started: cannot list rooms: no credit"));
  EXPECT_THAT(running(), IsEmpty());
}

TEST_F(HookEngineTest, a_start_that_failed_is_stopped_and_looked_for_and_ends_with_its_reason) {
  start();
  lists("");
  answer("start o1", failed);
  EXPECT_THAT(running(), ElementsAre("kill o1")) << "it may be there, or may come to be";
  answer("kill o1", failed);
  EXPECT_THAT(running(), ElementsAre("list"));
  answer("list", failed);
  EXPECT_THAT(told[1], IsEmpty()) << "it may be there";
  lists("");
  EXPECT_THAT(told[1], ElementsAre("not started: no credit"));
}

TEST_F(HookEngineTest, a_room_whose_start_failed_and_that_is_there_is_stopped_until_it_is_not) {
  start();
  lists("");
  answer("start o1", failed);
  answer("kill o1", well);
  lists("o1\n");
  EXPECT_THAT(running(), ElementsAre("kill o1"));
  answer("kill o1", well);
  EXPECT_THAT(told[1], IsEmpty());
  lists("");
  EXPECT_THAT(told[1], ElementsAre("not started: no credit"));
}

TEST_F(HookEngineTest, a_list_that_was_under_way_when_a_stop_answered_tells_nothing_of_it) {
  start(1);
  lists("");
  start(2);
  answer("start o1", failed);
  answer("kill o1", well);
  lists("");
  EXPECT_THAT(told[1], IsEmpty());
  lists("");
  EXPECT_THAT(told[1], ElementsAre("not started: no credit"));
}

TEST_F(HookEngineTest, a_list_that_was_under_way_when_a_room_began_tells_nothing_of_it) {
  make({.look_every = milliseconds{0}, .first_pause = milliseconds{1}});
  start(1);
  lists("");
  start(2);
  answer("start o1", placed);
  told[1].clear();
  lists("");
  lists("");
  EXPECT_THAT(told[1], IsEmpty()) << "only one list counts";
  lists("");
  EXPECT_THAT(told[1], ElementsAre(not_listed));
}

TEST_F(HookEngineTest, an_answer_that_names_no_place_is_a_start_that_failed) {
  std::uint32_t room = 0;
  for (const std::string line : {"", "host", "host 0", "host 70000", "host 7 query", "h/ost 7",
                                 "host 7 default=8", "host 7 q=8 q=9"}) {
    start(++room);
    lists("");
    answer("start " + name(room), {"", line + "\nmore\n"});
    answer("kill " + name(room), well);
    lists("");
    EXPECT_THAT(told[room], ElementsAre(testing::HasSubstr("its first line must be"))) << line;
  }
}

TEST_F(HookEngineTest, what_appears_after_its_start_was_given_up_is_stopped) {
  make({.look_every = milliseconds{0}, .first_pause = milliseconds{1}});
  give_up(1);
  lists("");
  EXPECT_TRUE(is_recorded("o1"));
  lists("o1\n");
  EXPECT_THAT(running(), ElementsAre("kill o1"));
  answer("kill o1", failed);
  lists("o1\n");
  answer("kill o1", well);
  lists("");
  EXPECT_THAT(told[1], IsEmpty()) << "its room heard of its end before";
  EXPECT_TRUE(is_recorded("o1")) << "it may appear again";
  lists("o1\n");
  EXPECT_THAT(running(), ElementsAre("kill o1"));
}

TEST_F(HookEngineTest, a_start_that_was_given_up_is_forgotten_at_some_time) {
  make({.look_every = milliseconds{0}, .remembered = milliseconds{1}});
  give_up(1);
  const auto until = steady_clock::now() + seconds{60};
  while (is_recorded("o1") && steady_clock::now() < until) lists("");
  EXPECT_FALSE(is_recorded("o1"));
  poll();
  EXPECT_THAT(running(), IsEmpty()) << "nothing is there to be looked for";
}

TEST_F(HookEngineTest, starts_that_were_given_up_are_remembered_within_a_bound) {
  make({.look_every = hours{1}, .most_remembered = 1});
  give_up(1);
  EXPECT_TRUE(is_recorded("o1"));
  give_up(2);
  EXPECT_FALSE(is_recorded("o1"));
  EXPECT_TRUE(is_recorded("o2"));
}

TEST_F(HookEngineTest, a_running_room_is_looked_for_only_now_and_then) {
  make({.look_every = milliseconds{100}});
  const auto before = steady_clock::now();
  run_one();
  for (int i = 0; i < 3; ++i) lists("o1\n");
  EXPECT_GE(steady_clock::now() - before, milliseconds{300});
}

TEST_F(HookEngineTest, a_running_room_has_ended_when_two_lists_in_a_row_do_not_show_it) {
  make({.look_every = milliseconds{0}});
  run_one();
  for (const auto* names : {"", "o1\n", "", "o1\n", ""}) lists(names);
  EXPECT_THAT(told[1], IsEmpty());
  EXPECT_TRUE(is_recorded("o1"));
  lists("");
  EXPECT_THAT(told[1], ElementsAre(not_listed));
  EXPECT_FALSE(is_recorded("o1"));
  EXPECT_THAT(running(), IsEmpty()) << "nothing is there to be looked for";
}

TEST_F(HookEngineTest, a_list_that_fails_tells_nothing_and_is_repeated_ever_more_slowly) {
  make({.look_every = milliseconds{0},
        .first_pause = milliseconds{10},
        .longest_pause = milliseconds{40}});
  run_one();
  const auto before = steady_clock::now();
  for (int i = 0; i < 5; ++i) answer("list", failed);
  EXPECT_GE(steady_clock::now() - before, milliseconds{10 + 20 + 40 + 40});
  lists("o1\n");
  EXPECT_THAT(told[1], IsEmpty());
}

TEST_F(HookEngineTest, a_stop_is_repeated_ever_more_slowly_until_no_list_shows_the_room) {
  run_one();
  const auto before = steady_clock::now();
  kill();
  for (const HookAnswer& stopped : {failed, well, well}) {
    EXPECT_THAT(running(), ElementsAre("kill o1"));
    answer("kill o1", stopped);
    kill();
    EXPECT_EQ(find("kill o1"), asked.end()) << "it is being ended";
    lists("o1\n");
  }
  EXPECT_GE(steady_clock::now() - before, milliseconds{100 + 200});
  answer("kill o1", well);
  EXPECT_THAT(told[1], IsEmpty());
  lists("");
  EXPECT_THAT(told[1], ElementsAre(not_listed));
  EXPECT_FALSE(is_recorded("o1"));
}

TEST_F(HookEngineTest, a_game_is_asked_once_and_again_only_if_that_failed) {
  run_one();
  end();
  answer("ask o1", failed);
  lists("o1\n");
  EXPECT_THAT(running(), ElementsAre("ask o1"));
  answer("ask o1", well);
  end();
  EXPECT_THAT(running(), IsEmpty());
  kill();
  EXPECT_THAT(running(), ElementsAre("kill o1"));
}

TEST_F(HookEngineTest, a_game_is_killed_at_once_although_it_could_not_be_asked) {
  run_one();
  end();
  for (int i = 0; i < 3; ++i) {
    answer("ask o1", failed);
    lists("o1\n");
  }
  answer("ask o1", failed);  // the next one would be asked after a pause
  kill();
  EXPECT_THAT(running(), ElementsAre("list")) << "the last answer may be wrong";
  lists("o1\n");
  EXPECT_THAT(running(), ElementsAre("kill o1"));
}

TEST_F(HookEngineTest, the_end_of_a_game_that_was_asked_is_looked_for_more_often) {
  make({.look_every = hours{1}, .look_for_the_end_every = milliseconds{0}});
  run_one();
  EXPECT_THAT(running(), IsEmpty());
  end();
  answer("ask o1", well);
  lists("o1\n");
  lists("o1\n");
  lists("");
  EXPECT_THAT(told[1], ElementsAre(not_listed)) << "it is not wanted any more: one list tells";
}

TEST_F(HookEngineTest, a_room_that_is_closed_while_it_starts_never_begins) {
  start(1);
  end(1);
  lists("");
  EXPECT_THAT(told[1], ElementsAre("not started: it was closed before it began"));
  EXPECT_THAT(running(), IsEmpty());
  EXPECT_FALSE(is_recorded("o1"));
  for (const bool hard : {true, false}) {
    const std::uint32_t room = hard ? 2 : 3;
    start(room);
    lists("");
    hard ? kill(room) : end(room);
    answer("start " + name(room), placed);
    answer("kill " + name(room), well);
    lists("");
    EXPECT_THAT(told[room], ElementsAre("not started: it was closed before it began"));
    EXPECT_EQ(recorded_place(name(room)), std::nullopt) << "it may appear later";
  }
}

TEST_F(HookEngineTest, only_so_many_commands_run_at_a_time_and_stops_go_first) {
  for (std::uint32_t room = 1; room <= 5; ++room) start(room);
  lists("");
  EXPECT_THAT(running(), ElementsAre("start o1", "list"));
  lists("");
  EXPECT_THAT(running(), ElementsAre("start o1", "start o2"));
  kill(5);
  answer("start o1", placed);
  EXPECT_THAT(told[1], ElementsAre("host:7", "begun"));
  EXPECT_THAT(running(), ElementsAre("start o2", "start o3"));
  kill(1);
  EXPECT_THAT(running(), ElementsAre("start o2", "start o3"));
  answer("start o2", placed);
  EXPECT_THAT(running(), ElementsAre("start o3", "kill o1"));
  answer("start o3", placed);
  EXPECT_THAT(running(), ElementsAre("kill o1", "start o4"));
  answer("start o4", placed);
  EXPECT_THAT(told[5], ElementsAre("not started: it was closed before it began"));
}

TEST_F(HookEngineTest, an_adopted_room_is_where_it_was_and_one_without_a_place_is_stopped) {
  record(1, wire::RoomPlace{"host", {{"game", 7}}});
  record(2, std::nullopt);
  runner->leave();
  make();
  adopt(1);
  EXPECT_THAT(told[1], ElementsAre("host:7")) << "it ran before";
  EXPECT_THAT(running(), ElementsAre("list"));
  adopt(2);
  adopt(3);
  EXPECT_THAT(told[3], ElementsAre("not started: its worker ended before it was started"));
  runner->end_others();
  EXPECT_THAT(running(), ElementsAre("list", "kill o2"));
  answer("kill o2", well);
  lists("");
  EXPECT_THAT(told[1], ElementsAre("host:7")) << "one list tells nothing of it";
  lists("o1\n");
  EXPECT_THAT(told[2], ElementsAre("not started: cannot start: its worker ended before its start "
                                   "had answered"));
  EXPECT_TRUE(is_recorded("o2")) << "it may appear later";
}

TEST_F(HookEngineTest, what_nobody_adopts_is_stopped_until_no_list_shows_it) {
  record(1, wire::RoomPlace{"host", {{"game", 7}}});
  record(2, std::nullopt);
  runner->leave();
  make();
  EXPECT_THAT(running(), IsEmpty());
  runner->end_others();
  EXPECT_THAT(running(), UnorderedElementsAre("kill o1", "kill o2"));
  start(1);
  EXPECT_THAT(told[1], ElementsAre("not started: an earlier o1 has not ended yet"));
  answer("kill o1", well);
  answer("kill o2", failed);
  lists("o1\n");
  lists("o1\n");
  answer("kill o1", well);
  lists("");
  EXPECT_FALSE(is_recorded("o1"));
  EXPECT_TRUE(is_recorded("o2")) << "its start had not answered: it may appear later";
}

TEST_F(HookEngineTest, rooms_go_on_when_their_worker_leaves) {
  run_one();
  start(2);
  runner->leave();
  EXPECT_THAT(running(), ElementsAre("list")) << "no room is stopped";
  EXPECT_TRUE(is_recorded("o1"));
  answer("list", well);
  EXPECT_THAT(running(), IsEmpty()) << "nothing is started after that";
}

}  // namespace
}  // namespace fixkeep::worker
