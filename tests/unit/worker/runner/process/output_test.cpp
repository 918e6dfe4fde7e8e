#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/support/temporary_folder.hpp"
#include "worker/keeper/output.hpp"
#include "worker/keeper/output_file.hpp"
#include "worker/runner/process/output_folder.hpp"

namespace fixkeep::worker {
namespace {

namespace fs = std::filesystem;
using keeper::Output;
using keeper::OutputClock;
using keeper::OutputFile;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr std::uint32_t file_bytes = 65536;

struct GameOutputTest : testing::Test {
  GameOutputTest() { fs::create_directory(folder); }

  // A whole game: it writes, ends, and its output is taken.
  void play(OutputFolder& rooms, const std::string& name, const std::string& text) const {
    Output output{rooms.path_of(name), file_bytes};
    const int game = output.open(false);
    ASSERT_GE(game, 0);
    ASSERT_EQ(::write(game, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(game);
    output.drain([](std::string_view) {});
    rooms.keep(name);
  }
  [[nodiscard]] std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator{folder}) {
      EXPECT_LE(entry.file_size(), file_bytes) << entry.path();
      names.insert(entry.path().filename().string());
    }
    return names;
  }

  const test::TemporaryFolder base;
  const fs::path folder = base / "games";
};

using GameOutputOnATerminal = GameOutputTest;

void expect_an_ordinary_blocking_descriptor(bool terminal) {
  Output output{"", 0};
  const int game = output.open(terminal);
  ASSERT_GE(game, 0);
  EXPECT_EQ(::fcntl(game, F_GETFL) & O_NONBLOCK, 0);
  EXPECT_EQ(::isatty(game), terminal ? 1 : 0);
  ::close(game);
}

TEST_F(GameOutputTest, gives_the_game_an_ordinary_blocking_descriptor) {
  expect_an_ordinary_blocking_descriptor(false);
}

TEST_F(GameOutputOnATerminal, gives_the_game_an_ordinary_blocking_descriptor) {
  expect_an_ordinary_blocking_descriptor(true);
}

TEST_F(GameOutputTest, passes_on_all_of_it_and_keeps_the_last_words) {
  Output output{(folder / "w1-a-1.log").string(), file_bytes};
  const int game = output.open(false);
  std::size_t seen = 0;
  const std::string text(1000, 'x');
  for (int i = 0; i < 8000; ++i) {
    ASSERT_EQ(::write(game, text.data(), text.size()), 1000);
    output.read([&](std::string_view bytes) { seen += bytes.size(); });
  }
  ASSERT_EQ(::write(game, "the end\n", 8), 8);
  ::close(game);
  output.drain([&](std::string_view bytes) { seen += bytes.size(); });
  EXPECT_EQ(seen, 8'000'008U);
  EXPECT_THAT(output.last_lines(), EndsWith("xthe end\n"));
  EXPECT_THAT(output.last_lines(), SizeIs(512));
  for (const auto& name : files()) EXPECT_TRUE(name == "w1-a-1.log" || name == "w1-a-1.log.1");
}

TEST_F(GameOutputOnATerminal, changes_nothing_of_what_is_written) {
  Output output{"", 0};
  const int game = output.open(true);
  ASSERT_EQ(::write(game, "one\ntwo\n", 8), 8);
  ::close(game);
  output.drain([](std::string_view) {});
  EXPECT_EQ(output.last_lines(), "one\ntwo\n");
  EXPECT_EQ(output.descriptor(), -1);
}

TEST_F(GameOutputTest, says_once_that_the_disk_fails) {
  Output output{(base / "no-such-folder/room.log").string(), file_bytes};
  const int game = output.open(false);
  ASSERT_EQ(::write(game, "lost\n", 5), 5);
  ::close(game);
  output.drain([](std::string_view) {});
  EXPECT_EQ(output.take_error(), ENOENT);
  EXPECT_EQ(output.take_error(), 0);
  EXPECT_EQ(output.last_lines(), "lost\n");
}

TEST_F(GameOutputTest, keeps_the_files_of_so_many_ended_rooms_and_of_all_that_run) {
  {
    OutputFolder earlier{folder.string(), "w1-", 3};
    for (int i = 1; i <= 2; ++i) play(earlier, "w1-a-" + std::to_string(i), "earlier\n");
  }
  std::ofstream{folder / "somebody-else.log"} << "stays\n";
  std::ofstream{folder / "w1-a-0.log.1"}
      << "left by a worker that was killed as it moved the file\n";
  OutputFolder rooms{folder.string(), "w1-", 3};
  std::ofstream{folder / "w1-b-9.log"} << "running\n";
  for (int i = 1; i <= 50; ++i) play(rooms, "w1-b-1" + std::to_string(i), "hello\n");
  play(rooms, "w1-b-200", "");
  EXPECT_THAT(files(), UnorderedElementsAre("w1-b-148.log", "w1-b-149.log", "w1-b-150.log",
                                            "w1-b-9.log", "somebody-else.log"));
}

TEST_F(GameOutputTest, a_file_moves_once_when_it_is_full_and_says_what_came_too_fast) {
  const std::string path = (base / "room.log").string();
  OutputFile file{path, file_bytes};
  const std::string half(file_bytes / 2, 'x');
  auto now = OutputClock::time_point{std::chrono::hours{1}};
  for (int second = 0; second < 3; ++second, now += std::chrono::seconds{1}) {
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(file.append(half, now));
    EXPECT_LE(fs::file_size(path), file_bytes);
  }
  EXPECT_LE(fs::file_size(path + ".1"), file_bytes);
  ASSERT_TRUE(file.append("after\n", now));
  std::ostringstream text;
  text << std::ifstream{path}.rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("\n[262144 bytes left out: too fast]\nafter\n"));
}

TEST_F(GameOutputTest, does_not_write_where_a_link_of_somebody_else_leads) {
  ASSERT_EQ(::geteuid(), 0U) << "only root makes links of others: run this as root";
  const auto link = folder.string() + "-link";
  std::filesystem::create_directory_symlink(folder.string(), link);
  EXPECT_TRUE(OutputFolder(link, "w1-", 3).make());
  ASSERT_EQ(::lchown(link.c_str(), 65534, 65534), 0);
  for (const auto& path : {link, link + "/inner"}) {
    EXPECT_EQ(OutputFolder(path, "w1-", 3).make().error(),
              boost::system::errc::operation_not_permitted)
        << path;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.string()));
  std::filesystem::remove(link);
}

TEST_F(GameOutputTest, does_not_write_into_a_folder_of_somebody_else) {
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(folder.c_str(), 65534, 65534), 0);
    EXPECT_EQ(OutputFolder(folder.string(), "w1-", 3).make().error(),
              boost::system::errc::operation_not_permitted);
  } else {
    EXPECT_FALSE(OutputFolder("/usr", "w1-", 3).make());
  }
}

}  // namespace
}  // namespace fixkeep::worker
