// The commands of a hook as processes, and what is recorded of them.
#include "worker/runner/hook/hook_commands.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <boost/asio/io_context.hpp>
#include <fstream>
#include <optional>

#include "common/process/proc.hpp"
#include "tests/support/temporary_folder.hpp"
#include "worker/runner/hook/hook_records.hpp"

namespace fixkeep::worker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct HookCommandsTest : testing::Test {
  void run(const std::string& script, milliseconds limit = seconds{60}) {
    answer.reset();
    commands.run({"/bin/sh", {"sh", "-c", script}, {"PATH=/usr/bin:/bin", "WORD=hello"}, limit},
                 [this](const HookAnswer& told) {
                   EXPECT_FALSE(answer) << "told twice";
                   answer = told;
                 });
    EXPECT_FALSE(answer) << "told from within";
  }
  const HookAnswer& result() {
    const auto until = std::chrono::steady_clock::now() + seconds{60};
    while (!answer && std::chrono::steady_clock::now() < until) {
      context.restart();
      context.run_one_for(milliseconds{50});
    }
    if (!answer) throw std::runtime_error{"it never answers"};
    return *answer;
  }
  const HookAnswer& result_of(const std::string& script, milliseconds limit = seconds{60}) {
    run(script, limit);
    return result();
  }

  boost::asio::io_context context{1};
  HookCommands commands{context};
  std::optional<HookAnswer> answer;
};

// A command that writes its number into the file, and lasts.
std::string lasting_as(const std::filesystem::path& file) {
  const auto name = file.string();
  return "echo $$ > " + name + ".new; mv " + name + ".new " + name + "; exec sleep 600";
}

// Waits until a command has written its number into the file.
pid_t number_in(const std::filesystem::path& file) {
  pid_t number = 0;
  const auto until = std::chrono::steady_clock::now() + seconds{60};
  while (number == 0 && std::chrono::steady_clock::now() < until) std::ifstream{file} >> number;
  return number;
}

bool ends(pid_t process) {
  const auto until = std::chrono::steady_clock::now() + seconds{60};
  while (process::alive(process) && std::chrono::steady_clock::now() < until) ::usleep(5000);
  return !process::alive(process);
}

TEST_F(HookCommandsTest, answer_with_what_they_wrote) {
  EXPECT_EQ(result_of("echo $WORD; echo aside >&2").output, "hello\n");
  EXPECT_EQ(answer->problem, "");
}

TEST_F(HookCommandsTest, that_fail_give_their_last_line_as_the_reason) {
  EXPECT_EQ(result_of("echo out; echo one >&2; printf 'two\\033[1m\\n\\n' >&2; exit 3").problem,
            "two\\u001b[1m (exit code 3)");
  EXPECT_EQ(result_of("echo out; exit 4").problem, "out (exit code 4)");
  EXPECT_EQ(result_of("kill -KILL $$").problem, "signal SIGKILL");
}

TEST_F(HookCommandsTest, that_cannot_be_executed_say_so) {
  commands.run({"/no/such", {"/no/such"}, {}, seconds{60}},
               [this](const HookAnswer& told) { answer = told; });
  EXPECT_THAT(result().problem, testing::StartsWith("cannot execute /no/such: No such file"));
}

TEST_F(HookCommandsTest, are_killed_with_their_group_when_their_time_is_over) {
  test::TemporaryFolder folder;
  const auto file = folder / "child";
  EXPECT_EQ(result_of("trap '' TERM; sleep 600 & echo $! > " + file.string() + "; wait",
                      milliseconds{300})
                .problem,
            "it took longer than 300 ms");
  pid_t child = 0;
  std::ifstream{file} >> child;
  if (child == 0) return;  // its time was over before it got so far
  EXPECT_TRUE(ends(child));
}

TEST_F(HookCommandsTest, are_not_waited_for_by_what_they_leave_behind) {
  EXPECT_EQ(result_of("echo here; setsid sleep 20 & exit 0", seconds{60}).output, "here\n");
}

TEST_F(HookCommandsTest, that_write_without_end_are_held_within_a_bound) {
  const auto before = process::peak_memory(::getpid());
  EXPECT_THAT(result_of("yes & yes >&2 & sleep 0.5; kill 0").problem, testing::Not(""));
  EXPECT_LT(process::peak_memory(::getpid()), before + (64U << 20U));
  EXPECT_EQ(result_of("head -c 5000000 /dev/zero | tr '\\0' '\\n'").problem, "it writes too much");
}

TEST_F(HookCommandsTest, end_with_whoever_runs_them) {
  test::TemporaryFolder folder;
  std::optional<HookCommands> others{context};
  others->run(
      {"/bin/sh", {"sh", "-c", lasting_as(folder / "leader")}, {"PATH=/usr/bin:/bin"}, seconds{60}},
      [](const HookAnswer&) { ADD_FAILURE() << "told"; });
  const auto leader = number_in(folder / "leader");
  ASSERT_NE(leader, 0);
  others.reset();
  EXPECT_FALSE(process::alive(leader));
}

TEST_F(HookCommandsTest, end_with_a_worker_that_is_killed) {
  test::TemporaryFolder folder;
  const pid_t worker = ::fork();
  if (worker == 0) {
    run(lasting_as(folder / "leader"));
    ::pause();
    ::_exit(0);
  }
  const auto leader = number_in(folder / "leader");
  ::kill(worker, SIGKILL);
  ::waitpid(worker, nullptr, 0);
  ASSERT_NE(leader, 0);
  EXPECT_TRUE(ends(leader));
}

TEST(HookRecords, are_read_as_they_were_written) {
  test::TemporaryFolder folder;
  const HookRecords records{folder.string() + "/hook"};
  std::map<std::string, HookRecord, std::less<>> found;
  ASSERT_EQ(records.open(found), "");
  HookRecord record{{"stop", "o1"}, {"list", ""}, {"A=b\n"}, seconds{3}, std::nullopt};
  EXPECT_EQ(records.write("o1", record), "");
  record.place = wire::RoomPlace{"host", {{"default", 7}, {"query", 8}}};
  EXPECT_EQ(records.write("o2", record), "");
  EXPECT_EQ(records.write("o3", record), "");
  records.remove("o3");
  ASSERT_EQ(records.open(found), "");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.at("o2"), record);
  EXPECT_FALSE(found.at("o1").place);
  struct stat shown {};
  ASSERT_EQ(::stat((folder / "hook/o2").c_str(), &shown), 0);
  EXPECT_EQ(shown.st_mode & 0777U, 0600U) << "its environment may hold secrets of the studio";
}

TEST(HookRecords, that_are_cut_or_damaged_are_none) {
  const HookRecord record{
      {"stop"}, {"list"}, {"A=b"}, seconds{3}, wire::RoomPlace{"host", {{"default", 7}}}};
  const auto text = to_text(record);
  EXPECT_EQ(to_hook_record(text), record);
  std::size_t taken = 0;
  for (std::size_t i = 0; i < text.size(); ++i) taken += to_hook_record(text.substr(0, i)) ? 1 : 0;
  EXPECT_EQ(taken, 0U);
}

}  // namespace
}  // namespace fixkeep::worker
