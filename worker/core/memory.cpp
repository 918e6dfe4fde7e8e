#include "worker/core/memory.hpp"

#include <algorithm>

namespace fixkeep::worker {

void Memory::apply(const Record& record) {
  std::visit([this](const auto& which) { on(which); }, record);
}

void Memory::on(const RoomRecord& record) {
  rooms[record.room].room = record;
  numbers.room = std::max(numbers.room, record.room.number());
}

void Memory::on(const RoomGone& record) {
  const auto node = rooms.extract(record.room);
  if (node.empty()) return;
  const RoomRecord& room = node.mapped().room;
  on(CreationRecord{room.group, room.creation, room.room});
}

void Memory::on(const SeatRecord& record) {
  for (const SeatReservation& reservation : record.reservations) {
    numbers.reservation = std::max(numbers.reservation, reservation.id.number());
  }
  const auto room = rooms.find(record.room);
  if (room == rooms.end()) return;
  if (record.free()) {
    room->second.seats.erase(record.player);
  } else {
    room->second.seats[record.player] = record;
  }
}

void Memory::on(const PromiseRecord& record) {
  promises[record.group] = record;
  floors.highest_counter = std::max(floors.highest_counter, record.highest.counter);
}

void Memory::on(const PromiseForgotten& record) {
  promises.erase(record.group);
}

void Memory::on(const PromiseFloors& record) {
  floors = record;
}

void Memory::on(const CreationRecord& record) {
  creations.push_back(record);
  if (creations.size() > most_creations) creations.pop_front();
  numbers.room = std::max(numbers.room, record.room.number());
}

void Memory::on(const MatchEnded& record) {
  ended_matches.push_back(record);
  if (ended_matches.size() > most_creations) ended_matches.pop_front();
}

void Memory::on(const NumbersRecord& record) {
  numbers.room = std::max(numbers.room, record.room);
  numbers.reservation = std::max(numbers.reservation, record.reservation);
}

}  // namespace fixkeep::worker
