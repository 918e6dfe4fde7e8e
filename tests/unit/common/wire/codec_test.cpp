// Every message there and back, and what becomes of bytes that nobody of ours wrote.
#include "common/wire/codec.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "common/record/record.hpp"
#include "common/wire/limits.hpp"
#include "tests/support/any_message.hpp"
#include "tests/unit/common/wire/random_messages.hpp"

namespace fixkeep::wire {
namespace {

std::string frame_of(const Message& message) {
  std::string frame;
  append_frame(message, frame);
  return frame;
}

std::string payload_of(const Message& message) {
  return frame_of(message).substr(prefix_bytes);
}

// Whatever is understood can be said again and means the same.
void expect_harmless(const std::string& payload) {
  const auto message = test::decode_any(payload);
  if (!message) {
    ASSERT_EQ(message.error(), Errc::malformed_message);
    return;
  }
  const auto again = test::decode_any(payload_of(*message));
  ASSERT_TRUE(again);
  ASSERT_EQ(*again, *message);
}

class EveryMessage : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EveryMessage, comes_back_as_it_was) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random{seed};
    const auto payload = random_payload(random, GetParam());
    const Message message = test::decode_any(payload).value();
    const auto frame = frame_of(message);
    ASSERT_EQ(difference(payload, frame.substr(prefix_bytes)), "") << "seed " << seed;
    const auto length = payload_length(frame);
    ASSERT_TRUE(length) << "seed " << seed;
    ASSERT_EQ(*length, frame.size() - prefix_bytes) << "seed " << seed;
    const auto back = test::decode_any(std::string_view{frame}.substr(prefix_bytes));
    ASSERT_TRUE(back) << "seed " << seed;
    ASSERT_EQ(*back, message) << "seed " << seed;
  }
}

// A field that is described but not in fixkeep.proto is found here: it is not skipped.
TEST_P(EveryMessage, means_the_same_with_fields_that_its_schema_does_not_have) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random{seed};
    const auto payload = random_payload(random, GetParam());
    const auto more = test::decode_any(with_unknown_fields(random, payload));
    ASSERT_TRUE(more) << "seed " << seed;
    ASSERT_EQ(*more, test::decode_any(payload).value()) << "seed " << seed;
  }
}

TEST_P(EveryMessage, is_refused_when_cut_anywhere) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random{seed};
    const auto payload = payload_of(random_message(random, GetParam()));
    for (std::size_t length = 0; length < payload.size(); ++length) {
      // A copy, so that the address sanitizer sees a byte read beyond the end.
      const auto cut = test::decode_any(std::string{payload, 0, length});
      ASSERT_TRUE(cut.has_error()) << "seed " << seed << ", " << length << " bytes";
      ASSERT_EQ(cut.error(), Errc::malformed_message);
    }
  }
}

TEST_P(EveryMessage, is_harmless_with_any_byte_changed) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random{seed};
    const auto payload = payload_of(random_message(random, GetParam()));
    for (std::size_t place = 0; place < payload.size(); ++place) {
      auto changed = payload;
      changed[place] = static_cast<char>(random.below(256));
      ASSERT_NO_FATAL_FAILURE(expect_harmless(changed)) << "seed " << seed << ", byte " << place;
      changed[place] = static_cast<char>(payload[place] ^ static_cast<char>(1U << random.below(8)));
      ASSERT_NO_FATAL_FAILURE(expect_harmless(changed)) << "seed " << seed << ", byte " << place;
    }
  }
}

TEST_P(EveryMessage, is_harmless_with_bytes_inserted_and_removed) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random{seed};
    auto payload = payload_of(random_message(random, GetParam()));
    for (auto edits = 1 + random.below(4); edits > 0 && !payload.empty(); --edits) {
      const auto place = random.below(payload.size());
      if (random.chance(0.5)) {
        payload.insert(place, 1 + random.below(3), static_cast<char>(random.below(256)));
      } else {
        payload.erase(place, 1 + random.below(3));
      }
    }
    ASSERT_NO_FATAL_FAILURE(expect_harmless(payload)) << "seed " << seed;
  }
}

