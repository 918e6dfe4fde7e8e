#include "worker/core/news.hpp"

#include <algorithm>
#include <iterator>

namespace fixkeep::worker {
namespace {

// Returns the note about the last reply to `master` that contained the whole room, or null.
const Shown* last_shown(const RoomNews& news, MasterId master) {
  const Shown* last = nullptr;
  for (const Shown& shown : news.shown) {
    if (shown.master == master) last = &shown;
  }
  return last;
}

// Writes a series of RoomsChanged messages, each of which fits a frame.
class Writer {
 public:
  Writer(MasterId master, Outlook outlook, Actions& out)
      : master_(master), outlook_(outlook), out_(out) {}

  void add(wire::RoomInfo&& room) {
    const std::size_t bytes = estimate(room);
    make_room_for(bytes);
    // A master treats every unlisted room up to newest_room as closed. Therefore newest_room of
    // each message except the last is the room that was listed last.
    last_opened_ = room.number;
    message_.opened.push_back(std::move(room));
    bytes_ += bytes;
  }

  void add(wire::RoomChange&& change) {
    const std::size_t bytes = estimate(change);
    make_room_for(bytes);
    message_.changed.push_back(std::move(change));
    bytes_ += bytes;
  }

  void add(wire::RoomResult&& result) {
    const std::size_t bytes = 64 + result.group.text().size() + result.value.size();
    make_room_for(bytes);
    message_.results.push_back(std::move(result));
    bytes_ += bytes;
  }

  // Modes are sent first. Otherwise a master could learn of a failed room and order another room of
  // its paused mode.
  void add(wire::WorkerModes modes) { message_.modes = std::move(modes); }

  void finish(bool also_if_empty) {
    if (bytes_ == 0 && !message_.modes && !also_if_empty) return;
    send(outlook_.newest_room);
  }

 private:
  void make_room_for(std::size_t bytes) {
    if (bytes_ != 0 && bytes_ + bytes > message_bytes) send(last_opened_);
  }

  void send(RoomNumber newest) {
    message_.headroom = outlook_.headroom;
    message_.newest_room = newest;
    message_.starts = outlook_.starts;
    out_.emplace_back(SendToMaster{.master = master_, .message = std::move(message_)});
    message_ = {};
    bytes_ = 0;
  }

