// What the next run of a worker reads of the notes that this one has written.
#include "worker/runner/note_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace fixkeep::worker {
namespace {

constexpr RoomNumber one{1};
constexpr RoomNumber two{2};

struct NoteFilesTest : testing::Test {
  [[nodiscard]] std::optional<std::string> read(const std::string& name) const {
    return NoteFiles{folder}.note_of(name);
  }

  const test::TemporaryFolder place;
  const std::string folder = (place / "notes").string();
  NoteFiles notes{folder};
};

TEST_F(NoteFilesTest, are_those_that_were_written_last) {
  notes.begin(one, "w1-7-1", "ready");
  notes.begin(two, "w1-7-2", std::string{"a\0b", 3});
  EXPECT_EQ(read("w1-7-1"), "ready");
  notes.note(one, "ready, and three players");
  EXPECT_EQ(read("w1-7-1"), "ready, and three players");
  EXPECT_EQ(read("w1-7-2"), (std::string{"a\0b", 3}));
  EXPECT_EQ(read("w1-7-3"), std::nullopt);
}

TEST_F(NoteFilesTest, stay_as_they_were_when_a_room_is_adopted) {
  notes.begin(one, "w1-7-1", "of the earlier run");
  NoteFiles next{folder};
  next.begin(one, "w1-7-1", "");
  EXPECT_EQ(read("w1-7-1"), "of the earlier run");
  next.note(one, "of the next");
  EXPECT_EQ(read("w1-7-1"), "of the next");
}

TEST_F(NoteFilesTest, go_with_their_rooms) {
  notes.begin(one, "w1-7-1", "a");
  notes.end(one);
  notes.end(two);  // it never began
  notes.note(one, "too late");
  EXPECT_EQ(read("w1-7-1"), std::nullopt);
}

TEST_F(NoteFilesTest, of_rooms_that_nobody_adopts_are_forgotten) {
  notes.begin(one, "w1-7-1", "a");
  notes.begin(two, "w1-7-2", "b");
  std::ofstream{folder + "/w1-7-9.new"} << "half of it";
  NoteFiles next{folder};
  next.begin(two, "w1-7-2", "");
  next.forget_others();
  EXPECT_EQ(read("w1-7-1"), std::nullopt);
  EXPECT_EQ(read("w1-7-2"), "b");
  EXPECT_FALSE(std::filesystem::exists(folder + "/w1-7-9.new"));
}

TEST_F(NoteFilesTest, stay_as_they_were_where_nothing_can_be_written) {
  notes.begin(one, "w1-7-1", "a");
  std::filesystem::create_directory(folder + "/w1-7-1.new");  // where the new one would be written
  testing::internal::CaptureStderr();
  notes.note(one, "b");
  EXPECT_NE(testing::internal::GetCapturedStderr().find("w1-7-1"), std::string::npos);
  EXPECT_EQ(read("w1-7-1"), "a");
}

}  // namespace
}  // namespace fixkeep::worker