// A frame with a message whose fields are those of both messages. Both are of the same type.
std::string merged(const std::string& first, const std::string& second) {
  record::Cursor one{first};
  record::Cursor other{second};
  EXPECT_TRUE(one.next() && other.next() && one.field() == other.field());
  std::string payload;
  record::Writer{payload}.put(static_cast<std::uint32_t>(one.field()),
                              std::string{one.payload()} + std::string{other.payload()});
  return payload;
}

TEST_P(EveryMessage, is_harmless_with_each_field_twice) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random{seed};
    const std::string first = random_payload(random, GetParam());
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_harmless(merged(first, random_payload(random, GetParam())));
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Codec, EveryMessage, ::testing::Range(std::size_t{0}, message_types));

TEST(Codec, is_harmless_with_random_bytes) {
  Random random{1};
  for (int i = 0; i < 50'000; ++i) {
    std::string bytes(random.below(100), '\0');
    for (auto& byte : bytes) byte = static_cast<char>(random.below(256));
    ASSERT_NO_FATAL_FAILURE(expect_harmless(bytes)) << i;
  }
}

// The envelope of every message around bytes that are none.
TEST(Codec, is_harmless_with_random_bodies) {
  Random random{2};
  for (int i = 0; i < 50'000; ++i) {
    std::string bytes(random.below(100), '\0');
    for (auto& byte : bytes) byte = static_cast<char>(random.below(256));
    const auto tag = (1 + random.below(message_types + 1)) << 3U | 2U;
    const std::string head{static_cast<char>((tag & 0x7FU) | 0x80U), static_cast<char>(tag >> 7U),
                           static_cast<char>(bytes.size())};
    ASSERT_NO_FATAL_FAILURE(expect_harmless(head + bytes)) << i;
  }
}

TEST(Codec, appends_frames_one_after_another) {
  Random random{3};
  std::string all;
  std::vector<Message> messages;
  for (int i = 0; i < 100; ++i) {
    messages.push_back(random_message(random, random.below(message_types)));
    append_frame(messages.back(), all);
  }
  std::string_view rest = all;
  for (const auto& message : messages) {
    const auto length = payload_length(rest);
    ASSERT_TRUE(length);
    const auto back = test::decode_any(rest.substr(prefix_bytes, *length));
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, message);
    rest.remove_prefix(prefix_bytes + *length);
  }
  EXPECT_TRUE(rest.empty());
}

TEST(Codec, refuses_an_empty_payload) {
  EXPECT_EQ(test::decode_any("").error(), Errc::malformed_message);
}

TEST(Codec, takes_ids_that_are_not_utf_8_without_a_word) {
  const Message message = PrepareSpawn{7, GroupKey{"duel/\xff\xfe\xc3"}, {1, MasterId{2}}};
  ::testing::internal::CaptureStderr();
  const auto back = test::decode_any(payload_of(message));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, message);
}

TEST(CodecDeathTest, never_writes_what_the_other_side_would_refuse) {
  const auto encoded = [](const Message& message) { return frame_of(message).size(); };
  EXPECT_DEATH(encoded(PrepareSpawn{1, GroupKey{}, {}}), "assertion failed");
  EXPECT_DEATH(encoded(PrepareSpawn{1, GroupKey{std::string(limits::group_bytes + 1, 'g')}, {}}),
               "assertion failed");
  EXPECT_DEATH(encoded(ReleaseSeats{RoomNumber{1}, {PlayerId{std::string(129, 'p')}}}),
               "assertion failed");
  EXPECT_DEATH(encoded(SeatReply{1, RoomNumber{1}, RoomPhase::open, {2, 1}, {}, {}}),
               "assertion failed");
  EXPECT_DEATH(
      encoded(SeatRequest{1, RoomNumber{1}, {{PlayerId{"p"}, {limits::party, PlayerId{"q"}}}}}),
      "assertion failed");
  PrepareReply empty_room{1, GroupKey{"g"}, true, {}, {RoomInfo{}}};
  EXPECT_DEATH(encoded(empty_room), "assertion failed");
  EXPECT_DEATH(encoded(WorkerState{}), "assertion failed");
}

