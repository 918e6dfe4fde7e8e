#include "common/obs/log_writer.hpp"

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

  static std::string loss_line(std::uint64_t lost) { return std::to_string(lost) + " lost"; }

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

  test::TemporaryFolder folder;
  std::string pipe;
  int reader = -1;
};

TEST_F(LogWriterTest, ends_although_nobody_reads_and_the_pipe_is_full) {
  auto writer = LogWriter::start(pipe, loss_line);
  ASSERT_TRUE(writer);
  const std::string line(1000, 'x');
  for (int i = 0; i < 20'000; ++i) (*writer)->write(line);
  (*writer)->stop(std::chrono::milliseconds{50});
  EXPECT_NE(read_pipe().find("\n" + line + "\n"), std::string::npos);
}

TEST_F(LogWriterTest, drops_the_oldest_lines_and_says_how_many_once_it_is_read_again) {
  auto writer = LogWriter::start(pipe, loss_line);
  ASSERT_TRUE(writer);
  const std::size_t lines = 3 * LogWriter::lines_most;
  const std::string filler(100, '.');
  for (std::size_t i = 1; i <= lines; ++i) (*writer)->write(std::to_string(i) + filler);
  std::string text;
  const std::string last = "\n" + std::to_string(lines) + filler + "\n";
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (!text.ends_with(last) && std::chrono::steady_clock::now() < until) text += read_pipe();
  ASSERT_TRUE(text.ends_with(last));
  std::istringstream all{text};
  std::size_t written = 0;
  std::size_t lost = 0;
  for (std::string line; std::getline(all, line);) {
    if (line.ends_with(" lost")) {
      lost += std::stoul(line);
    } else {
      ++written;
    }
  }
  EXPECT_EQ(written + lost, lines);
  EXPECT_GE(lost, LogWriter::lines_most / 2) << "nothing was dropped, so nothing was tested";
}

TEST_F(LogWriterTest, outlives_its_reader_and_goes_on_in_another_file) {
  auto writer = LogWriter::start(pipe, loss_line);
  ASSERT_TRUE(writer);
  ::close(std::exchange(reader, -1));
  (*writer)->write("to nobody");
  const auto file = folder / "log";
  // The line to nobody may still wait; then it goes into the file, and nothing is lost.
  ASSERT_TRUE((*writer)->reopen(file.string()));
  (*writer)->write("to somebody");
  (*writer)->stop();
  const auto text = contents(file);
  EXPECT_TRUE(text == "1 lost\nto somebody\n" || text == "to nobody\nto somebody\n") << text;
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

TEST_F(LogWriterTest, says_why_it_cannot_open_its_file) {
  const auto started = start_log({.file = (folder / "no" / "log").string()});
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error(), boost::system::errc::no_such_file_or_directory);
}

}  // namespace
}  // namespace fixkeep::obs