  MasterId master_;
  Outlook outlook_;
  Actions& out_;
  wire::RoomsChanged message_;
  RoomNumber last_opened_;
  std::size_t bytes_ = 0;
};

// Sorts the news of one room by player. The events of one player stay in order.
void group_by_player(std::vector<SeatNews>& seats) {
  if (seats.size() < 2) return;
  std::stable_sort(seats.begin(), seats.end(),
                   [](const SeatNews& a, const SeatNews& b) { return a.player < b.player; });
}

// Adds the seat news that `master` lacks. The master already knows all news before number `seen`.
void add_seats(const std::vector<SeatNews>& seats, MasterId master, std::uint32_t seen,
               wire::RoomChange& change) {
  for (auto first = seats.begin(); first != seats.end();) {
    bool believed = !first->seated;  // the state before the first event
    auto last = first;
    for (; last != seats.end() && last->player == first->player; ++last) {
      if (last->order < seen) {
        believed = last->seated;
      } else if (last->told == master) {
        believed = true;
      }
    }
    const bool is_seated = std::prev(last)->seated;
    if (is_seated != believed) {
      (is_seated ? change.seated : change.left).push_back(first->player);
    }
    first = last;
  }
}

wire::RoomResult told(const ResultRecord& result, const Rooms& rooms) {
  const auto room = rooms.find(result.room);
  return {.room = result.room,
          .group = result.group,
          .creation = result.creation,
          .value = result.value,
          .room_ended = room == rooms.end() || room->second.closed()};
}

std::size_t bytes_of(const std::vector<PlayerId>& players) {
  std::size_t bytes = 0;
  for (const PlayerId& player : players) bytes += 3 + player.text().size();
  return bytes;
}

std::uint32_t next_order(const Room& room) {
  return static_cast<std::uint32_t>(room.news.seats.size());
}

}  // namespace

std::size_t estimate(const wire::RoomInfo& room) {
  std::size_t place = 0;
  if (room.place) {
    place = 8 + room.place->host.size();
    for (const wire::NamedPort& port : room.place->ports) place += 10 + port.name.size();
  }
  std::size_t brought = 0;
  for (const std::string& each : room.brought) brought += 3 + each.size();
  return 64 + room.group.text().size() + room.mode.text().size() + bytes_of(room.players) +
         brought + place + (room.match ? room.match->bytes() : 0);
}

std::size_t estimate(const wire::RoomChange& change) {
  return 64 + bytes_of(change.seated) + bytes_of(change.left);
}

void News::connected(MasterId master, wire::WorkerState state, Rooms& rooms, const Results& results,
                     Outlook outlook, Actions& out) {
  masters_[master] = outlook.headroom;
  for (const RoomNumber number : pending_) shown(rooms.at(number), master);
  state.headroom = outlook.headroom;
  state.starts = outlook.starts;
  std::size_t bytes = 0;
  auto room = rooms.begin();
  for (; room != rooms.end(); ++room) {
    if (room->second.closed()) continue;
    wire::RoomInfo info = info_of(room->second);
    bytes += estimate(info);
    if (!state.rooms.empty() && bytes > message_bytes) break;
    state.rooms.push_back(std::move(info));
  }
  // Rooms that do not fit into the message are sent later as news. Until then newest_room stays
  // below their numbers, so that the master does not treat them as closed.
  state.newest_room =
      room == rooms.end() ? outlook.newest_room : RoomNumber{room->first.number() - 1};
  out.emplace_back(SendToMaster{.master = master, .message = std::move(state)});
  Writer writer{master, outlook, out};
  for (; room != rooms.end(); ++room) {
    if (!room->second.closed()) writer.add(info_of(room->second));
  }
  for (const auto& [number, result] : results.all()) writer.add(told(result, rooms));
  writer.finish(false);
}

void News::touch(Room& room) {
  if (std::exchange(room.news.pending, true)) return;
  pending_.push_back(room.number);
}

void News::born(Room& room) {
  touch(room);
  room.news.born = true;
}

void News::renewed(Room& room) {
  touch(room);
  room.news.renewed = true;
  for (Shown& shown : room.news.shown) shown.outdated = true;
}

void News::changed(Room& room) {
  touch(room);
  room.news.changed = true;
}

void News::seated(Room& room, const PlayerId& player, MasterId told) {
  touch(room);
  room.news.seats.push_back(
      {.player = player, .seated = true, .told = told, .order = next_order(room)});
}

void News::left(Room& room, const PlayerId& player) {
  touch(room);
  room.news.seats.push_back(
      {.player = player, .seated = false, .told = {}, .order = next_order(room)});
}

void News::shown(Room& room, MasterId master) {
  // If the room has pending news, this master now knows more than the other masters. Without
  // pending news, all masters know the same.
  if (room.news.pending) room.news.shown.push_back({.master = master, .order = next_order(room)});
}

void News::headroom_told(MasterId master, std::uint32_t headroom) {
  const auto found = masters_.find(master);
  if (found != masters_.end()) found->second = headroom;
}

void News::tell(Rooms& rooms, Outlook outlook, Actions& out) {
  std::sort(pending_.begin(), pending_.end());
  for (const RoomNumber number : pending_) group_by_player(rooms.at(number).news.seats);
  for (auto& [master, headroom_told] : masters_) {
    Writer writer{master, outlook, out};
    if (modes_) writer.add(*modes_);
    bool must_tell = headroom_told != outlook.headroom;
    headroom_told = outlook.headroom;
    for (const RoomNumber number : pending_) {
      const Room& room = rooms.at(number);
      const Shown* const seen = last_shown(room.news, master);
      const bool is_new = room.news.born || room.news.renewed;
      if (is_new && !room.closed() && (seen == nullptr || seen->outdated)) {
        writer.add(info_of(room));
        continue;
      }
      // A room that was made and closed within the batch is not listed, because masters treat an
      // unlisted room up to newest_room as closed.
      if (room.news.born && room.closed() && seen == nullptr) {
        must_tell = true;
        continue;
      }
      wire::RoomChange change{.number = number,
                              .phase = room.phase(),
                              .reason = room.life.reason(),
                              .occupied = room.seats.occupied(),
                              .seated = {},
                              .left = {},
                              .opened_at = room.opened_at,
                              .unknown = room.unknown(),
                              .stage = room.stage(),
                              .wants = told_wants(room)};
      if (!room.closed())
        add_seats(room.news.seats, master, seen == nullptr ? 0 : seen->order, change);
      if (room.news.changed || !change.seated.empty() || !change.left.empty()) {
        writer.add(std::move(change));
      }
    }
    for (const ResultRecord& result : results_) writer.add(told(result, rooms));
    writer.finish(must_tell);
  }
  results_.clear();
  for (const RoomNumber number : pending_) rooms.at(number).news = {};
  pending_.clear();
  modes_.reset();
}

}  // namespace fixkeep::worker
