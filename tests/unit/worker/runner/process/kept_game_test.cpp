// What the keeper of a room does for its game.
#include <csignal>

#include "common/process/proc.hpp"
#include "tests/unit/worker/runner/process/runner_fixture.hpp"
#include "worker/runner/process/game_end.hpp"

namespace fixkeep::worker {
namespace {

struct KeptGame : ProcessRunnerTest {};

TEST_F(KeptGame, ends_what_a_game_has_started_in_sessions_of_their_own) {
  const auto file = folder / "child";
  shell(1, "setsid sh -c 'trap \"\" TERM; echo $$ > " + file.string() +
               "; sleep 600; sleep 600' & wait; sleep 600");
  const pid_t apart = wait_for_process(file);
  EXPECT_THAT(runner->traits().processes->of(RoomNumber{1}), testing::Contains(apart));
  runner->kill(RoomNumber{1});
  run_until_ended(1);
  EXPECT_FALSE(is_alive(apart)) << "it is gone when the end is told, not later";
}

TEST_F(KeptGame, says_that_a_program_went_into_the_background) {
  shell(1, "setsid sleep 600 & exit 0");
  run_until_ended(1);
  EXPECT_EQ(ends[1].left_behind, 1U);
  EXPECT_EQ(ends[1].how,
            "exit code 0; it left 1 process behind, which was killed (a server that goes into the "
            "background needs \"daemon\": true)");
}

TEST_F(KeptGame, follows_a_daemon_that_its_program_leaves_behind) {
  const auto file = folder / "daemon";
  start(1, {.game = {.command = {"/bin/sh", "-c",
                                 "setsid sh -c 'echo $$ > " + file.string() +
                                     "; exec sleep 600' & exit 0"},
                     .daemon = true}});
  const pid_t daemon = wait_for_process(file);
  context.run_for(milliseconds{100});
  EXPECT_TRUE(ends.empty());
  EXPECT_TRUE(is_alive(daemon));
  runner->ask_to_end(RoomNumber{1});
  run_until_ended(1);
  EXPECT_EQ(ends[1].how, "signal SIGTERM");
  EXPECT_FALSE(is_alive(daemon));
}

TEST_F(KeptGame, a_daemon_that_fails_before_it_leaves_ends_like_any_other) {
  start(1, {.game = {.command = {"/bin/sh", "-c", "sleep 600 & exit 4"}, .daemon = true}});
  run_until_ended(1);
  EXPECT_EQ(ends[1].how, "exit code 4; it left 1 process behind, which was killed");
}

TEST_F(KeptGame, gives_each_room_a_folder_of_its_own_with_its_files) {
  start(1, {.game = {.command = {"/bin/sh", "-c", "cat conf/server.cfg; pwd; echo saved > world"},
                     .files = {{"conf/server.cfg", "port 7777\n"}}}});
  run_until_ended(1);
  const auto own = runner->traits().local->folder_of(name_of(1));
  EXPECT_EQ(ends[1].last_lines, "port 7777\n" + own + "\n");
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path{own}.parent_path())) << "kept: never";
}

TEST_F(KeptGame, keeps_the_folder_of_a_room_as_it_is_told) {
  const auto play = [&](std::uint32_t room, KeepFolder keep, const std::string& script) {
    start(room, {.game = {.command = {"/bin/sh", "-c", "echo saved > world; " + script},
                          .keep_folder = keep}});
  };
  play(1, KeepFolder::always, "exit 0");
  play(2, KeepFolder::if_failed, "exit 0");
  play(3, KeepFolder::if_failed, "exit 1");
  play(4, KeepFolder::if_failed, "echo $$ > " + (folder / "four").string() + "; sleep 600");
  wait_for_file(folder / "four");
  runner->ask_to_end(RoomNumber{4});
  run_until_ended(4);
  const auto kept = [&](std::uint32_t room) {
    return std::filesystem::exists(runner->traits().local->folder_of(name_of(room)) + "/world");
  };
  EXPECT_TRUE(kept(1));
  EXPECT_FALSE(kept(2));
  EXPECT_TRUE(kept(3));
  EXPECT_FALSE(kept(4)) << "it was asked to end, so it has not failed";
}

