#include "worker/backend/process/game_output.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <set>
#include <sstream>

#include "worker/backend/process/output_file.hpp"

namespace fixkeep::worker {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr std::uint32_t file_bytes = 65536;
constexpr RoomNumber sole_room{1};

struct GameOutputTest : testing::Test {
  GameOutputTest() {
    auto pattern = (fs::temp_directory_path() / "fixkeep-output-XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    base = pattern;
    folder = base / "games";
  }
  ~GameOutputTest() override { fs::remove_all(base); }

  std::unique_ptr<GameOutput> start(std::uint32_t kept_rooms = 3) const {
    return std::make_unique<GameOutput>(
        GameOutputOptions{
            .folder = folder.string(), .file_bytes = file_bytes, .kept_rooms = kept_rooms},
        WorkerId{"w1"});
  }
  static std::string last_lines(GameOutput& output, RoomNumber which = sole_room) {
    std::promise<std::string> told;
    output.finish(which, [&](const std::string& last) { told.set_value(last); });
    return told.get_future().get();
  }
  // A whole game: it writes, ends, and its output is taken.
  static void play(GameOutput& output, const std::string& name, const std::string& text) {
    const int game = output.open(sole_room, name);
    ASSERT_GE(game, 0);
    ASSERT_EQ(::write(game, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(game);
    (void)last_lines(output);
  }
  [[nodiscard]] std::set<std::string> files() const {
    std::set<std::string> names;
    if (!fs::exists(folder)) return names;
    for (const auto& entry : fs::directory_iterator{folder}) {
      EXPECT_LE(entry.file_size(), file_bytes) << entry.path();
      names.insert(entry.path().filename().string());
    }
    return names;
  }
  [[nodiscard]] std::string contents(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream{folder / name}.rdbuf();
    return text.str();
  }

  fs::path base;
  fs::path folder;
};

TEST_F(GameOutputTest, gives_the_game_an_ordinary_blocking_descriptor) {
  const auto output = start();
  const int game = output->open(sole_room, "w1-a-1");
  ASSERT_GE(game, 0);
  EXPECT_EQ(::fcntl(game, F_GETFL) & O_NONBLOCK, 0);
  ::close(game);
}

TEST_F(GameOutputTest, keeps_what_a_room_writes_in_a_file_of_its_own) {
  const auto output = start();
  const int first = output->open(RoomNumber{1}, "w1-a-1");
  const int second = output->open(RoomNumber{2}, "w1-a-2");
  ASSERT_EQ(::write(first, "one\n", 4), 4);
  ASSERT_EQ(::write(second, "two\n", 4), 4);
  ASSERT_EQ(::write(first, "more\n", 5), 5);
  ::close(first);
  ::close(second);
  EXPECT_EQ(last_lines(*output, RoomNumber{1}), "one\nmore\n");
  EXPECT_EQ(last_lines(*output, RoomNumber{2}), "two\n");
  EXPECT_EQ(contents("w1-a-1.log"), "one\nmore\n");
  EXPECT_EQ(contents("w1-a-2.log"), "two\n");
}

TEST_F(GameOutputTest, takes_megabytes_within_its_bounds_and_keeps_the_last_words) {
  const auto output = start();
  const int game = output->open(sole_room, "w1-a-1");
  const std::string text(1000, 'x');
  for (int i = 0; i < 8000; ++i) ASSERT_EQ(::write(game, text.data(), text.size()), 1000);
  ASSERT_EQ(::write(game, "the end\n", 8), 8);
  ::close(game);
  const auto last = last_lines(*output);
  EXPECT_THAT(last, EndsWith("xthe end\n"));
  EXPECT_THAT(last, SizeIs(512));
  for (const auto& name : files()) EXPECT_TRUE(name == "w1-a-1.log" || name == "w1-a-1.log.1");
}

TEST_F(GameOutputTest, keeps_the_files_of_so_many_ended_rooms_and_of_all_that_run) {
  {
    const auto earlier = start();
    for (int i = 1; i <= 2; ++i) play(*earlier, "w1-a-" + std::to_string(i), "earlier\n");
  }
  std::ofstream{folder / "somebody-else.log"} << "stays\n";
  std::ofstream{folder / "w1-a-0.log.1"}
      << "left by a worker that was killed as it moved the file\n";
  const auto output = start();
  const int running = output->open(RoomNumber{9}, "w1-b-9");
  ASSERT_EQ(::write(running, "running\n", 8), 8);
  for (int i = 1; i <= 50; ++i) play(*output, "w1-b-1" + std::to_string(i), "hello\n");
  EXPECT_THAT(files(), UnorderedElementsAre("w1-b-148.log", "w1-b-149.log", "w1-b-150.log",
                                            "w1-b-9.log", "somebody-else.log"));
  ::close(running);
}

TEST_F(GameOutputTest, leaves_no_descriptor_and_no_file_of_a_game_that_says_nothing) {
  const auto output = start();
  play(*output, "w1-a-0", "");
  const auto count = [] {
    return std::distance(fs::directory_iterator{"/proc/self/fd"}, fs::directory_iterator{});
  };
  const auto before = count();
  for (int i = 1; i <= 1000; ++i) play(*output, "w1-a-" + std::to_string(i), "");
  EXPECT_EQ(count(), before);
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(GameOutputTest, costs_the_game_nothing_if_the_folder_cannot_be_made) {
  std::ofstream{folder} << "a file where the folder should be";
  const auto output = start();
  const int game = output->open(sole_room, "w1-a-1");
  const std::string text(1000, 'x');
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(::write(game, text.data(), text.size()), 1000);
  ::close(game);
  EXPECT_THAT(last_lines(*output), SizeIs(512));
}

TEST_F(GameOutputTest, throws_everything_away_if_it_is_told_to) {
  GameOutput output{{.folder = folder.string(), .file_bytes = 0}, WorkerId{"w1"}};
  EXPECT_EQ(output.open(sole_room, "w1-a-1"), -1);
  EXPECT_EQ(last_lines(output), "");
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

TEST_F(GameOutputTest, does_not_write_into_a_folder_of_somebody_else) {
  if (::geteuid() == 0) {
    fs::create_directories(folder);
    ASSERT_EQ(::chown(folder.c_str(), 65534, 65534), 0);
    EXPECT_EQ(OutputFolder(folder.string(), "w1-", 3).make().error(),
              boost::system::errc::operation_not_permitted);
  } else {
    EXPECT_FALSE(OutputFolder("/usr", "w1-", 3).make());
  }
}

}  // namespace
}  // namespace fixkeep::worker
