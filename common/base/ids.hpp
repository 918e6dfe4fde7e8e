// Each kind of identifier has its own type, so the compiler rejects a wrong kind.
//
// NamedId     text that people choose or read (a player, a group, a worker).
// NumberedId  a number from the system (a master's configured number, a ticket).
//
// Both are regular values: copyable, totally ordered, hashable. NamedIds are ordered by bytes, so a
// std::map has the same order on every machine. Thread rule: values without shared state. Bounds:
// none here. Configuration, HTTP and codec limit the text of an id when they read it.
#pragma once

#include <array>
#include <charconv>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace fixkeep {

template <class Tag>
class NamedId {
 public:
  NamedId() = default;
  explicit NamedId(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool empty() const { return text_.empty(); }

  friend auto operator<=>(const NamedId&, const NamedId&) = default;
  friend bool operator==(const NamedId&, const NamedId&) = default;

 private:
  std::string text_;
};

template <class Tag, class Rep>
class NumberedId {
 public:
  using rep = Rep;

  constexpr NumberedId() = default;
  constexpr explicit NumberedId(Rep number) : number_(number) {}

  [[nodiscard]] constexpr Rep number() const { return number_; }

  friend constexpr auto operator<=>(NumberedId, NumberedId) = default;
  friend constexpr bool operator==(NumberedId, NumberedId) = default;

 private:
  Rep number_{};
};

using PlayerId = NamedId<struct PlayerTag>;
using GroupKey = NamedId<struct GroupTag>;  // players of one group may share a room
using WorkerId = NamedId<struct WorkerTag>;
using ZoneName = NamedId<struct ZoneTag>;
using ModeName = NamedId<struct ModeTag>;

using MasterId = NumberedId<struct MasterTag, std::uint16_t>;  // 1..255, unique, configured
using TicketId = NumberedId<struct TicketTag, std::uint64_t>;  // one match request at a master
using RoomNumber =
    NumberedId<struct RoomTag, std::uint32_t>;  // counts from 1 within an incarnation
using Incarnation = NumberedId<struct IncarnationTag, std::uint64_t>;  // one run of a process
// The number of one grant of seats. The numbers grow during one run of the worker. 0: no grant.
using ReservationId = NumberedId<struct ReservationTag, std::uint64_t>;
using PlayerHash = NumberedId<struct PlayerHashTag, std::uint64_t>;  // see player_hasher.hpp

// A random secret: the keys of one worker's rooms are derived from it (common/auth/seat_token.hpp).
// Only this worker and the masters know the secret.
using SeatRoot = std::array<unsigned char, 32>;

// For example "m3": the name of a master in logs, metrics, JSON and links.
[[nodiscard]] inline std::string to_string(MasterId master) {
  return "m" + std::to_string(master.number());
}

// The id of a room, unique for all time: the worker, the worker's run, and the room's number in
// that run.
struct RoomId {
  WorkerId worker;
  Incarnation incarnation;
  RoomNumber number;

  friend auto operator<=>(const RoomId&, const RoomId&) = default;
  friend bool operator==(const RoomId&, const RoomId&) = default;
};

// For example "w1-5f3a9c0211d2e4b7-12". parse_room_id() accepts exactly what to_string() makes.
[[nodiscard]] std::string to_string(const RoomId& room);
[[nodiscard]] std::optional<RoomId> parse_room_id(std::string_view text);

// Puts the grants of each group's lock in sequence, and thus the creations of rooms: a later grant
// has a higher token. A run of a master must not use one counter for two grants of a group. Two
// runs of one master may have the same token: then a worker carries out the orders of only one run.
struct FencingToken {
  std::uint64_t counter = 0;
  MasterId master;

  friend constexpr auto operator<=>(const FencingToken&, const FencingToken&) = default;
  friend constexpr bool operator==(const FencingToken&, const FencingToken&) = default;
};

// No cluster ever grants this many locks, so a higher counter can only be garbage. Our own counter
// stops at this value and never wraps to zero. So a peer that sends a huge counter cannot make our
// later tokens small.
inline constexpr std::uint64_t largest_counter = std::uint64_t{1} << 62U;

// Returns the lowest token of `master` that is above `highest`.
[[nodiscard]] constexpr FencingToken token_after(FencingToken highest, MasterId master) {
  return {highest.counter < largest_counter ? highest.counter + 1 : largest_counter, master};
}

// Identifies the order that made a room. If a master repeats an order, the worker makes no second
// room. The game process finds this id in its environment variable FIXKEEP_CREATION_ID.
struct CreationId {
  FencingToken token;
  std::uint32_t index = 0;  // index among the rooms that a holder ordered under one token
  Incarnation orderer;      // run of the master that ordered

  friend auto operator<=>(const CreationId&, const CreationId&) = default;
  friend bool operator==(const CreationId&, const CreationId&) = default;
};

// For example "7.m2.0.5f3a9c0211d2e4b7". parse_creation_id() accepts exactly what to_string()
// makes.
[[nodiscard]] std::string to_string(const CreationId& creation);
[[nodiscard]] std::optional<CreationId> parse_creation_id(std::string_view text);

}  // namespace fixkeep

template <class Tag>
struct std::hash<fixkeep::NamedId<Tag>> {
  std::size_t operator()(const fixkeep::NamedId<Tag>& id) const noexcept {
    return std::hash<std::string>{}(id.text());
  }
};

template <class Tag, class Rep>
struct std::hash<fixkeep::NumberedId<Tag, Rep>> {
  std::size_t operator()(fixkeep::NumberedId<Tag, Rep> id) const noexcept {
    return std::hash<Rep>{}(id.number());
  }
};
