// Warm rooms: which masters want them, and how they are given to a group or closed.
#include "worker/core/room_host_internals.hpp"

namespace fixkeep::worker {

using wire::RoomPhase;

// Returns the oldest open warm room. If there is none, returns the oldest starting warm room. Null
// if no room may be given.
Room* RoomHost::Impl::warm_room_for(const wire::SpawnRoom& order) {
  if (wire::is_warm_pool(order.group)) return nullptr;
  const auto pool = groups.find(wire::warm_pool_of(order.mode, order.capacity));
  if (pool == groups.end()) return nullptr;
  Room* found = nullptr;
  for (const RoomNumber number : pool->second) {
    Room& room = rooms.at(number);
    if (room.phase() == RoomPhase::open) return &room;
    if (found == nullptr && room.phase() == RoomPhase::starting && !order.only_warm) found = &room;
  }
  return found;
}

// The room keeps its number, process, place and phase. Everything else is set as in a new room of
// the order. The worker remembers the creation ids of both orders, so a repeated order makes no
// second room.
void RoomHost::Impl::give(Room& room, const wire::SpawnRoom& order) {
  records.add(CreationRecord{room.group, room.creation, room.number});
  leave_group(room);
  enter_group(room, order.group, order.creation);
  room.admission.rule = order.newcomers;
  room.admission.lasts = order.newcomers_for;
  if (!order.claims.empty()) room.match = order.claims.front().match;
  ++counters.rooms_given;
  news.renewed(room);
  watch_emptiness(room);
  out->emplace_back(RoomGiven{room.number, room.group, room.creation, cause_or_none(order),
                              match_of(room, order)});
}

void RoomHost::Impl::ordered(const MasterSaid& said, const wire::KeepWarm& request) {
  kept_pools.keep(said.master, request.pools);
  watch_warm_rooms();
}

void RoomHost::Impl::ordered(const MasterSaid&, const wire::CloseWarmRoom& request) {
  if (!promises.allow(request.pool, request.order, request.basis, now)) {
    ++counters.spawns_refused_stale;
    return;
  }
  Room* room = find(request.room);
  if (room == nullptr || room->group != request.pool) return;
  live(*room, life::Dismissed{wire::CloseReason::empty});
}

void RoomHost::Impl::forget_kept(MasterId master) {
  if (kept_pools.forget(master)) watch_warm_rooms();
}

void RoomHost::Impl::watch_warm_rooms() {
  for (const auto& [group, numbers] : groups) {
    if (!wire::is_warm_pool(group)) continue;
    for (const RoomNumber number : numbers) watch_emptiness(rooms.at(number));
  }
}

bool RoomHost::Impl::is_kept_warm(const Room& room) const {
  return wire::is_warm_pool(room.group) && kept_pools.keeps(room.group);
}

// Players have joined or left the room's match. Masters get the whole room, and its record is
// written again.
void RoomHost::Impl::match_changed(Room& room) {
  news.renewed(room);
  out->emplace_back(TellMatch{room.number, room.group, *room.match});
}

}  // namespace fixkeep::worker
