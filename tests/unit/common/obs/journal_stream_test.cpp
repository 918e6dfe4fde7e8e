#include "common/obs/journal_stream.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace fixkeep::obs {
namespace {

using ::testing::StartsWith;

std::string stream_of(int descriptor) {
  struct stat found {};
  EXPECT_EQ(::fstat(descriptor, &found), 0);
  return std::to_string(found.st_dev) + ":" + std::to_string(found.st_ino);
}

TEST(JournalStream, is_the_one_whose_device_and_inode_the_variable_has) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  const auto stream = stream_of(ends[0]);
  EXPECT_TRUE(is_journal(stream, ends[0]));
  EXPECT_FALSE(is_journal(stream, ends[1])) << "another socket of the same device";
  EXPECT_FALSE(is_journal(stream, -1));
  for (const auto& malformed :
       {std::string{}, std::string{":"}, stream.substr(0, stream.find(':')), stream + " ",
        " " + stream, stream + ":1", "-" + stream, std::string{"99999999999999999999:1"}}) {
    EXPECT_FALSE(is_journal(malformed, ends[0])) << malformed;
  }
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(JournalStream, has_the_priorities_of_syslog) {
  EXPECT_EQ(journal_prefix(LogLevel::error), "<3>");
  EXPECT_EQ(journal_prefix(LogLevel::warning), "<4>");
  EXPECT_EQ(journal_prefix(LogLevel::info), "<6>");
  EXPECT_EQ(journal_prefix(LogLevel::debug), "<7>");
}

// Standard error is a file meanwhile, which stands for the journal if the variable says so.
class JournalLines : public ::testing::Test {
 protected:
  JournalLines() : path_(testing::TempDir() + "journal_lines." + std::to_string(::getpid())) {
    const int file = ::open(path_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    EXPECT_GE(file, 0);
    saved_ = ::dup(STDERR_FILENO);
    EXPECT_GE(::dup2(file, STDERR_FILENO), 0);
    ::close(file);
    ::setenv("JOURNAL_STREAM", stream_of(STDERR_FILENO).c_str(), 1);
  }
  ~JournalLines() override {
    ::unsetenv("JOURNAL_STREAM");
    (void)start_log({});
    stop_log();
    ::dup2(saved_, STDERR_FILENO);
    ::close(saved_);
    ::unlink(path_.c_str());
  }
  [[nodiscard]] std::vector<std::string> lines_of(const std::string& path) const {
    std::ifstream in{path};
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
  std::string path_;

 private:
  int saved_ = -1;
};

TEST_F(JournalLines, have_their_priority_before_them_in_both_formats) {
  for (const auto format : {LogFormat::text, LogFormat::json}) {
    ASSERT_TRUE(start_log({.level = LogLevel::debug, .format = format, .node = "m1"}));
    log_debug("a");
    log_info("b");
    log_warning("c");
    log_error("d\n<0>e");
    stop_log();
  }
  const auto lines = lines_of(path_);
  ASSERT_EQ(lines.size(), 8U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string prefix{"<" + std::to_string(std::array{7, 6, 4, 3}.at(i % 4)) + ">"};
    EXPECT_THAT(lines[i], StartsWith(prefix + (i < 4 ? "2" : "{\"time\""))) << i;
  }
}

TEST_F(JournalLines, have_none_where_standard_error_is_something_else) {
  ::setenv("JOURNAL_STREAM", "1:1", 1);
  ASSERT_TRUE(start_log({.node = "m1"}));
  log_info("plain");
  stop_log();
  const auto lines = lines_of(path_);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0], StartsWith("2"));
}

TEST_F(JournalLines, have_none_in_a_file) {
  const std::string file = path_ + ".log";
  ASSERT_TRUE(start_log({.file = file, .node = "m1"}));
  log_info("plain");
  stop_log();
  const auto lines = lines_of(file);
  ::unlink(file.c_str());
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0], StartsWith("2"));
}

TEST_F(JournalLines, have_one_once_a_reload_has_brought_the_log_back_from_a_file) {
  const std::string file = path_ + ".log";
  ASSERT_TRUE(start_log({.file = file, .node = "m1"}));
  ASSERT_TRUE(reload_log({}));
  log_info("plain");
  stop_log();
  ::unlink(file.c_str());
  const auto lines = lines_of(path_);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0], StartsWith("<6>2"));
}

}  // namespace
}  // namespace fixkeep::obs
