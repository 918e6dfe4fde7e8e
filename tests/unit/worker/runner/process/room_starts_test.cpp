// How rooms get their keepers: one after another, from a starter that may be killed.
#include <fcntl.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>

#include "tests/unit/worker/runner/process/runner_fixture.hpp"
#include "worker/runner/process/room_starts.hpp"

namespace fixkeep::worker {
namespace {

namespace fs = std::filesystem;

struct RoomStartsTest : ProcessRunnerTest {
  ~RoomStartsTest() override {
    runner->stop();
    while (::waitpid(-1, nullptr, 0) > 0) continue;
  }
  void become(std::uint32_t at_once) {
    runner.reset();
    auto wanted = options();
    wanted.starts_at_once = at_once;
    runner = make_process_runner(context, wanted);
    ASSERT_EQ(runner->open(), "");
    runner->end_others();
  }
  [[nodiscard]] static pid_t starter() {
    const auto found = process::children_of(getpid());
    if (found.size() != 1) throw std::runtime_error{"there is not one starter"};
    return found.front();
  }
  static void stop_starter() {
    ::kill(starter(), SIGSTOP);
    while (!process::stopped(starter())) std::this_thread::sleep_for(milliseconds{1});
  }
  [[nodiscard]] bool begin(std::uint32_t room) {
    return run_until([&] { return std::count(begun.begin(), begun.end(), room) == 1; });
  }
  void sleeper(std::uint32_t room, Launch launch = {}) {
    launch.game.command = {"/bin/sleep", "600"};
    launch.name = name_of(room);
    runner->start(RoomNumber{room}, launch,
                  {.begun = [this, room] { begun.push_back(room); },
                   .ended = [this, room](const GameEnd& end) { ends.emplace(room, end); }});
  }

