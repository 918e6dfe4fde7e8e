// Whether a room takes newcomers: players without a seat in the room. Its mode has a rule, and its
// game can decide otherwise at any time.
//
// A room is in one of three stages:
//
//   gathering     its first match is not complete: it takes newcomers
//   running       it is complete, and the room still takes newcomers
//   no_newcomers  the room takes no newcomers
//
// The first match is complete as soon as all seats of the room have been taken once, or the mode's
// rules have chosen its players, or the game has refused newcomers for the first time. The room of
// a match that a service has made is always gathering: only this service sends players there.
//
// Thread rule: values. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/time.hpp"

namespace fixkeep {

// The rule of a mode. It counts until the game decides.
enum class Newcomers : std::uint8_t {
  always,         // a free seat goes to a newcomer
  until_started,  // the same; and a room that takes no newcomers ends when it is empty
  never,          // no newcomers after the first match is complete; it ends when it is empty
};
inline constexpr Newcomers last_newcomers = Newcomers::never;

// The latest decision of a game. A decision counts more than the mode's rule.
enum class NewcomersWord : std::uint8_t { none, open, closed };
inline constexpr NewcomersWord last_newcomers_word = NewcomersWord::closed;

enum class RoomStage : std::uint8_t { gathering, running, no_newcomers };
inline constexpr RoomStage last_room_stage = RoomStage::no_newcomers;

struct Admission {
  Newcomers rule = Newcomers::always;
  NewcomersWord word = NewcomersWord::none;
  bool complete = false;  // the first match is, or was, complete
  // After this time with a player, the room closes, unless its game has decided. 0: no limit.
  Duration lasts{};
  std::optional<TimePoint> until{};  // set when the first player has a seat in the open room

  [[nodiscard]] constexpr RoomStage stage() const {
    if (word == NewcomersWord::closed) return RoomStage::no_newcomers;
    if (!complete) return RoomStage::gathering;
    const bool refuses = word == NewcomersWord::none && rule == Newcomers::never;
    return refuses ? RoomStage::no_newcomers : RoomStage::running;
  }
  friend constexpr bool operator==(const Admission&, const Admission&) = default;
};

// Players that a game wants for its running room. While it has wants, they count more than the
// mode's rule and the game's decision: the room takes the wanted players and no others.
struct Want {
  std::string team;           // empty: any team
  std::string role;           // empty: any role
  std::uint32_t players = 0;  // number of players; to masters: not found yet

  friend bool operator==(const Want&, const Want&) = default;
};
using Wants = std::vector<Want>;
inline constexpr std::size_t wants_most = 16;

// Gives each player the first want that fits and is not filled. Returns the indices of these wants;
// nullopt if a player finds none. `left` then has an unspecified value.
template <class Wants, class Players, class Fits>
[[nodiscard]] std::optional<std::vector<std::uint32_t>> fill(Wants& left, const Players& players,
                                                             const Fits& fits) {
  std::vector<std::uint32_t> filled;
  for (const auto& player : players) {
    std::uint32_t i = 0;
    while (i < left.size() && (left[i].players == 0 || !fits(left[i], player))) ++i;
    if (i == left.size()) return std::nullopt;
    --left[i].players;
    filled.push_back(i);
  }
  return filled;
}

}  // namespace fixkeep