TEST_F(KeptGame, runs_as_another_user_and_says_if_there_is_none) {
  start(1, {.game = {.command = {"/bin/true"}}, .user = "nobody-of-that-name"});
  run_until_ended(1);
  EXPECT_EQ(ends[1].how, "there is no user \"nobody-of-that-name\" on this machine");
  if (::geteuid() != 0) {
    start(2, {.game = {.command = {"/bin/true"}}, .user = "nobody"});
    run_until_ended(2);
    EXPECT_EQ(ends[2].how, "only root can run a game as another user (\"nobody\")");
    return;
  }
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  start(2, {.game = {.command = {"/bin/sh", "-c",
                                 "id -un; id -gn; echo saved > world; ls -ld . | cut -d' ' -f3"}},
            .user = "nobody"});
  run_until_ended(2);
  EXPECT_EQ(ends[2].how, "exit code 0");
  EXPECT_EQ(ends[2].last_lines, "nobody\nnogroup\nnobody\n");
}

TEST_F(KeptGame, runs_as_a_user_and_a_group_that_are_numbers) {
  ASSERT_EQ(::geteuid(), 0U) << "only root can run games as other users: run this as root";
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  const std::vector<std::string> ids{"/bin/sh", "-c", "id -u; id -G"};
  start(1, {.game = {.command = ids}, .user = "123456"});
  start(2, {.game = {.command = ids}, .user = "123456", .group = "123457"});
  start(3, {.game = {.command = ids}, .user = "65534"});
  run_until_ended(1);
  run_until_ended(2);
  run_until_ended(3);
  EXPECT_EQ(ends[1].last_lines, "123456\n123456\n");
  EXPECT_EQ(ends[2].last_lines, "123456\n123457\n");
  EXPECT_EQ(ends[3].last_lines, "65534\n65534\n");
}

TEST_F(KeptGame, stops_a_game_by_another_signal_or_by_a_command) {
  const auto wait_for_both = "; while :; do sleep 0.01; done";
  start(1, {.game = {.command = {"/bin/sh", "-c",
                                 "trap 'exit 5' INT; echo > " + (folder / "1").string() +
                                     wait_for_both}},
            .stop_signal = SIGINT});
  start(2, {.game = {.command = {"/bin/sh", "-c",
                                 "echo > " + (folder / "2").string() +
                                     "; until [ -e stop ]; do sleep 0.01; done; exit 6"}},
            .stop_command = {"touch", "stop"}});
  wait_for_file(folder / "1");
  wait_for_file(folder / "2");
  runner->ask_to_end(RoomNumber{1});
  runner->ask_to_end(RoomNumber{2});
  run_until_ended(2);
  EXPECT_EQ(ends[1].how, "exit code 5");
  EXPECT_EQ(ends[2].how, "exit code 6") << "the command runs in the room's folder";
}

TEST_F(KeptGame, runs_commands_for_a_room_within_their_limit) {
  shell(1, "sleep 600");
  std::map<int, RoomShell::CommandEnd> told;
  const auto run = [&](int which, std::vector<std::string> command, milliseconds limit) {
    runner->traits().shell->run(
        RoomNumber{1}, command, limit,
        [&told, which](RoomShell::CommandEnd end) { told[which] = std::move(end); });
  };
  run(1, {"sh", "-c", "echo $GREETING; exit 3"}, seconds{10});
  run(2, {"sh", "-c", "sleep 600 & sleep 600"}, milliseconds{100});
  run(3, {"no-such-program-anywhere"}, seconds{10});
  ASSERT_TRUE(run_until([&] { return told.size() == 3; }));
  EXPECT_EQ(told[1].exit_code, 3);
  EXPECT_EQ(told[1].text, "hello\n");
  EXPECT_EQ(told[2].exit_code, -1);
  EXPECT_EQ(told[2].problem, "it took too long");
  EXPECT_EQ(told[3].problem, "not in PATH");
  for (int which = 11; which <= 15; ++which) run(which, {"sleep", "600"}, seconds{60});
  ASSERT_TRUE(run_until([&] { return told.contains(15); }));
  EXPECT_EQ(told[15].problem, "too many commands at a time");
  runner->kill(RoomNumber{1});
  run_until_ended(1);
}

TEST_F(KeptGame, tells_what_a_game_writes_to_those_who_follow) {
  start(1,
        {.game = {.command =
                      {"/bin/sh", "-c",
                       "echo ready; until [ -e go ]; do sleep 0.01; done; echo more; echo > gone; "
                       "exec sleep 600"}},
         .follow = true});
  ASSERT_TRUE(run_until([&] { return wrote == "ready\n"; }));
  runner->traits().outputs->follow(RoomNumber{1}, false);
  context.run_for(milliseconds{20});
  const auto own = runner->traits().local->folder_of(name_of(1));
  std::ofstream{own + "/go"} << "x";
  wait_for_file(own + "/gone");
  context.run_for(milliseconds{20});
  EXPECT_EQ(wrote, "ready\n");
  runner->kill(RoomNumber{1});
  run_until_ended(1);
}

