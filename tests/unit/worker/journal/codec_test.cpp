#include "worker/journal/codec.hpp"

#include <gtest/gtest.h>

#include "tests/unit/worker/journal/records.hpp"

namespace fixkeep::worker::journal {
namespace {

TEST(JournalCodec, every_record_comes_back_as_it_was) {
  for (const Record& record : one_of_each()) {
    const auto back = to_record(to_bytes(record));
    ASSERT_TRUE(back) << record.index();
    EXPECT_EQ(*back, record) << record.index();
  }
}

TEST(JournalCodec, what_is_out_of_bounds_is_no_record) {
  const auto room = std::get<RoomRecord>(one_of_each().front());
  const auto refused = [&](auto change) {
    RoomRecord other = room;
    change(other);
    return !to_record(to_bytes(Record{other}));
  };
  EXPECT_TRUE(refused([](RoomRecord& r) { r.room = {}; }));
  EXPECT_TRUE(refused([](RoomRecord& r) { r.group = {}; }));
  EXPECT_TRUE(refused([](RoomRecord& r) { r.group = GroupKey{std::string(513, 'g')}; }));
  EXPECT_TRUE(refused([](RoomRecord& r) { r.capacity = 0; }));
  EXPECT_TRUE(refused([](RoomRecord& r) { r.phase = static_cast<wire::RoomPhase>(77); }));
  EXPECT_TRUE(refused([](RoomRecord& r) { r.reason = static_cast<wire::CloseReason>(77); }));
  EXPECT_FALSE(refused([](RoomRecord&) {}));
}

TEST(JournalCodec, rubbish_is_no_record) {
  EXPECT_FALSE(to_record(""));
  EXPECT_FALSE(to_record("rubbish"));
  EXPECT_FALSE(to_record(std::string(1000, '\xff')));
}

}  // namespace
}  // namespace fixkeep::worker::journal
