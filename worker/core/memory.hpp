// Memory is the state that the worker's next run restores: rooms, seats, promises and the order
// that made each room.
//
// After each batch, RoomHost returns the changes as records. A record contains the whole present
// state of one object, for example a seat. Thus a record can be applied twice, and a newer record
// of the same object replaces it. Records applied in order make a Memory. The next RoomHost starts
// from this Memory (the event Recovered). The journal stores the records.
//
// Invariant: all records of a RoomHost make the same Memory as its snapshot().
// Thread rule: values. Bounds: those of RoomHost; at most `Memory::most_creations` creations.
// Errors: a record of an unknown room changes nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/newcomers.hpp"
#include "common/base/time.hpp"
#include "common/wire/messages.hpp"
#include "worker/core/results.hpp"

namespace fixkeep::worker {

struct RoomRecord {
  RoomNumber room;
  GroupKey group;
  ModeName mode;
  std::optional<wire::RoomPlace> place{};
  std::uint32_t capacity = 0;
  CreationId creation;
  wire::RoomPhase phase = wire::RoomPhase::starting;
  wire::CloseReason reason = wire::CloseReason::none;
  wire::WorkerTime opened_at{};
  std::optional<TimePoint> drained_by;  // end of the drain, if it has a time limit
  bool watched = false;                 // the game has sent a sign of life; see Health
  std::optional<wire::MatchFacts> match{};
  Admission admission;
  Wants wants{};

  friend bool operator==(const RoomRecord&, const RoomRecord&) = default;
};
struct RoomGone {  // the room's process has ended
  RoomNumber room;

  friend bool operator==(const RoomGone&, const RoomGone&) = default;
};
struct SeatReservation {
  ReservationId id;
  MasterId by{};  // the requesting master; 0: the worker itself, or not noted (older version)

  friend bool operator==(const SeatReservation&, const SeatReservation&) = default;
};
struct SeatRecord {
  RoomNumber room;
  PlayerId player;
  std::uint64_t came = 0;                     // see Seat; 0 and no reservations: the seat is free
  std::vector<SeatReservation> reservations;  // at most Reservations::most + 1; see Reservations
  std::string brings{};                       // see Seat
  std::string team{};
  std::string attributes{};
  std::uint32_t want = 0;  // see Seat

  [[nodiscard]] bool free() const { return came == 0 && reservations.empty(); }
  friend bool operator==(const SeatRecord&, const SeatRecord&) = default;
};
struct PromiseRecord {  // see Promises
  GroupKey group;
  FencingToken highest;
  std::optional<Incarnation> orderer;
  FencingToken promised;

  friend bool operator==(const PromiseRecord&, const PromiseRecord&) = default;
};
struct PromiseForgotten {
  GroupKey group;

  friend bool operator==(const PromiseForgotten&, const PromiseForgotten&) = default;
};
struct PromiseFloors {
  FencingToken floor;
  FencingToken promised_floor;
  std::uint64_t highest_counter = 0;

  friend bool operator==(const PromiseFloors&, const PromiseFloors&) = default;
};
struct CreationRecord {  // the creation of a room that is gone
  GroupKey group;
  CreationId creation;
  RoomNumber room;

  friend bool operator==(const CreationRecord&, const CreationRecord&) = default;
};
struct NumbersRecord {  // the highest numbers that were assigned
  std::uint32_t room = 0;
  std::uint64_t reservation = 0;

  friend bool operator==(const NumbersRecord&, const NumbersRecord&) = default;
};

struct MatchEnded {  // see EndedMatches
  GroupKey group;
  TimePoint at;

  friend bool operator==(const MatchEnded&, const MatchEnded&) = default;
};

using Record = std::variant<RoomRecord, RoomGone, SeatRecord, PromiseRecord, PromiseForgotten,
                            PromiseFloors, CreationRecord, NumbersRecord, MatchEnded, ResultRecord>;
using Records = std::vector<Record>;

class Memory {
 public:
  static constexpr std::size_t most_creations = 20'000;

  void apply(const Record& record);

  struct RememberedRoom {
    RoomRecord room;
    std::map<PlayerId, SeatRecord> seats;

    friend bool operator==(const RememberedRoom&, const RememberedRoom&) = default;
  };
  std::map<RoomNumber, RememberedRoom> rooms;
  std::map<GroupKey, PromiseRecord> promises;
  PromiseFloors floors;
  std::deque<CreationRecord> creations;  // the oldest first
  std::deque<MatchEnded> ended_matches;  // the oldest first
  Results results;
  NumbersRecord numbers;

  friend bool operator==(const Memory&, const Memory&) = default;

 private:
  void on(const RoomRecord& record);
  void on(const RoomGone& record);
  void on(const SeatRecord& record);
  void on(const PromiseRecord& record);
  void on(const PromiseForgotten& record);
  void on(const PromiseFloors& record);
  void on(const CreationRecord& record);
  void on(const NumbersRecord& record);
  void on(const MatchEnded& record);
  void on(const ResultRecord& record) { results.put(record); }
};

}  // namespace fixkeep::worker
