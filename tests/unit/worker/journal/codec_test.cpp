#include "worker/journal/codec.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

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

// Google's library of Protocol Buffers has written these bytes.
TEST(JournalCodec, a_record_is_a_message_of_protocol_buffers) {
  auto records = one_of_each();
  wire::MatchFacts& match = std::get<RoomRecord>(records[0]).match.emplace();
  match.told = GroupKey{"final"};
  match.joins = true;
  auto& seat = std::get<SeatRecord>(records[1]);
  seat.team = "red";
  seat.attributes = "{}";
  records.emplace_back(MatchEnded{GroupKey{"g"}, TimePoint{Duration{-5}}});
  const std::vector<std::string_view> bytes{
      "0a8901080512076475656c7c65751a046475656c30403a110a04080710021003191032547698badcfe4002"
      "5087ad4b58b1d1f9d60360016a2a0a0c67616d652e6578616d706c65120d0a0764656661756c7410a19c"
      "01120b0a05717565727910a29c0172090a0566696e616c20017801800102880101"
      "900105980106a2010d0a013112066865616c65721802",
      "1a2508051204006f6464180922020b0c2a06302031353030320201023a0372656442027b7d4801",
      "221e0a076475656c7c6575120408091001190300000000000000220408081003",
      "22110a076475656c7c75731204080410012200",
      "2a05627261776c",
      "320e0a0408051001120408041002180a",
      "3a1c0a076475656c7c6575120f0a04080610011901000000000000001804",
      "1003",
      "42040806100d",
      "5232080512076475656c7c65751a110a04080710021003191032547698badcfe22107b2277696e6e6572223a22"
      "726564227d2809",
      "4a0e0a016710fbffffffffffffffff01",
  };
  ASSERT_EQ(records.size(), bytes.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(to_bytes(records[i]), of_hex(bytes[i])) << i;
    EXPECT_EQ(to_record(of_hex(bytes[i])), records[i]) << i;
  }
}

TEST(JournalCodec, a_record_of_one_field_is_within_its_bounds_too) {
  EXPECT_FALSE(to_record(of_hex("1000")));  // room 0
  EXPECT_FALSE(to_record(of_hex("2a00")));  // no group
  EXPECT_FALSE(to_record(to_bytes(PromiseForgotten{GroupKey{std::string(513, 'g')}})));
}

TEST(JournalCodec, zero_is_not_absent) {
  auto room = std::get<RoomRecord>(one_of_each().front());
  room.drained_by = TimePoint{};
  EXPECT_EQ(to_record(to_bytes(room)), Record{room});
  const PromiseRecord promise{GroupKey{"duel"}, {}, Incarnation{}, {}};
  EXPECT_EQ(to_record(to_bytes(promise)), Record{promise});
}

TEST(JournalCodec, each_reservation_has_a_number) {
  auto seat = std::get<SeatRecord>(one_of_each()[1]);
  seat.reservations[1].id = {};
  EXPECT_FALSE(to_record(to_bytes(Record{seat})));
  seat.reservations.assign(17, {ReservationId{1}, MasterId{1}});
  EXPECT_FALSE(to_record(to_bytes(Record{seat})));
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
