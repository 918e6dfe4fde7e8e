#include "worker/journal/codec.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "journal.pb.h"
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

std::string of_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string{digits.substr(i, 2)}, nullptr, 16));
  }
  return bytes;
}

// These bytes were written by the worker as it was before rooms had a place.
TEST(JournalCodec, what_an_earlier_version_has_written_of_a_room_is_read) {
  const auto record = to_record(
      of_hex("0a40080512076475656c7c65751a046475656c20a19c012a06a29c01a39c0130403a110a0408071002"
             "1003191032547698badcfe40025087ad4b58b1d1f9d6036001"));
  ASSERT_TRUE(record);
  auto expected = std::get<RoomRecord>(one_of_each().front());
  expected.place = wire::RoomPlace{"", {{"default", 20'001}, {"2", 20'002}, {"3", 20'003}}};
  EXPECT_EQ(std::get<RoomRecord>(*record), expected);
}

TEST(JournalCodec, an_earlier_version_reads_the_ports_of_a_room) {
  fixkeep::journal::pb::Record record;
  ASSERT_TRUE(record.ParseFromString(to_bytes(one_of_each().front())));
  record.mutable_room()->clear_place();
  const auto read = to_record(record.SerializeAsString());
  ASSERT_TRUE(read);
  EXPECT_EQ(std::get<RoomRecord>(*read).place,
            (wire::RoomPlace{"", {{"default", 20'001}, {"2", 20'002}}}));
}

TEST(JournalCodec, a_room_that_serves_has_a_place_that_is_valid) {
  const auto room = std::get<RoomRecord>(one_of_each().front());
  const auto is_read = [&](auto change) {
    RoomRecord other = room;
    change(other);
    return to_record(to_bytes(Record{other})).has_value();
  };
  const auto without = [](wire::RoomPhase phase) {
    return [phase](RoomRecord& r) {
      r.phase = phase;
      r.place.reset();
    };
  };
  EXPECT_TRUE(is_read(without(wire::RoomPhase::starting)));
  EXPECT_TRUE(is_read(without(wire::RoomPhase::closed)));
  EXPECT_FALSE(is_read(without(wire::RoomPhase::open)));
  EXPECT_FALSE(is_read(without(wire::RoomPhase::draining)));
  EXPECT_FALSE(is_read([](RoomRecord& r) { r.place->ports.clear(); }));
  EXPECT_FALSE(is_read([](RoomRecord& r) { r.place->ports.back().name = "default"; }));
  EXPECT_FALSE(is_read([](RoomRecord& r) { r.place->ports.front().number = 0; }));
  EXPECT_FALSE(is_read([](RoomRecord& r) { r.place->host = std::string(256, 'h'); }));
  EXPECT_FALSE(is_read([](RoomRecord& r) { r.place->host = "two words"; }));
}

TEST(JournalCodec, rubbish_is_no_record) {
  EXPECT_FALSE(to_record(""));
  EXPECT_FALSE(to_record("rubbish"));
  EXPECT_FALSE(to_record(std::string(1000, '\xff')));
}

}  // namespace
}  // namespace fixkeep::worker::journal
