#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "common/obs/log.hpp"
#include "common/process/self.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fixkeep::obs {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

// A folder of the test's own, with a pipe in it that has a name.
struct LogWriterTest : testing::Test {
  LogWriterTest() {
    pipe = (folder / "pipe").string();
    EXPECT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    EXPECT_GE(reader, 0);
    process::ignore_signals_of_writes();
  }
  ~LogWriterTest() override { ::close(reader); }

  [[nodiscard]] std::string read_pipe() const {
    std::string text;
    std::array<char, 65536> buffer{};
    while (true) {
      const auto bytes = ::read(reader, buffer.data(), buffer.size());
      if (bytes <= 0) return text;
      text.append(buffer.data(), static_cast<std::size_t>(bytes));
    }
  }

  static std::string contents(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream{file}.rdbuf();
    return text.str();
  }

  // Lines that were written, and those that are told as lost.
  static std::pair<std::size_t, std::size_t> count_lines(const std::string& text) {
    const std::string loss = " m1 log lines lost: they could not be written in time lines=";
    std::pair<std::size_t, std::size_t> counts;
    std::istringstream all{text};
    for (std::string line; std::getline(all, line);) {
      const auto at = line.find(loss);
      counts.first += at == std::string::npos ? 1 : 0;
      counts.second += at == std::string::npos ? 0 : std::stoul(line.substr(at + loss.size()));
    }
    return counts;
  }

  test::TemporaryFolder folder;
  std::string pipe;
  int reader = -1;
};

TEST_F(LogWriterTest, ends_although_nobody_reads_and_the_pipe_is_full) {
  ASSERT_TRUE(start_log({.file = pipe, .node = "m1"}));
  const std::string line(1000, 'x');
  for (int i = 0; i < 20'000; ++i) log_info(line);
  stop_log();
  EXPECT_THAT(read_pipe(), HasSubstr(" m1 " + line + "\n"));
}

TEST_F(LogWriterTest, drops_the_oldest_lines_and_says_how_many_once_it_is_read_again) {
  ASSERT_TRUE(start_log({.file = pipe, .node = "m1"}));
  constexpr std::size_t lines = 20'000;  // five times of what may wait
  const std::string filler(1000, '.');
  for (std::size_t i = 1; i <= lines; ++i) log_info(std::to_string(i) + filler);
  std::string text;
  const std::string last = " m1 " + std::to_string(lines) + filler + "\n";
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (!text.ends_with(last) && std::chrono::steady_clock::now() < until) text += read_pipe();
  ASSERT_TRUE(text.ends_with(last));
  stop_log();
  const auto [written, lost] = count_lines(text);
  EXPECT_EQ(written + lost, lines);
  EXPECT_GE(lost, lines / 2) << "too little was dropped, so more waited than may";
}

TEST_F(LogWriterTest, outlives_its_reader_and_goes_on_in_another_file) {
  ASSERT_TRUE(start_log({.file = pipe, .node = "m1"}));
  ::close(std::exchange(reader, -1));
  log_info("to nobody");
  const auto file = folder / "log";
  // The line to nobody may still wait; then it goes into the file, and nothing is lost.
  ASSERT_TRUE(reload_log({.file = file.string()}));
  log_info("to somebody");
  stop_log();
  EXPECT_THAT(contents(file), MatchesRegex("[^\n]* m1 (to nobody|log lines lost[^\n]* lines=1)\n"
                                           "[^\n]* m1 to somebody\n"));
}

TEST_F(LogWriterTest, tells_of_lines_that_a_full_disk_has_refused) {
  ASSERT_TRUE(start_log({.file = "/dev/full", .node = "m1"}));
  constexpr std::size_t lines = 10'000;
  for (std::size_t i = 0; i < lines; ++i) log_info(std::string(1000, '.'));
  const auto file = folder / "log";
  ASSERT_TRUE(reload_log({.file = file.string()}));
  log_info("the disk has room again");
  stop_log();
  const auto [written, lost] = count_lines(contents(file));
  EXPECT_EQ(written + lost, lines + 1);
}

TEST_F(LogWriterTest, goes_on_in_a_new_file_when_the_old_one_was_moved_away) {
  const auto file = folder / "log";
  ASSERT_TRUE(start_log({.file = file.string(), .node = "m1"}));
  log_info("before");
  stop_log();
  ASSERT_TRUE(start_log({.file = file.string(), .node = "m1"}));
  fs::rename(file, folder / "log.1");
  ASSERT_TRUE(reload_log({.level = LogLevel::debug, .file = file.string()}));
  log_debug("after");
  EXPECT_FALSE(reload_log({.level = LogLevel::error, .file = (folder / "no" / "log").string()}));
  log_debug("still here");
  stop_log();
  EXPECT_THAT(contents(folder / "log.1"), HasSubstr("m1 before\n"));
  EXPECT_THAT(contents(file), HasSubstr("m1 after\n"));
  EXPECT_THAT(contents(file), HasSubstr("m1 still here\n"));
}

// In a shared folder anybody can make the file, or a link in its place.
TEST_F(LogWriterTest, is_not_written_where_another_user_leads_it) {
  ASSERT_EQ(::geteuid(), 0U) << "only root makes links of others: run this as root";
  constexpr uid_t other = 65534;
  fs::create_directory(folder / "shared");
  fs::permissions(folder / "shared", fs::perms{01777});
  const auto file = folder / "shared" / "log";
  const auto ours = folder / "ours";
  const auto refused = [&](const Result<void>& opened) {
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error(), boost::system::errc::operation_not_permitted);
  };
  ASSERT_TRUE(start_log({.file = file.string(), .node = "m1"}));
  log_info("before");
  fs::rename(file, folder / "log.1");
  for (const bool exists : {false, true}) {
    if (exists) std::ofstream{ours} << "ours";
    fs::create_symlink(ours, file);
    ASSERT_EQ(::lchown(file.c_str(), other, other), 0);
    refused(reload_log({.file = file.string()}));
    fs::remove(file);
  }
  std::ofstream{file} << "theirs";
  ASSERT_EQ(::chown(file.c_str(), other, other), 0);
  refused(reload_log({.file = file.string()}));
  log_info("still where it was");
  stop_log();
  refused(start_log({.file = file.string()}));
  EXPECT_EQ(contents(file), "theirs");
  EXPECT_EQ(contents(ours), "ours");
  EXPECT_THAT(contents(folder / "log.1"), HasSubstr("m1 still where it was\n"));
  fs::remove(file);
  fs::create_symlink(ours, file);
  EXPECT_TRUE(start_log({.file = file.string()})) << "a link of our own";
  stop_log();
}

TEST_F(LogWriterTest, says_why_it_cannot_open_its_file) {
  const auto started = start_log({.file = (folder / "no" / "log").string()});
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error(), boost::system::errc::no_such_file_or_directory);
}

}  // namespace
}  // namespace fixkeep::obs
