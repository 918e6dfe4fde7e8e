#include "worker/journal/codec.hpp"

#include <algorithm>
#include <utility>

#include "common/wire/limits.hpp"
#include "common/wire/room_records.hpp"
#include "journal.pb.h"

namespace fixkeep::worker::journal {
namespace {

namespace pb = fixkeep::journal::pb;

// --- to bytes ------------------------------------------------------------------------------------

void put(const FencingToken& token, pb::Token& out) {
  out.set_counter(token.counter);
  out.set_master(token.master.number());
}

void put(const CreationId& creation, pb::Creation& out) {
  put(creation.token, *out.mutable_token());
  out.set_index(creation.index);
  out.set_orderer(creation.orderer.number());
}

// Writes the numbers twice, because an earlier version of the worker may take over.
void put(const wire::RoomPlace& place, pb::Room& room) {
  pb::Place& out = *room.mutable_place();
  out.set_host(place.host);
  room.set_port(place.port());
  for (const wire::NamedPort& port : place.ports) {
    pb::Port& made = *out.add_ports();
    made.set_name(port.name);
    made.set_number(port.number);
    if (out.ports_size() > 1) room.add_more_ports(port.number);
  }
}

struct Put {
  pb::Record& out;

  void operator()(const RoomRecord& record) const {
    pb::Room& room = *out.mutable_room();
    room.set_number(record.room.number());
    room.set_group(record.group.text());
    room.set_mode(record.mode.text());
    if (record.place) put(*record.place, room);
    room.set_capacity(record.capacity);
    put(record.creation, *room.mutable_creation());
    room.set_phase(static_cast<std::uint32_t>(record.phase));
    room.set_reason(static_cast<std::uint32_t>(record.reason));
    room.set_opened_at_us(static_cast<std::uint64_t>(record.opened_at.count()));
    if (record.drained_by) room.set_drained_by_ns(record.drained_by->time_since_epoch().count());
    room.set_watched(record.watched);
    if (record.match) append_record(*record.match, *room.mutable_match());
  }
  void operator()(const RoomGone& record) const { out.set_room_gone(record.room.number()); }
  void operator()(const SeatRecord& record) const {
    pb::Seat& seat = *out.mutable_seat();
    seat.set_room(record.room.number());
    seat.set_player(record.player.text());
    seat.set_came(record.came);
    for (const SeatReservation& each : record.reservations) {
      seat.add_reservations(each.id.number());
      seat.add_reserved_by(each.by.number());
    }
    seat.set_brings(record.brings);
    seat.set_team(record.team);
    seat.set_attributes(record.attributes);
  }
  void operator()(const PromiseRecord& record) const {
    pb::Promise& promise = *out.mutable_promise();
    promise.set_group(record.group.text());
    put(record.highest, *promise.mutable_highest());
    if (record.orderer) promise.set_orderer(record.orderer->number());
    put(record.promised, *promise.mutable_promised());
  }
  void operator()(const PromiseForgotten& record) const {
    out.set_promise_forgotten(record.group.text());
  }
  void operator()(const PromiseFloors& record) const {
    pb::Floors& floors = *out.mutable_floors();
    put(record.floor, *floors.mutable_floor());
    put(record.promised_floor, *floors.mutable_promised_floor());
    floors.set_highest_counter(record.highest_counter);
  }
  void operator()(const CreationRecord& record) const {
    pb::Made& made = *out.mutable_made();
    made.set_group(record.group.text());
    put(record.creation, *made.mutable_creation());
    made.set_room(record.room.number());
  }
  void operator()(const NumbersRecord& record) const {
    out.mutable_numbers()->set_room(record.room);
    out.mutable_numbers()->set_reservation(record.reservation);
  }
  void operator()(const MatchEnded& record) const {
    out.mutable_ended()->set_match(record.group.text());
    out.mutable_ended()->set_at_ns(record.at.time_since_epoch().count());
  }
};

// --- from bytes: every get() returns whether the field is within its bounds ----------------------

template <class Id>
bool get(const std::string& text, std::size_t most, Id& out) {
  out = Id{text};
  return !text.empty() && text.size() <= most;
}

template <class Enumerator>
bool get(std::uint32_t number, Enumerator last, Enumerator& out) {
  out = static_cast<Enumerator>(number);
  return number <= static_cast<std::uint32_t>(last);
}

bool get(const pb::Token& token, FencingToken& out) {
  out = {token.counter(), MasterId{static_cast<std::uint16_t>(token.master())}};
  return token.master() <= 0xFFFFU && token.counter() <= wire::limits::counter;
}

bool get(const pb::Creation& creation, CreationId& out) {
  out.index = creation.index();
  out.orderer = Incarnation{creation.orderer()};
  return get(creation.token(), out.token);
}

bool get(std::string name, std::uint32_t number, wire::RoomPlace& out) {
  out.ports.push_back({std::move(name), static_cast<std::uint16_t>(number)});
  return number <= 0xFFFFU;
}

// An earlier version of the worker wrote only the numbers of the ports.
bool get_place(const pb::Room& room, std::optional<wire::RoomPlace>& out) {
  if (room.has_place()) {
    out.emplace().host = room.place().host();
    for (const pb::Port& port : room.place().ports()) {
      if (!get(port.name(), port.number(), *out)) return false;
    }
  } else if (room.port() > 0) {
    if (!get(std::string{wire::main_port_name}, room.port(), out.emplace())) return false;
    for (const std::uint32_t port : room.more_ports()) {
      if (!get(wire::unnamed_port(out->ports.size()), port, *out)) return false;
    }
  }
  return !out || wire::is_valid(*out);
}

bool get(const pb::Room& room, RoomRecord& out) {
  out.room = RoomNumber{room.number()};
  out.capacity = room.capacity();
  out.opened_at = wire::WorkerTime{room.opened_at_us()};
  out.watched = room.watched();
  if (room.has_drained_by_ns()) out.drained_by = TimePoint{Duration{room.drained_by_ns()}};
  if (!room.match().empty() && !read_record(room.match(), out.match.emplace())) return false;
  return room.number() > 0 && get_place(room, out.place) && room.capacity() > 0 &&
         room.capacity() <= wire::limits::capacity &&
         room.opened_at_us() <= wire::limits::worker_time_us &&
         get(room.group(), wire::limits::group_bytes, out.group) &&
         get(room.mode(), wire::limits::id_bytes, out.mode) && get(room.creation(), out.creation) &&
         get(room.phase(), wire::RoomPhase::closed, out.phase) &&
         get(room.reason(), wire::last_close_reason, out.reason) &&
         (out.place || !wire::has_opened(out.phase));
}

bool get(const pb::Seat& seat, SeatRecord& out) {
  constexpr int most_reservations = 16;  // more than a seat stores separately
  if (seat.reservations_size() > most_reservations) return false;
  out.room = RoomNumber{seat.room()};
  out.came = seat.came();
  const bool noted = seat.reserved_by_size() == seat.reservations_size();
  if (!noted && seat.reserved_by_size() > 0) return false;
  for (int i = 0; i < seat.reservations_size(); ++i) {
    const std::uint32_t by = noted ? seat.reserved_by(i) : 0;
    if (by > 0xFFFFU) return false;
    out.reservations.push_back(
        {ReservationId{seat.reservations(i)}, MasterId{static_cast<std::uint16_t>(by)}});
  }
  out.brings = seat.brings();
  out.team = seat.team();
  out.attributes = seat.attributes();
  if (out.brings.size() > wire::limits::brings_bytes || out.team.size() > wire::limits::id_bytes ||
      out.attributes.size() > wire::limits::player_attributes_bytes) {
    return false;
  }
  return get(seat.player(), wire::limits::id_bytes, out.player);
}

bool get(const pb::Promise& promise, PromiseRecord& out) {
  if (promise.has_orderer()) out.orderer = Incarnation{promise.orderer()};
  return get(promise.group(), wire::limits::group_bytes, out.group) &&
         get(promise.highest(), out.highest) && get(promise.promised(), out.promised);
}

bool get(const pb::Floors& floors, PromiseFloors& out) {
  out.highest_counter = floors.highest_counter();
  return out.highest_counter <= wire::limits::counter && get(floors.floor(), out.floor) &&
         get(floors.promised_floor(), out.promised_floor);
}

bool get(const pb::Made& made, CreationRecord& out) {
  out.room = RoomNumber{made.room()};
  return get(made.group(), wire::limits::group_bytes, out.group) &&
         get(made.creation(), out.creation);
}

bool get(const pb::Ended& ended, MatchEnded& out) {
  out.at = TimePoint{Duration{ended.at_ns()}};
  return get(ended.match(), wire::limits::group_bytes, out.group);
}

template <class Part, class Message>
std::optional<Record> checked(const Message& message) {
  Part part;
  if (!get(message, part)) return std::nullopt;
  return part;
}

}  // namespace

std::string to_bytes(const Record& record) {
  pb::Record message;
  std::visit(Put{message}, record);
  return message.SerializeAsString();
}

std::optional<Record> to_record(std::string_view bytes) {
  pb::Record message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return std::nullopt;
  switch (message.what_case()) {
    case pb::Record::kRoom: return checked<RoomRecord>(message.room());
    case pb::Record::kRoomGone: return RoomGone{RoomNumber{message.room_gone()}};
    case pb::Record::kSeat: return checked<SeatRecord>(message.seat());
    case pb::Record::kPromise: return checked<PromiseRecord>(message.promise());
    case pb::Record::kPromiseForgotten:
      return PromiseForgotten{GroupKey{message.promise_forgotten()}};
    case pb::Record::kFloors: return checked<PromiseFloors>(message.floors());
    case pb::Record::kMade: return checked<CreationRecord>(message.made());
    case pb::Record::kNumbers:
      return NumbersRecord{message.numbers().room(), message.numbers().reservation()};
    case pb::Record::kEnded: return checked<MatchEnded>(message.ended());
    case pb::Record::WHAT_NOT_SET: break;
  }
  return std::nullopt;
}

}  // namespace fixkeep::worker::journal