  std::vector<std::uint32_t> begun;
};

TEST_F(RoomStartsTest, a_start_never_waits_for_a_starter_that_does_nothing) {
  stop_starter();
  const auto before = std::chrono::steady_clock::now();
  for (std::uint32_t room = 1; room <= 50; ++room) sleeper(room);
  EXPECT_LT(std::chrono::steady_clock::now() - before, seconds{5}) << "it would wait for ever";
  int heartbeats = 0;
  boost::asio::steady_timer timer{context};
  std::function<void()> beat = [&] {
    timer.expires_after(milliseconds{5});
    timer.async_wait([&](boost::system::error_code error) {
      if (error) return;
      ++heartbeats;
      beat();
    });
  };
  beat();
  EXPECT_TRUE(run_until([&] { return heartbeats == 20; }));
  timer.cancel();
  EXPECT_TRUE(begun.empty());
  EXPECT_TRUE(ends.empty());
  EXPECT_GT(runner->waiting(), 20U);
  ::kill(starter(), SIGCONT);
  EXPECT_TRUE(run_until([&] { return begun.size() == 50; }));
  EXPECT_EQ(runner->waiting(), 0U);
}

TEST_F(RoomStartsTest, begin_in_their_order_and_so_many_at_a_time) {
  become(1);
  stop_starter();
  for (std::uint32_t room = 1; room <= 6; ++room) sleeper(room);
  EXPECT_EQ(runner->waiting(), 5U);
  ::kill(starter(), SIGCONT);
  ASSERT_TRUE(run_until([&] { return begun.size() == 6; }));
  EXPECT_THAT(begun, testing::ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(RoomStartsTest, one_that_is_closed_before_its_turn_never_runs) {
  become(1);
  stop_starter();
  for (std::uint32_t room = 1; room <= 4; ++room) sleeper(room);
  runner->kill(RoomNumber{3});
  runner->ask_to_end(RoomNumber{2});
  EXPECT_TRUE(ends.empty()) << "told from within";
  run_until_ended(2);
  EXPECT_EQ(ends[3].kind, GameEnd::Kind::not_started);
  EXPECT_EQ(ends[3].how, "it was closed before its turn came");
  EXPECT_TRUE(ends.contains(2));
  ::kill(starter(), SIGCONT);
  ASSERT_TRUE(begin(4));
  EXPECT_THAT(begun, testing::ElementsAre(1, 4));
  EXPECT_EQ(runner->running(), 2U);
}

TEST_F(RoomStartsTest, one_that_is_killed_while_it_is_on_its_way_ends_like_any_other) {
  stop_starter();
  sleeper(1);
  runner->kill(RoomNumber{1});
  ::kill(starter(), SIGCONT);
  run_until_ended(1);
  EXPECT_EQ(ends[1].how, "signal SIGKILL");
}

TEST_F(RoomStartsTest, go_on_when_the_starter_is_killed_and_another_one_starts_the_next) {
  sleeper(1);
  ASSERT_TRUE(begin(1));
  const pid_t first = starter();
  ::kill(first, SIGKILL);
  ASSERT_TRUE(run_until([] { return process::children_of(getpid()).empty(); }));
  sleeper(2);
  ASSERT_TRUE(begin(2));
  EXPECT_NE(starter(), first);
  EXPECT_TRUE(ends.empty());
  for (const std::uint32_t room : {1U, 2U}) {
    EXPECT_THAT(runner->traits().processes->of(RoomNumber{room}), testing::SizeIs(1));
    runner->kill(RoomNumber{room});
  }
  run_until_ended(2);
  EXPECT_EQ(ends[1].how, "signal SIGKILL") << "its keeper tells as ever";
}

TEST_F(RoomStartsTest, those_that_a_killed_starter_had_not_looked_at_are_started_by_the_next_one) {
  stop_starter();
  for (std::uint32_t room = 1; room <= 10; ++room) sleeper(room);
  ::kill(starter(), SIGKILL);
  EXPECT_TRUE(run_until([&] { return begun.size() == 10; }));
  EXPECT_TRUE(ends.empty());
  EXPECT_EQ(runner->running(), 10U);
  EXPECT_THAT(keepers(), testing::SizeIs(10)) << "none was started twice";
}

TEST_F(RoomStartsTest, a_room_is_given_up_when_no_starter_lives_long_enough) {
  const auto program = folder / "fixkeep-room-keeper";
  std::ofstream{program} << "#!/bin/sh\nexit 0\n";
  fs::permissions(program, fs::perms::owner_all);
  std::map<std::uint32_t, std::string> told;
  std::vector<std::shared_ptr<KeeperLink>> links;
  int prepared = 0;
  std::unique_ptr<RoomStarts> starts;
  starts = std::make_unique<RoomStarts>(
      context, std::vector<std::string>{folder.string()}, 2,
      RoomStarts::Hooks{
          .prepare =
              [&](RoomNumber) {
                ++prepared;
                return RoomStarts::Order{"plan", {}};
              },
          .handlers =
              [&](RoomNumber room) {
                return KeeperLink::Handlers{.heard = {}, .gone = [&, room] {
                                              if (!starts->gone(room, true)) told[room.number()];
                                            }};
              },
          .linked = [&](RoomNumber,
                        const std::shared_ptr<KeeperLink>& link) { links.push_back(link); },
          .failed = [&](RoomNumber room, const std::string& why,
                        bool) { told[room.number()] = why; }});
  starts->add(RoomNumber{1});
  starts->add(RoomNumber{2});
  EXPECT_TRUE(run_until([&] { return told.size() == 2; }));
  EXPECT_EQ(prepared, 2) << "once a room: it may have been given a user";
  EXPECT_EQ(starts->waiting(), 0U);
  EXPECT_LE(links.size(), 6U);
}

TEST_F(RoomStartsTest, a_room_says_that_there_is_no_starter) {
  std::string told;
  RoomStarts starts{context,
                    {folder.string()},
                    2,
                    {.prepare =
                         [](RoomNumber) {
                           return RoomStarts::Order{"plan", {}};
                         },
                     .handlers = [](RoomNumber) { return KeeperLink::Handlers{}; },
                     .linked = {},
                     .failed = [&](RoomNumber, const std::string& why,
                                   bool ours) { told = why + (ours ? "" : "!"); }}};
  starts.open();
  starts.add(RoomNumber{1});
  EXPECT_TRUE(run_until([&] { return !told.empty(); }));
  EXPECT_EQ(told, "cannot execute fixkeep-room-keeper: not in PATH");
}

TEST_F(RoomStartsTest, no_room_gets_a_descriptor_of_another_or_of_the_starter) {
  std::vector<fs::path> places;
  for (std::uint32_t room = 1; room <= 3; ++room) {
    places.push_back(folder / ("socket" + std::to_string(room)));
    const int own = ::open(places.back().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    sleeper(room, {.listeners = {own}});
    ASSERT_TRUE(begin(room));
    ::close(own);
  }
  // In a container of fewer rights one sees how many descriptors a keeper has, and not of what.
  const std::string unknown = "not for us to see";
  const auto open_in = [&](pid_t process) {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator{"/proc/" + std::to_string(process) + "/fd"}) {
      std::error_code refused;
      const auto file = fs::read_symlink(entry.path(), refused);
      found.push_back(refused ? unknown : file.string());
    }
    std::sort(found.begin(), found.end());
    return found;
  };
  for (const auto& file : open_in(starter())) {
    EXPECT_THAT(file, testing::AnyOf("/dev/null", testing::StartsWith("socket:"), unknown));
  }
  EXPECT_THAT(open_in(starter()), testing::SizeIs(4)) << "its three and its socket";
  for (const pid_t keeper : keepers()) {
    const auto files = open_in(keeper);
    // Its three, signals, its worker, its control, the output of its game, and the room's own.
    EXPECT_THAT(files, testing::SizeIs(8)) << testing::PrintToString(files);
    const auto of_rooms = std::count_if(files.begin(), files.end(), [&](const auto& file) {
      return std::find(places.begin(), places.end(), fs::path{file}) != places.end();
    });
    if (files.front() != unknown) EXPECT_EQ(of_rooms, 1);
    for (const pid_t game : process::children_of(keeper)) {
      EXPECT_THAT(open_in(game), testing::SizeIs(3));
    }
  }
}

TEST_F(RoomStartsTest, a_keeper_leads_a_session_of_its_own_and_outlives_its_starter) {
  sleeper(1, {.alone = seconds{60}});
  ASSERT_TRUE(begin(1));
  const pid_t keeper = only_keeper();
  EXPECT_EQ(::getsid(keeper), keeper);
  const auto status = contents("/proc/" + std::to_string(keeper) + "/status");
  EXPECT_NE(status.find("SigIgn:\t0000000000000000"), std::string::npos) << status;
  const pid_t one = starter();
  runner->leave();
  EXPECT_TRUE(dies_within(one, seconds{5})) << "it ends with its worker";
  EXPECT_TRUE(is_alive(keeper));
  ::kill(process::children_of(keeper).front(), SIGKILL);
  EXPECT_TRUE(dies_within(keeper, seconds{5}));
}

TEST_F(RoomStartsTest, a_worker_that_leaves_does_not_lose_those_that_are_on_their_way) {
  for (std::uint32_t room = 1; room <= 12; ++room) sleeper(room, {.alone = seconds{60}});
  EXPECT_GT(runner->waiting(), 0U);
  runner->leave();
  runner = make_process_runner(context, options());
  ASSERT_EQ(runner->open(), "");
  for (std::uint32_t room = 1; room <= 12; ++room) {
    EXPECT_TRUE(runner->traits().local->listeners_of(name_of(room))) << room;
  }
  runner->end_others();
}

TEST_F(RoomStartsTest, what_was_not_born_when_its_worker_left_never_runs) {
  stop_starter();
  sleeper(1, {.alone = seconds{60}});
  const pid_t one = starter();
  runner->stop();
  EXPECT_TRUE(dies_within(one, seconds{5}));
  EXPECT_FALSE(fs::exists(folder / "state/rooms" / name_of(1)));
  EXPECT_TRUE(begun.empty());
}

TEST_F(RoomStartsTest, a_command_for_a_room_that_waits_is_refused) {
  become(1);
  stop_starter();
  sleeper(1);
  sleeper(2);
  std::string problem;
  runner->traits().shell->run(RoomNumber{2}, {"true"}, seconds{1},
                              [&](const RoomShell::CommandEnd& end) { problem = end.problem; });
  EXPECT_TRUE(run_until([&] { return problem == "nothing of it runs"; }));
}

TEST_F(RoomStartsTest, a_note_of_a_room_that_waits_is_kept_for_the_next_run) {
  become(1);
  stop_starter();
  sleeper(1, {.alone = seconds{60}, .note = "first"});
  sleeper(2, {.alone = seconds{60}, .note = std::string{"a\0b", 3}});
  sleeper(3);
  runner->traits().notes->note(RoomNumber{1}, "second");
  ::kill(starter(), SIGCONT);
  ASSERT_TRUE(begin(3));
  runner->traits().notes->note(RoomNumber{2}, "third");
  runner->leave();
  runner = make_process_runner(context, options());
  ASSERT_EQ(runner->open(), "");
  EXPECT_EQ(runner->traits().notes->note_of(name_of(1)), "second");
  EXPECT_EQ(runner->traits().notes->note_of(name_of(2)), "third");
  EXPECT_EQ(runner->traits().notes->note_of(name_of(3)), std::nullopt) << "it ends with the worker";
}

}  // namespace
}  // namespace fixkeep::worker
