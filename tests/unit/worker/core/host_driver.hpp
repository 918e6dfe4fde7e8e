// Drives a RoomHost as the shell does, and keeps what its masters would believe.
// Thread rule: one owner.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/worker/core/believer.hpp"
#include "worker/core/room_host.hpp"

namespace fixkeep::worker {

using std::chrono::milliseconds;
using std::chrono::seconds;

inline const GroupKey duel{"duel|eu"};
inline const GroupKey brawl{"brawl|eu"};
inline const MasterId m1{1};
inline const MasterId m2{2};

inline PlayerId player(int number) {
  return PlayerId{"p" + std::to_string(number)};
}

inline std::vector<wire::Claim> claims(std::initializer_list<int> players) {
  std::vector<wire::Claim> result;
  for (const int number : players) result.push_back({.player = player(number), .party = {}});
  return result;
}

inline wire::RoomPlace place_of(RoomNumber room) {
  return {"", {{"default", static_cast<std::uint16_t>(20'000 + room.number())}}};
}

inline RoomHostOptions small_options() {
  RoomHostOptions options;
  options.self = WorkerId{"w1"};
  options.zone = ZoneName{"a"};
  options.address = "127.0.0.1";
  options.room_limit = 3;
  options.modes = {ModeOptions{.name = ModeName{"duel"}},
                   ModeOptions{.name = ModeName{"brawl"}, .boot_timeout = seconds{5}}};
  options.boot_backoff.most = Duration{0};  // most tests are not about failed boots
  options.hears_first = Duration{0};        // nor about a busy machine
  return options;
}

struct Driver {
  explicit Driver(RoomHostOptions options = small_options()) : host(std::move(options), now) {}

  Actions step(Event event) {
    Actions out;
    host.step(std::move(event), now, out);
    for (const Action& action : out) {
      if (const auto* sent = std::get_if<SendToMaster>(&action)) {
        masters[sent->master].hear(sent->message);
      }
    }
    for (const Action& action : Actions{out}) {
      const auto* const start = std::get_if<StartProcess>(&action);
      if (start != nullptr && places) place(start->room);
      if (const auto* look = std::get_if<LookAtGame>(&action)) answer(look->room);
    }
    return out;
  }
  void answer(RoomNumber room) {
    if (!answers) return;
    if (!why_not_ready.empty()) step(NotReady{room, why_not_ready});
    step(GameSeen{.room = room, .waited = waited, .connected = connected});
  }
  Actions place(RoomNumber room) { return step(RoomPlaced{room, place_of(room)}); }
  Actions say(MasterId master, wire::Order order) {
    const auto* const spawn = std::get_if<wire::SpawnRoom>(&order);
    const std::string why = spawn == nullptr ? "" : why_not_told[spawn->group];
    return step(MasterSaid{.master = master, .message = std::move(order), .why_not_told = why});
  }
  Actions batch() { return step(BatchEnded{}); }
  Actions pass(Duration duration) {
    now += duration;
    Actions out = step(TimePassed{});
    for (int ticks = 0; host.next_tick() <= now; ++ticks) {
      if (ticks == 10) throw std::runtime_error("a timer has no end");
      for (Action& action : step(TimePassed{})) out.push_back(std::move(action));
    }
    return out;
  }

  wire::SpawnReply spawn(MasterId master, std::uint64_t counter, std::uint32_t capacity = 4,
                         std::initializer_list<int> players = {}, const GroupKey& group = duel,
                         const std::string& mode = "duel") {
    const Actions out = say(
        master, wire::SpawnRoom{.request = ++request,
                                .group = group,
                                .mode = ModeName{mode},
                                .creation = {.token = {counter, master}, .index = 0, .orderer = {}},
                                .basis = basis,
                                .capacity = capacity,
                                .claims = claims(players)});
    return last<wire::SpawnReply>(out);
  }
  wire::SeatReply seats(MasterId master, RoomNumber room, std::vector<wire::Claim> wanted) {
    return last<wire::SeatReply>(
        say(master,
            wire::SeatRequest{.request = ++request, .room = room, .claims = std::move(wanted)}));
  }
  void release(MasterId master, RoomNumber room, ReservationId reservation,
               std::initializer_list<int> players) {
    std::vector<PlayerId> names;
    for (const int number : players) names.push_back(player(number));
    say(master,
        wire::ReleaseSeats{.room = room, .players = std::move(names), .reservation = reservation});
  }
  wire::PrepareReply prepare(MasterId master, std::uint64_t counter, const GroupKey& group = duel) {
    return last<wire::PrepareReply>(
        say(master,
            wire::PrepareSpawn{.request = ++request, .group = group, .token = {counter, master}}));
  }
  bool admits(RoomNumber room, int number) {
    const Actions out =
        step(PlayerArrived{.room = room, .player = player(number), .question = ++request});
    return std::get<AdmitPlayer>(out.back()).admitted;
  }
  RoomNumber open_room(std::uint32_t capacity = 4, std::initializer_list<int> players = {}) {
    const auto room = spawn(m1, ++token, capacity, players).room.number;
    step(ProcessReady{room});
    batch();
    return room;
  }

  template <class Reply>
  static Reply last(const Actions& out) {
    for (auto action = out.rbegin(); action != out.rend(); ++action) {
      if (const auto* sent = std::get_if<SendToMaster>(&*action)) {
        if (const auto* reply = std::get_if<Reply>(&sent->message)) return *reply;
      }
    }
    ADD_FAILURE() << "no such reply";
    return {};
  }

  TimePoint now{seconds{1000}};
  RoomHost host;
  std::map<MasterId, Believer> masters;
  std::uint64_t request = 0;
  std::uint64_t token = 0;
  FencingToken basis;  // of the next orders
  bool places = true;  // each room has its place at once
  std::map<GroupKey, std::string> why_not_told;
  // What is seen of a game that is looked at, unless nobody answers.
  bool answers = true;
  Duration waited{};
  std::optional<bool> connected;
  std::string why_not_ready;
};

inline Memory memory_of(const Records& records) {
  Memory memory;
  for (const Record& record : records) memory.apply(record);
  return memory;
}

template <class Wanted>
std::vector<Wanted> all(const Actions& out) {
  std::vector<Wanted> result;
  for (const Action& action : out) {
    if (const auto* found = std::get_if<Wanted>(&action)) result.push_back(*found);
  }
  return result;
}

inline wire::CloseReason close_reason(const Actions& out, RoomNumber room) {
  for (const auto& sent : all<SendToMaster>(out)) {
    if (const auto* news = std::get_if<wire::RoomsChanged>(&sent.message)) {
      for (const auto& change : news->changed) {
        if (change.number == room) return change.reason;
      }
    }
  }
  return wire::CloseReason::none;
}

}  // namespace fixkeep::worker
