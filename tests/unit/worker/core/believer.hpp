// A master that believes exactly what a worker tells it, to be compared with the worker's truth.
// Thread rule: a value. Errors: news that contradict what was told before fail the test.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "worker/core/room_host.hpp"

namespace fixkeep::worker {

struct BelievedRoom {
  wire::RoomPhase phase = wire::RoomPhase::starting;
  std::uint32_t occupied = 0;
  std::multiset<PlayerId> players;
  GroupKey group;
  bool unknown = false;
  std::optional<wire::RoomPlace> place;
  friend bool operator==(const BelievedRoom&, const BelievedRoom&) = default;
};
using Belief = std::map<RoomNumber, BelievedRoom>;

inline BelievedRoom believed(const wire::RoomInfo& room) {
  return {room.phase, room.occupied, {room.players.begin(), room.players.end()},
          room.group, room.unknown,  room.place};
}

inline Belief truth_of(const RoomHost& host) {
  Belief truth;
  for (const auto& room : host.rooms()) truth[room.number] = believed(room);
  return truth;
}

inline std::set<ModeName> paused_of(const wire::WorkerModes& modes) {
  std::set<ModeName> paused;
  for (const wire::PausedMode& pause : modes.paused) {
    if (pause.cause != wire::PauseCause::slow) paused.insert(pause.mode);
  }
  return paused;
}

struct Believer {
  Belief rooms;
  std::uint32_t headroom = 0;
  std::set<ModeName> paused;
  std::size_t seats_told = 0;

  void hear(const wire::Report& message) {
    if (const auto* state = std::get_if<wire::WorkerState>(&message)) {
      rooms.clear();
      headroom = state->headroom;
      paused = paused_of(state->modes);
      for (const auto& room : state->rooms) rooms[room.number] = believed(room);
    } else if (const auto* news = std::get_if<wire::RoomsChanged>(&message)) {
      headroom = news->headroom;
      if (news->modes) paused = paused_of(*news->modes);
      for (const auto& room : news->opened) {
        const auto known = rooms.find(room.number);
        EXPECT_TRUE(known == rooms.end() || known->second.place != room.place ||
                    (wire::is_warm_pool(known->second.group) && !wire::is_warm_pool(room.group)))
            << "told twice of one room";
        rooms[room.number] = believed(room);
      }
      for (const auto& change : news->changed) hear_change(change);
    } else if (const auto* seats = std::get_if<wire::SeatReply>(&message)) {
      // A room that was made by another master's order within this batch is told of whole, later.
      if (!rooms.contains(seats->room)) return;
      // A seat that came free and was taken again within it is believed to be taken already.
      for (const PlayerId& hash : seats->seated) {
        auto& players = rooms[seats->room].players;
        if (!players.contains(hash)) players.insert(hash);
      }
    } else if (const auto* spawn = std::get_if<wire::SpawnReply>(&message)) {
      headroom = spawn->headroom;
      if (spawn->outcome == wire::SpawnOutcome::accepted &&
          spawn->room.phase != wire::RoomPhase::closed) {
        rooms[spawn->room.number] = believed(spawn->room);
      }
    } else if (const auto* prepare = std::get_if<wire::PrepareReply>(&message)) {
      for (const auto& room : prepare->rooms) rooms[room.number] = believed(room);
    }
  }

  void hear_change(const wire::RoomChange& change) {
    if (change.phase == wire::RoomPhase::closed) {
      rooms.erase(change.number);
      return;
    }
    EXPECT_TRUE(rooms.contains(change.number)) << "a change of an unknown room";
    auto& room = rooms[change.number];
    room.phase = change.phase;
    room.occupied = change.occupied;
    room.unknown = change.unknown;
    for (const PlayerId& hash : change.left) {
      EXPECT_EQ(room.players.erase(hash), 1U) << "left, but was not believed to be there";
      ++seats_told;
    }
    for (const PlayerId& hash : change.seated) add(change.number, hash);
  }

  void add(RoomNumber number, const PlayerId& hash) {
    auto& room = rooms[number];
    EXPECT_FALSE(room.players.contains(hash)) << "told twice of one seat";
    room.players.insert(hash);
    ++seats_told;
  }
};

}  // namespace fixkeep::worker
