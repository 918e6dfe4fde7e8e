#include "tests/bench/room_player.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "tests/bench/loopback_master.hpp"

namespace fixkeep::bench {
namespace {

constexpr const char* master = "m1";
constexpr wire::WorkerTime opened{1};

}  // namespace

RoomPlayer::RoomPlayer(boost::asio::io_context& context, const RoomPlayerOptions& options)
    : options_(options), random_(options.seed) {
  for (std::uint32_t i = 0; i < options_.rooms; ++i) {
    rooms_.push_back(make_room(wire::RoomPhase::open));
    auto& room = rooms_.back();
    const auto taken = random_() % (options_.capacity + 1);
    for (std::uint64_t seat = 0; seat < taken; ++seat) {
      room.players.push_back(PlayerId{std::to_string(++last_player_)});
    }
    room.occupied = static_cast<std::uint32_t>(taken == 0 ? 0 : random_() % (taken + 1));
  }
  net::LinkOptions links;
  links.cluster = cluster;
  links.secret = secret;
  links.self = {net::Role::worker, options_.worker, Incarnation{2}};
  net::LinkHandlers handlers;
  handlers.on_up = [this](const net::Node&) {
    hub_->send(net::Role::master, master, state());
    linked_ = true;
  };
  handlers.on_master_said = [](const net::Node&, wire::ToWorker&&) {};
  handlers.on_down = [this](const net::Node&, boost::system::error_code) { linked_ = false; };
  hub_ = net::LinkHub::start(context, links, handlers).value();
  hub_->dial({master, "127.0.0.1", options_.mesh_port});
}

wire::RoomInfo RoomPlayer::make_room(wire::RoomPhase phase) {
  wire::RoomInfo room;
  const auto number = ++newest_;
  room.number = RoomNumber{number};
  room.group = GroupKey{"duel/region=r" + std::to_string(random_() % options_.groups)};
  room.mode = ModeName{"duel"};
  room.phase = phase;
  room.place = wire::at_port(static_cast<std::uint16_t>(20'000 + number % 40'000));
  room.capacity = options_.capacity;
  room.creation = {{number, MasterId{1}}, 0, Incarnation{1}};
  if (phase == wire::RoomPhase::open) room.opened_at = opened;
  return room;
}

wire::WorkerState RoomPlayer::state() const {
  wire::WorkerState state;
  state.zone = ZoneName{options_.zone};
  state.address = "127.0.0.1";
  state.room_limit = options_.rooms;
  state.newest_room = RoomNumber{newest_};
  state.modes.known = {ModeName{"duel"}};
  state.rooms = rooms_;
  return state;
}

void RoomPlayer::play(std::size_t changes) {
  if (!linked_) return;
  wire::RoomsChanged news;
  std::set<std::size_t> drawn;  // a room changes once in a message
  for (std::size_t i = 0; i < changes; ++i) {
    const auto at = static_cast<std::size_t>(random_() % rooms_.size());
    if (drawn.insert(at).second) change(rooms_[at], news);
  }
  news.newest_room = RoomNumber{newest_};
  hub_->send(net::Role::master, master, news);
}

void RoomPlayer::change(wire::RoomInfo& room, wire::RoomsChanged& news) {
  wire::RoomChange change;
  change.number = room.number;
  switch (room.phase) {
    case wire::RoomPhase::starting:
      room.phase = wire::RoomPhase::open;
      room.opened_at = opened;
      break;
    case wire::RoomPhase::open:
      if (one_of(25)) {
        room.phase = wire::RoomPhase::draining;
      } else {
        move_players(room, change);
      }
      break;
    case wire::RoomPhase::draining:
    case wire::RoomPhase::closed: room.phase = wire::RoomPhase::closed; break;
  }
  change.phase = room.phase;
  change.occupied = room.occupied;
  change.opened_at = room.opened_at;
  if (room.phase == wire::RoomPhase::closed) {
    change.reason = wire::CloseReason::drained;
    room = make_room(wire::RoomPhase::starting);
    news.opened.push_back(room);
  }
  news.changed.push_back(std::move(change));
}

void RoomPlayer::move_players(wire::RoomInfo& room, wire::RoomChange& change) {
  const auto taken = static_cast<std::uint32_t>(room.players.size());
  if (room.occupied < taken && !one_of(3)) {
    ++room.occupied;
  } else if (taken < room.capacity && !one_of(3)) {
    room.players.push_back(PlayerId{std::to_string(++last_player_)});
    change.seated = {room.players.back()};
  } else if (taken > 0) {
    change.left = {room.players.back()};
    room.players.pop_back();
    room.occupied = std::min(room.occupied, taken - 1);
  }
}

}  // namespace fixkeep::bench
