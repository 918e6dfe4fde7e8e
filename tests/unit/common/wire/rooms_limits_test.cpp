// Each limit of what workers say: met, and exceeded by one.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "common/wire/limits.hpp"
#include "tests/unit/common/wire/valid_frames.hpp"

namespace fixkeep::wire {
namespace {

using std::size_t;

constexpr size_t last_phase = static_cast<size_t>(RoomPhase::closed);
constexpr size_t last_reason = static_cast<size_t>(last_close_reason);
constexpr size_t last_outcome = static_cast<size_t>(last_spawn_outcome);

// All the places where a whole room stands.
struct Place {
  pb::Frame valid;
  std::function<pb::RoomInfo*(pb::Frame&)> room;
};

class RoomLimits : public ::testing::TestWithParam<int> {
 protected:
  RoomLimits() {
    switch (GetParam()) {
      case 0:
        place = {valid_worker_state(),
                 [](pb::Frame& frame) { return frame.mutable_worker_state()->mutable_rooms(0); }};
        break;
      case 1:
        place = {valid_rooms_changed(),
                 [](pb::Frame& frame) { return frame.mutable_rooms_changed()->mutable_opened(0); }};
        break;
      case 2:
        place = {valid_prepare_reply(),
                 [](pb::Frame& frame) { return frame.mutable_prepare_reply()->mutable_rooms(0); }};
        break;
      default:
        place = {valid_spawn_reply(),
                 [](pb::Frame& frame) { return frame.mutable_spawn_reply()->mutable_room(); }};
    }
  }
  template <class Change>
  [[nodiscard]] bool accepted_with(Change change) {
    auto frame = place.valid;
    change(*place.room(frame));
    return accepted(frame);
  }

