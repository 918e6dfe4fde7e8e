#include "worker/runner/process/room_note.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fixkeep::worker {
namespace {

// As the next run of the worker gets it.
RoomNote handed_on(const RoomNote& note) {
  return RoomNote{process::Descriptor{::fcntl(note.descriptor(), F_DUPFD_CLOEXEC, 0)}};
}

std::uint64_t size_of(const RoomNote& note) {
  struct stat found {};
  EXPECT_EQ(::fstat(note.descriptor(), &found), 0);
  return static_cast<std::uint64_t>(found.st_size);
}

TEST(RoomNote, is_what_was_written_last) {
  auto note = RoomNote::make("first");
  ASSERT_TRUE(note);
  EXPECT_EQ(handed_on(*note).read(), "first");
  for (const std::string& text :
       {std::string{"longer than the first"}, std::string{}, std::string{"a\0b", 3}}) {
    ASSERT_TRUE(note->write(text));
    EXPECT_EQ(handed_on(*note).read(), text);
  }
  auto next = handed_on(*note);
  ASSERT_TRUE(next.write("of the next run"));
  EXPECT_EQ(handed_on(next).read(), "of the next run");
}

// A worker that is killed has written some of the text, and not the head.
TEST(RoomNote, is_the_one_before_until_all_of_the_next_is_there) {
  for (const std::size_t size : {3U, 50U, 5U, 1U, 80U}) {
    auto note = RoomNote::make("");
    ASSERT_TRUE(note);
    ASSERT_TRUE(note->write(std::string(20, 'b')));
    ASSERT_TRUE(note->write(std::string(size, 'c')));
    const auto before = note->read();
    std::string head(16, '\0');
    ASSERT_EQ(::pread(note->descriptor(), head.data(), head.size(), 0), 16);
    ASSERT_TRUE(note->write(std::string(30, 'd')));
    ASSERT_EQ(::pwrite(note->descriptor(), head.data(), head.size(), 0), 16);
    EXPECT_EQ(handed_on(*note).read(), before);
  }
}

TEST(RoomNote, that_grows_all_the_time_takes_no_more_than_four_of_it) {
  auto note = RoomNote::make("");
  ASSERT_TRUE(note);
  for (std::size_t size = 1; size < 3000; ++size) {
    ASSERT_TRUE(note->write(std::string(size, 'x')));
    ASSERT_LE(size_of(*note), 4 * size + 64) << size;
  }
}

TEST(RoomNote, is_none_if_the_file_is_none) {
  const auto of = [](std::string_view bytes) {
    process::Descriptor file{::memfd_create("note", MFD_CLOEXEC)};
    EXPECT_EQ(::write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    return RoomNote{std::move(file)};
  };
  EXPECT_EQ(of("").read(), std::nullopt);
  EXPECT_EQ(of("short").read(), std::nullopt);
  EXPECT_EQ(of(std::string(64, '\0')).read(), std::nullopt);
  EXPECT_EQ(of(std::string(64, '\xff')).read(), std::nullopt) << "longer than it may be";
  EXPECT_EQ(of(std::string{"\x10\0\0\0\0\0\0\0\x05\0\0\0\0\0\0\0four", 20}).read(), std::nullopt);
  EXPECT_EQ(RoomNote{process::Descriptor{}}.read(), std::nullopt);
}

}  // namespace
}  // namespace fixkeep::worker
