// News stores the facts that each master knows about this worker's rooms, and the facts that are
// not sent yet.
//
// The events of a batch are noted with their rooms. At the end of the batch, each master gets all
// of them in one message. A seat that was taken and came free within one batch is not reported.
// Exception: if a reply in this batch told a master that the seat is taken, this master also learns
// that the seat came free.
//
// Invariant: after tell(), every connected master that applies its messages in order knows the
//            headroom and the modes that take orders. It also knows each room's phase, taken seats
//            and number of occupied seats, and each remembered result.
// Thread rule: one owner. Bounds: a message beyond `message_bytes` is split.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "worker/core/events.hpp"
#include "worker/core/results.hpp"
#include "worker/core/room.hpp"
#include "worker/core/room_news.hpp"

namespace fixkeep::worker {

using Rooms = std::map<RoomNumber, Room>;

// Approximate size limit of a message about rooms. The estimates are rough, so the limit is well
// below wire::limits::frame_bytes. The limit also keeps the number of rooms and changes below
// wire::limits::rooms.
inline constexpr std::size_t message_bytes = 1U << 20U;
[[nodiscard]] std::size_t estimate(const wire::RoomInfo& room);
[[nodiscard]] std::size_t estimate(const wire::RoomChange& change);

// The facts that every master receives together with the rooms.
struct Outlook {
  std::uint32_t headroom = 0;
  RoomNumber newest_room;
  wire::StartQueue starts{};
};

class News {
 public:
  // Completes `state` with the rooms and the outlook, and sends it to the new master. Then sends
  // all results.
  void connected(MasterId master, wire::WorkerState state, Rooms& rooms, const Results& results,
                 Outlook outlook, Actions& out);
  void disconnected(MasterId master) { masters_.erase(master); }
  [[nodiscard]] bool knows(MasterId master) const { return masters_.contains(master); }

  // --- notes of changes
  void born(Room& room);
  void renewed(Room& room);  // new group or place: the whole room is sent
  void changed(Room& room);  // phase or occupied seats
  void seated(Room& room, const PlayerId& player, MasterId told);
  void left(Room& room, const PlayerId& player);
  void said(ResultRecord result) { results_.push_back(std::move(result)); }
  // These two calls note that a reply has told the master the whole room, or the headroom.
  void shown(Room& room, MasterId master);
  void headroom_told(MasterId master, std::uint32_t headroom);

  void modes_changed(wire::WorkerModes modes) { modes_ = std::move(modes); }

  [[nodiscard]] const std::vector<RoomNumber>& pending() const { return pending_; }
  // Sends the news to all masters and clears the notes. Afterwards no room has pending news.
  void tell(Rooms& rooms, Outlook outlook, Actions& out);

 private:
  void touch(Room& room);

  std::map<MasterId, std::uint32_t> masters_;  // the headroom last sent to each master
  std::vector<RoomNumber> pending_;
  std::vector<ResultRecord> results_;       // new results
  std::optional<wire::WorkerModes> modes_;  // set if changed since the last message to masters
};

}  // namespace fixkeep::worker
