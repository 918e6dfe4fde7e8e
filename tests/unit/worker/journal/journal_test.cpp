#include "worker/journal/journal.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/worker/journal/records.hpp"

namespace fixkeep::worker::journal {
namespace {

namespace fs = std::filesystem;

const Identity ours{Incarnation{42}, TimePoint{Duration{17}}, "boot-1", SeatRoot{5, 6}};

Memory memory_of(const Records& records) {
  Memory memory;
  for (const Record& record : records) memory.apply(record);
  return memory;
}

SeatRecord seat(int number) {
  return {RoomNumber{5}, PlayerId{"p" + std::to_string(number)}, 0, {{ReservationId{1}}}};
}

struct JournalTest : testing::Test {
  [[nodiscard]] std::string bytes() const {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
  }
  void become(const std::string& bytes) const {
    std::ofstream{path, std::ios::binary | std::ios::trunc} << bytes;
  }
  [[nodiscard]] Reading reading() const { return read(path, "boot-1"); }

  const test::TemporaryFolder folder;
  const std::string path = (folder / "journal").string();
};

TEST_F(JournalTest, what_was_written_is_read_by_the_next_run) {
  EXPECT_EQ(reading().state, Reading::State::none);
  Records all = one_of_each();
  {
    Journal journal{path, ours};
    ASSERT_TRUE(journal.rewrite(all));
    ASSERT_TRUE(journal.append({seat(1), seat(2)}));
    ASSERT_TRUE(journal.append({}));
    ASSERT_TRUE(journal.append({seat(3)}));
    EXPECT_EQ(journal.bytes(), fs::file_size(path));
  }
  for (int number = 1; number <= 3; ++number) all.emplace_back(seat(number));
  const Reading found = reading();
  EXPECT_EQ(found.state, Reading::State::found);
  EXPECT_TRUE(found.complete);
  EXPECT_EQ(found.identity, ours);
  EXPECT_EQ(found.memory, memory_of(all));
}

// The latest records may have died with the machine.
TEST_F(JournalTest, of_another_boot_is_not_complete_where_games_are_elsewhere) {
  RoomRecord old = std::get<RoomRecord>(one_of_each().front());
  old.opened_at = wire::WorkerTime{5'000'000};
  old.drained_by = ours.epoch + std::chrono::seconds{7};
  {
    Journal journal{path, ours};
    ASSERT_TRUE(journal.rewrite({old}));
  }
  const TimePoint now = TimePoint{std::chrono::seconds{2}};
  const Reading found = read(path, "boot-2", Games::elsewhere, now);
  EXPECT_EQ(found.state, Reading::State::found);
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.identity.boot, "boot-2");
  EXPECT_EQ(found.identity.incarnation, ours.incarnation);
  EXPECT_EQ(found.identity.epoch, now - std::chrono::seconds{5}) << "no room opened later than now";
  const auto& room = found.memory.rooms.at(old.room).room;
  EXPECT_EQ(room.opened_at, old.opened_at);
  EXPECT_EQ(room.drained_by, now + std::chrono::seconds{2}) << "two seconds after the last opening";
  EXPECT_TRUE(read(path, "boot-1", Games::elsewhere, now).complete) << "it is the same machine";
}

TEST_F(JournalTest, of_another_boot_has_nothing_to_say) {
  Journal journal{path, ours};
  ASSERT_TRUE(journal.rewrite(one_of_each()));
  const Reading found = read(path, "boot-2");
  EXPECT_EQ(found.state, Reading::State::another_boot);
  EXPECT_EQ(found.memory, Memory{});
  EXPECT_FALSE(boot_id().empty());
}

// Whatever was answered for and is missing is noticed, at whatever byte it was cut.
TEST_F(JournalTest, that_was_cut_gives_what_is_whole_and_says_that_it_lacks_something) {
  const Records before = one_of_each();
  {
    Journal journal{path, ours};
    ASSERT_TRUE(journal.rewrite(before));
    ASSERT_TRUE(journal.append({seat(1)}));
  }
  const std::string whole = bytes();
  {
    Journal journal{path, ours};
    ASSERT_TRUE(journal.rewrite(before));
  }
  const std::size_t without_last = fs::file_size(path);
  for (std::size_t size = without_last; size < whole.size(); ++size) {
    become(whole.substr(0, size));
    const Reading found = reading();
    EXPECT_EQ(found.state, Reading::State::found);
    EXPECT_FALSE(found.complete) << size;
    EXPECT_EQ(found.lost_bytes, whole.size() - without_last);
    EXPECT_EQ(found.memory, memory_of(before)) << size;
  }
  for (std::size_t size = 0; size < 80; ++size) {
    become(whole.substr(0, size));
    EXPECT_EQ(reading().state, Reading::State::unreadable) << size;
  }
}

TEST_F(JournalTest, a_record_that_was_begun_and_not_answered_for_never_happened) {
  Journal journal{path, ours};
  ASSERT_TRUE(journal.rewrite(one_of_each()));
  const std::string before = bytes();
  ASSERT_TRUE(journal.append({seat(1)}));
  // The bytes of the record, up to one, behind a header that does not speak of them.
  become(before + bytes().substr(before.size(), bytes().size() - before.size() - 1));
  const Reading found = reading();
  EXPECT_TRUE(found.complete);
  EXPECT_EQ(found.memory, memory_of(one_of_each()));
}

TEST_F(JournalTest, every_flipped_bit_is_noticed) {
  {
    Journal journal{path, ours};
    ASSERT_TRUE(journal.rewrite(one_of_each()));
  }
  const std::string whole = bytes();
  constexpr std::size_t unused_from = 100;  // of the header
  constexpr std::size_t records_from = 112;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    if (at >= unused_from && at < records_from) continue;
    std::string other = whole;
    other[at] = static_cast<char>(other[at] ^ 0x10);
    become(other);
    const Reading found = reading();
    EXPECT_TRUE(found.state != Reading::State::found || !found.complete) << "byte " << at;
  }
}