TEST(CodecDeathTest, writes_no_list_that_is_longer_than_its_limit) {
  const std::vector<ModeName> modes(limits::modes + 1, ModeName{"m"});
  const std::vector<PausedMode> paused(limits::modes + 1, {ModeName{"m"}, {}, {}, "why"});
  const RoomInfo room{
      .number = RoomNumber{1}, .group = GroupKey{"g"}, .mode = ModeName{"m"}, .capacity = 1};
  const std::vector<RoomInfo> rooms(limits::rooms + 1, room);
  const std::vector<PlayerId> players(limits::capacity + 1, PlayerId{"1"});
  const WorkerState state{.zone = ZoneName{"z"}, .address = "a"};
  std::vector<Message> too_long;
  const auto add = [&](auto message, const auto& change) {
    change(message);
    too_long.emplace_back(std::move(message));
  };
  add(state, [&](WorkerState& each) { each.modes.known = modes; });
  add(state, [&](WorkerState& each) { each.modes.paused = paused; });
  add(state, [&](WorkerState& each) { each.rooms = rooms; });
  add(RoomsChanged{}, [&](RoomsChanged& each) { each.modes = WorkerModes{modes, {}}; });
  add(RoomsChanged{}, [&](RoomsChanged& each) { each.modes = WorkerModes{{}, paused}; });
  add(RoomsChanged{}, [&](RoomsChanged& each) { each.opened = rooms; });
  add(RoomsChanged{}, [&](RoomsChanged& each) { each.changed.resize(limits::rooms + 1); });
  add(SeatReply{}, [&](SeatReply& each) { each.seated = players; });
  add(SeatReply{}, [&](SeatReply& each) {
    each.granted.resize(limits::claims + 1);
    std::iota(each.granted.begin(), each.granted.end(), 0U);
  });
  add(PrepareReply{.group = GroupKey{"g"}}, [&](PrepareReply& each) { each.rooms = rooms; });
  add(SeatRequest{}, [&](SeatRequest& each) {
    each.claims.resize(limits::claims + 1, {PlayerId{"p"}, {}});
  });
  add(ReleaseSeats{},
      [&](ReleaseSeats& each) { each.players.resize(limits::capacity + 1, PlayerId{"p"}); });
  add(KeepWarm{}, [&](KeepWarm& each) { each.pools.resize(limits::modes + 1, GroupKey{"*m/1"}); });
  for (const Message& message : too_long) {
    EXPECT_DEATH(frame_of(message), "wrong == 0") << message.index();
  }
}

TEST(CodecDeathTest, writes_a_payload_of_up_to_frame_bytes) {
  const auto id = [](std::size_t bytes) { return PlayerId{std::string(bytes, 'p')}; };
  SeatRequest request{1, RoomNumber{1}, {507, {id(127), {limits::party - 1, id(127)}}}};
  // A claim more, of as many players as there is room for; an id has two bytes beside its own.
  const std::size_t left = limits::frame_bytes - payload_of(request).size() - 3;
  request.claims.push_back({id(left % 129 - 2), {left / 129, id(127)}});
  const auto payload = payload_of(request);
  EXPECT_EQ(payload.size(), limits::frame_bytes);
  const auto back = test::decode_any(payload);
  ASSERT_TRUE(back);
  EXPECT_TRUE(*back == Message{request});
  request.claims.back().player = id(left % 129 - 1);
  EXPECT_DEATH(frame_of(request), "length <= limits::frame_bytes");
}

}  // namespace
}  // namespace fixkeep::wire