using KeptGameOnATerminal = KeptGame;

TEST_F(KeptGameOnATerminal, writes_line_by_line) {
  // A C program writes in blocks to a pipe; what it had not written yet dies with it.
  const std::vector<std::string> command{"/usr/bin/awk", "BEGIN { print \"up\"; for (;;) {} }"};
  start(1, {.game = {.command = command, .terminal = true}, .follow = true});
  ASSERT_TRUE(run_until([&] { return wrote == "up\n"; }));
  runner->kill(RoomNumber{1});
  run_until_ended(1);
}

TEST_F(KeptGame, a_game_that_writes_without_end_is_neither_slowed_nor_kept) {
  runner.reset();
  runner = make({.file_bytes = 65536});
  shell(1, "head -c 300000000 /dev/zero; echo; echo the end");
  run_until_ended(1);
  EXPECT_TRUE(ends[1].last_lines.ends_with("\nthe end\n"));
  for (const auto& entry : std::filesystem::directory_iterator{folder / "state/output"}) {
    EXPECT_LE(entry.file_size(), 65536U) << entry.path();
  }
}

TEST_F(KeptGame, output_that_cannot_be_kept_costs_the_game_nothing) {
  std::ofstream{folder / "state/output"} << "a file where the folder should be";
  runner.reset();
  runner = make({});
  shell(1, "head -c 3000000 /dev/zero; echo; echo the end");
  run_until_ended(1);
  EXPECT_EQ(ends[1].how, "exit code 0");
  EXPECT_TRUE(ends[1].last_lines.ends_with("\nthe end\n"));
}

TEST_F(KeptGame, that_ended_with_its_machine_is_not_told_as_one_whose_keeper_was_killed) {
  const RoomFiles files{folder.string()};
  EXPECT_EQ(nobody_knows(files, std::time(nullptr) + 60).how,
            "this machine was started again meanwhile");
  EXPECT_THAT(nobody_knows(files).how, testing::HasSubstr("its keeper ended without a word"));
  EXPECT_EQ(nobody_knows({files.folder + "/none"}).how, "its worker ended before its turn came");
}

TEST_F(KeptGame, what_a_killed_keeper_held_is_found_and_ended) {
  const auto file = folder / "child";
  Launch launch{
      .game = {.command = {"/bin/sh", "-c",
                           "export FIXKEEP_ROOM_ID=" + name_of(1) + "; setsid sh -c 'echo $$ > " +
                               file.string() + "; exec sleep 600' & exec sleep 600"}}};
  start(1, launch);
  const pid_t apart = wait_for_process(file);
  ::kill(only_keeper(), SIGKILL);
  run_until_ended(1);
  EXPECT_EQ(ends[1].kind, GameEnd::Kind::unknown);
  EXPECT_EQ(ends[1].how, "its keeper ended without a word, and the game with it: was it killed?");
  EXPECT_TRUE(dies_within(apart, seconds{5}));
}

TEST_F(KeptGame, what_a_killed_keeper_left_is_kept_as_it_would_have_kept_it) {
  const auto left_by = [&](std::uint32_t room, KeepFolder keep) {
    const auto told = folder / std::to_string(room);
    start(room, {.game = {.command = {"/bin/sh", "-c",
                                      "mkdir -p save; echo saved > save/world; echo $$ > " +
                                          told.string() + "; exec sleep 600"},
                          .keep_folder = keep}});
    (void)wait_for_process(told);
    const auto place = std::filesystem::path{runner->traits().local->folder_of(name_of(room))};
    EXPECT_TRUE(std::filesystem::exists(place / "save/world"));
    ::kill(only_keeper(), SIGKILL);
    run_until_ended(room);
    return place;
  };
  const auto removed = left_by(1, KeepFolder::never).parent_path();
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes{1};
  while (std::filesystem::exists(removed) && std::chrono::steady_clock::now() < until) {
    context.run_for(milliseconds{1});
  }
  EXPECT_FALSE(std::filesystem::exists(removed));
  EXPECT_TRUE(std::filesystem::exists(left_by(2, KeepFolder::if_failed) / "save/world"));
}

TEST_F(KeptGame, a_state_folder_belongs_to_one_worker) {
  const auto other = make_process_runner(
      context, {.cluster = "test", .worker = WorkerId{"w2"}, .state_folder = folder / "state"});
  EXPECT_THAT(other->open(), testing::HasSubstr("another worker runs with it"));
}

}  // namespace
}  // namespace fixkeep::worker
