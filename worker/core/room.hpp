// One room as its worker keeps it: what it is, its seats, its process, and the news about it.
//
// Invariants: 1. at most `capacity` seats are taken, by players that are all different.
//             2. `occupied` counts the taken seats whose player is in the game.
// Thread rule: one owner. Bounds: capacity. Errors: none; what does not fit is said in the answer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/messages.hpp"

namespace fixkeep::worker {

struct Seat {
  bool occupied = false;
  // Changes whenever the reservation is made or renewed, so that an older entry of the expiry queue
  // knows that it is no longer meant.
  std::uint64_t stamp = 0;
};

class Seats {
 public:
  explicit Seats(std::uint32_t capacity) : capacity_(capacity) {}

  [[nodiscard]] std::uint32_t capacity() const { return capacity_; }
  [[nodiscard]] std::uint32_t taken() const { return static_cast<std::uint32_t>(seats_.size()); }
  [[nodiscard]] std::uint32_t occupied() const { return occupied_; }
  [[nodiscard]] const Seat* find(const PlayerId& player) const;
  [[nodiscard]] const std::map<PlayerId, Seat>& all() const { return seats_; }

  // The players of the claim who have no seat yet, each once.
  [[nodiscard]] std::vector<PlayerId> newcomers(const wire::Claim& claim) const;

  // REQUIRES: a free seat, or a player who has one.
  void reserve(const PlayerId& player, std::uint64_t stamp);
  // REQUIRES: the player has a seat. Occupying an occupied seat changes nothing.
  void occupy(const PlayerId& player);
  // REQUIRES: the player has a seat.
  void free(const PlayerId& player);

 private:
  std::uint32_t capacity_;
  std::uint32_t occupied_ = 0;
  std::map<PlayerId, Seat> seats_;
};

// A seat that was taken or came free since the masters were last told.
struct SeatNews {
  PlayerHash player;
  bool seated = false;
  MasterId told;  // the master whose reply says so already; number 0: nobody
  std::uint32_t order = 0;
};

// A master that was sent the whole room, as it was before the seat news number `order`.
struct Shown {
  MasterId master;
  std::uint32_t order = 0;
};

// What the masters have not been told yet; see news.hpp.
struct RoomNews {
  bool pending = false;  // it is on the list of rooms with news
  bool born = false;     // made since the masters were last told
  bool changed = false;  // its phase or its number of occupied seats
  std::vector<SeatNews> seats;
  std::vector<Shown> shown;
};

enum class ProcessPhase : std::uint8_t {
  running,    // started, booting or serving
  signalled,  // asked to end, has its grace
  killed,     // ends any moment
  gone,       // has ended; its port is free
};

struct Room {
  RoomNumber number;
  GroupKey group;
  ModeName mode;
  std::uint16_t port = 0;
  CreationId creation;
  Seats seats;
  wire::RoomPhase phase = wire::RoomPhase::starting;
  wire::CloseReason reason = wire::CloseReason::none;
  ProcessPhase process = ProcessPhase::running;
  // Starting: boot timeout. Open and without a seat taken: when it closes. Signalled: the kill.
  std::optional<TimePoint> deadline;
  RoomNews news;

  [[nodiscard]] bool closed() const { return phase == wire::RoomPhase::closed; }
  [[nodiscard]] bool takes_players() const {
    return phase == wire::RoomPhase::starting || phase == wire::RoomPhase::open;
  }
};

[[nodiscard]] wire::RoomInfo info_of(const Room& room);

}  // namespace fixkeep::worker