TEST_F(JournalTest, becomes_a_snapshot_when_it_has_grown) {
  Journal journal{path, ours};
  ASSERT_TRUE(journal.rewrite(one_of_each()));
  while (!journal.wants_snapshot()) {
    Records many;
    for (int i = 0; i < 1000; ++i) many.emplace_back(seat(i));
    ASSERT_TRUE(journal.append(many));
    ASSERT_LT(journal.bytes(), 2 * smallest_growth);
  }
  ASSERT_TRUE(journal.rewrite({seat(1)}));
  EXPECT_FALSE(journal.wants_snapshot());
  EXPECT_EQ(journal.bytes(), fs::file_size(path));
  EXPECT_LT(fs::file_size(path), 200U);
  EXPECT_FALSE(fs::exists(path + ".new"));
}

// A limit on the size of files stands in for a disk that is full.
TEST_F(JournalTest, that_a_full_disk_has_stopped_says_so_until_a_snapshot_fits_again) {
  std::signal(SIGXFSZ, SIG_IGN);
  Journal journal{path, ours};
  ASSERT_TRUE(journal.rewrite(one_of_each()));
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit full{journal.bytes() + 10, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &full);
  EXPECT_FALSE(journal.append({seat(1)}));
  EXPECT_TRUE(journal.behind());
  EXPECT_TRUE(journal.wants_snapshot());
  EXPECT_FALSE(journal.rewrite(Records(100, seat(1))));
  EXPECT_FALSE(reading().complete);
  EXPECT_EQ(reading().memory, memory_of(one_of_each()));
  ::setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_TRUE(journal.rewrite({seat(1)}));
  EXPECT_FALSE(journal.behind());
  EXPECT_TRUE(reading().complete);
}

}  // namespace
}  // namespace fixkeep::worker::journal