  Place place;
};

TEST_P(RoomLimits, texts) {
  expect_text(place.valid, limits::group_bytes, [&](pb::Frame& frame, const std::string& text) {
    place.room(frame)->set_group(text);
  });
  expect_text(place.valid, limits::id_bytes, [&](pb::Frame& frame, const std::string& text) {
    place.room(frame)->set_mode(text);
  });
}

TEST_P(RoomLimits, numbers) {
  ASSERT_TRUE(accepted(place.valid));
  EXPECT_FALSE(accepted_with([](pb::RoomInfo& room) { room.set_number(0); }));
  EXPECT_FALSE(accepted_with([](pb::RoomInfo& room) { room.set_capacity(0); }));
  expect_most(place.valid, limits::capacity, [&](pb::Frame& frame, size_t seats) {
    place.room(frame)->set_capacity(narrow(seats));
  });
  // The capacity is 8.
  expect_most(place.valid, 8, [&](pb::Frame& frame, size_t players) {
    place.room(frame)->set_occupied(narrow(players));
  });
  expect_most(place.valid, 0xFFFF,
              [&](pb::Frame& frame, size_t port) { place.room(frame)->set_port(narrow(port)); });
  expect_most(place.valid, 0xFFFF, [&](pb::Frame& frame, size_t master) {
    place.room(frame)->mutable_creation()->mutable_token()->set_master(narrow(master));
  });
  expect_most(place.valid, last_phase,
              [&](pb::Frame& frame, size_t phase) { place.room(frame)->set_phase(narrow(phase)); });
  EXPECT_FALSE(accepted_with([](pb::RoomInfo& room) { room.set_phase(256); }));
  EXPECT_FALSE(accepted_with([](pb::RoomInfo& room) { room.set_port(0x10000 + 80); }));
}

TEST_P(RoomLimits, players) {
  expect_most(place.valid, limits::capacity, [&](pb::Frame& frame, size_t count) {
    fill(place.room(frame)->mutable_players(), count);
  });
}

INSTANTIATE_TEST_SUITE_P(EveryPlace, RoomLimits, ::testing::Range(0, 4));

// `list` gives the paused modes of the frame.
template <class List>
void expect_paused(const pb::Frame& valid, List list) {
  expect_text(valid, limits::id_bytes, [&](pb::Frame& frame, const std::string& text) {
    list(frame)->Mutable(0)->set_mode(text);
  });
  expect_text(valid, limits::reason_bytes, [&](pb::Frame& frame, const std::string& text) {
    list(frame)->Mutable(0)->set_reason(text);
  });
  expect_most(valid, static_cast<size_t>(last_pause_cause), [&](pb::Frame& frame, size_t cause) {
    list(frame)->Mutable(0)->set_cause(narrow(cause));
  });
  expect_most(valid, limits::modes,
              [&](pb::Frame& frame, size_t count) { repeat(list(frame), count); });
}

TEST(WorkerLimits, worker_state) {
  const auto valid = valid_worker_state();
  ASSERT_TRUE(accepted(valid));
  for (const std::size_t size : {0, 31, 33}) {
    pb::Frame frame = valid;
    frame.mutable_worker_state()->set_seat_root(std::string(size, 'x'));
    EXPECT_FALSE(accepted(frame)) << size;
  }
  expect_text(valid, limits::id_bytes, [](pb::Frame& frame, const std::string& text) {
    frame.mutable_worker_state()->set_zone(text);
  });
  expect_text(valid, limits::address_bytes, [](pb::Frame& frame, const std::string& text) {
    frame.mutable_worker_state()->set_address(text);
  });
  expect_text(valid, limits::id_bytes, [](pb::Frame& frame, const std::string& text) {
    frame.mutable_worker_state()->set_modes(0, text);
  });
  expect_most(valid, limits::modes, [](pb::Frame& frame, size_t count) {
    repeat(frame.mutable_worker_state()->mutable_modes(), count);
  });
  expect_most(valid, limits::rooms, [](pb::Frame& frame, size_t count) {
    repeat(frame.mutable_worker_state()->mutable_rooms(), count);
  });
  expect_paused(valid,
                [](pb::Frame& frame) { return frame.mutable_worker_state()->mutable_paused(); });
}

TEST(WorkerLimits, rooms_changed) {
  const auto valid = valid_rooms_changed();
  ASSERT_TRUE(accepted(valid));
  expect_most(valid, limits::rooms, [](pb::Frame& frame, size_t count) {
    repeat(frame.mutable_rooms_changed()->mutable_opened(), count);
  });
  expect_most(valid, limits::rooms, [](pb::Frame& frame, size_t count) {
    repeat(frame.mutable_rooms_changed()->mutable_changed(), count);
  });
  expect_most(valid, last_phase, [](pb::Frame& frame, size_t phase) {
    frame.mutable_rooms_changed()->mutable_changed(0)->set_phase(narrow(phase));
  });
  expect_most(valid, last_reason, [](pb::Frame& frame, size_t reason) {
    frame.mutable_rooms_changed()->mutable_changed(0)->set_reason(narrow(reason));
  });
  expect_most(valid, limits::capacity, [](pb::Frame& frame, size_t count) {
    fill(frame.mutable_rooms_changed()->mutable_changed(0)->mutable_seated(), count);
  });
  expect_most(valid, limits::capacity, [](pb::Frame& frame, size_t count) {
    fill(frame.mutable_rooms_changed()->mutable_changed(0)->mutable_left(), count);
  });
  expect_paused(valid, [](pb::Frame& frame) {
    return frame.mutable_rooms_changed()->mutable_modes()->mutable_paused();
  });
  expect_most(valid, limits::modes, [](pb::Frame& frame, size_t count) {
    repeat(frame.mutable_rooms_changed()->mutable_modes()->mutable_known(), count);
  });
  expect_text(valid, limits::id_bytes, [](pb::Frame& frame, const std::string& text) {
    frame.mutable_rooms_changed()->mutable_modes()->set_known(0, text);
  });
}

// `granted` in both replies: ascending, each once, no more than there are claims.
template <class Granted>
void expect_ascending(const pb::Frame& valid, Granted granted) {
  const auto with = [&](std::initializer_list<std::uint32_t> indices) {
    auto frame = valid;
    granted(frame)->Add(indices.begin(), indices.end());
    return accepted(frame);
  };
  EXPECT_TRUE(with({}));
  EXPECT_TRUE(with({0}));
  EXPECT_TRUE(with({0, 1, 7, 0xFFFFFFFF}));
  EXPECT_FALSE(with({1, 0}));
  EXPECT_FALSE(with({0, 2, 1}));
  EXPECT_FALSE(with({3, 3}));
  expect_most(valid, limits::claims, [&](pb::Frame& frame, size_t count) {
    for (std::uint32_t index = 0; index < count; ++index) granted(frame)->Add(index);
  });
}

TEST(WorkerLimits, seat_reply) {
  const auto valid = valid_seat_reply();
  ASSERT_TRUE(accepted(valid));
  expect_ascending(valid,
                   [](pb::Frame& frame) { return frame.mutable_seat_reply()->mutable_granted(); });
  expect_most(valid, last_phase, [](pb::Frame& frame, size_t phase) {
    frame.mutable_seat_reply()->set_phase(narrow(phase));
  });
  expect_most(valid, limits::capacity, [](pb::Frame& frame, size_t count) {
    fill(frame.mutable_seat_reply()->mutable_seated(), count);
  });
}

TEST(WorkerLimits, prepare_reply) {
  const auto valid = valid_prepare_reply();
  ASSERT_TRUE(accepted(valid));
  expect_text(valid, limits::group_bytes, [](pb::Frame& frame, const std::string& text) {
    frame.mutable_prepare_reply()->set_group(text);
  });
  expect_most(valid, 0xFFFF, [](pb::Frame& frame, size_t master) {
    frame.mutable_prepare_reply()->mutable_highest()->set_master(narrow(master));
  });
  expect_most(valid, limits::rooms, [](pb::Frame& frame, size_t count) {
    repeat(frame.mutable_prepare_reply()->mutable_rooms(), count);
  });
}

TEST(WorkerLimits, spawn_reply) {
  const auto valid = valid_spawn_reply();
  ASSERT_TRUE(accepted(valid));
  expect_ascending(valid,
                   [](pb::Frame& frame) { return frame.mutable_spawn_reply()->mutable_granted(); });
  expect_most(valid, last_outcome, [](pb::Frame& frame, size_t outcome) {
    frame.mutable_spawn_reply()->set_outcome(narrow(outcome));
  });
  expect_most(valid, 0xFFFF, [](pb::Frame& frame, size_t master) {
    frame.mutable_spawn_reply()->mutable_highest()->set_master(narrow(master));
  });
  // An order that was accepted has a room; in every other reply nobody looks at it.
  auto frame = valid;
  frame.mutable_spawn_reply()->clear_room();
  EXPECT_FALSE(accepted(frame));
  frame.mutable_spawn_reply()->set_outcome(narrow(last_outcome));
  EXPECT_TRUE(accepted(frame));
}

}  // namespace
}  // namespace fixkeep::wire
