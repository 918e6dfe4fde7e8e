#include "worker/journal/codec.hpp"

#include "worker/journal/records.hpp"

namespace fixkeep::worker::journal {
namespace {

// Each kind of record has its own field. The bytes of a record contain exactly one of these fields.
enum Field : std::uint32_t {
  room = 1,
  room_gone = 2,  // not nested: see describe()
  seat = 3,
  promise = 4,
  promise_forgotten = 5,  // not nested: see describe()
  floors = 6,
  made = 7,
  numbers = 8,
  ended = 9,
  result = 10,
};

struct Append {
  record::Writer to;

  void operator()(const RoomRecord& body) { to.nested(room, body); }
  void operator()(const RoomGone& body) { describe(to, body); }
  void operator()(const SeatRecord& body) { to.nested(seat, body); }
  void operator()(const PromiseRecord& body) { to.nested(promise, body); }
  void operator()(const PromiseForgotten& body) { describe(to, body); }
  void operator()(const PromiseFloors& body) { to.nested(floors, body); }
  void operator()(const CreationRecord& body) { to.nested(made, body); }
  void operator()(const NumbersRecord& body) { to.nested(numbers, body); }
  void operator()(const MatchEnded& body) { to.nested(ended, body); }
  void operator()(const ResultRecord& body) { to.nested(result, body); }
};

template <class Body>
std::optional<Record> read(std::string_view bytes) {
  Body body;
  if (!read_record(bytes, body)) return std::nullopt;
  return body;
}

}  // namespace

std::string to_bytes(const Record& record) {
  std::string bytes;
  std::visit(Append{record::Writer{bytes}}, record);
  return bytes;
}

std::optional<Record> to_record(std::string_view bytes) {
  record::Cursor fields{bytes};
  if (!fields.next()) return std::nullopt;
  if (fields.is(room_gone, record::Form::number)) return read<RoomGone>(bytes);
  if (!fields.has(record::Form::length)) return std::nullopt;
  switch (fields.field()) {
    case room: return read<RoomRecord>(fields.payload());
    case seat: return read<SeatRecord>(fields.payload());
    case promise: return read<PromiseRecord>(fields.payload());
    case promise_forgotten: return read<PromiseForgotten>(bytes);
    case floors: return read<PromiseFloors>(fields.payload());
    case made: return read<CreationRecord>(fields.payload());
    case numbers: return read<NumbersRecord>(fields.payload());
    case ended: return read<MatchEnded>(fields.payload());
    case result: return read<ResultRecord>(fields.payload());
    default: return std::nullopt;
  }
}

}  // namespace fixkeep::worker::journal
