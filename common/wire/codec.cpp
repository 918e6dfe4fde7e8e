#include "common/wire/codec.hpp"

#include <algorithm>
#include <array>

#include "common/base/assert.hpp"
#include "common/wire/limits.hpp"
#include "common/wire/message_records.hpp"
#include "common/wire/pool_records.hpp"
#include "lock/core/codec.hpp"

namespace fixkeep::wire {
namespace {

constexpr std::uint32_t closing_field = 17;  // an Errc: why the sender closes the link

// The number of the field for this message in a frame: see Frame in fixkeep.proto.
template <class Body>
constexpr std::uint32_t field_of = 0;
template <>
constexpr std::uint32_t field_of<WorkerState> = 1;
template <>
constexpr std::uint32_t field_of<RoomsChanged> = 2;
template <>
constexpr std::uint32_t field_of<SeatReply> = 3;
template <>
constexpr std::uint32_t field_of<PrepareReply> = 4;
template <>
constexpr std::uint32_t field_of<SpawnReply> = 5;
template <>
constexpr std::uint32_t field_of<SeatRequest> = 6;
template <>
constexpr std::uint32_t field_of<ReleaseSeats> = 7;
template <>
constexpr std::uint32_t field_of<PrepareSpawn> = 8;
template <>
constexpr std::uint32_t field_of<SpawnRoom> = 9;
template <>
constexpr std::uint32_t field_of<lock::LockMessage> = 10;
template <>
constexpr std::uint32_t field_of<lock::MeshHello> = 11;
template <>
constexpr std::uint32_t field_of<KeepWarm> = 12;
template <>
constexpr std::uint32_t field_of<CloseWarmRoom> = 13;
template <>
constexpr std::uint32_t field_of<OperatorCall> = 14;
template <>
constexpr std::uint32_t field_of<OperatorAnswer> = 15;
template <>
constexpr std::uint32_t field_of<lock::MasterList> = 16;
template <>
constexpr std::uint32_t field_of<Gather> = 18;
template <>
constexpr std::uint32_t field_of<ClaimsPart> = 19;
template <>
constexpr std::uint32_t field_of<ClaimsSeated> = 20;
template <>
constexpr std::uint32_t field_of<CloseLoan> = 21;
template <>
constexpr std::uint32_t field_of<ModesKnown> = 22;
template <>
constexpr std::uint32_t field_of<SeatsReleased> = 23;
constexpr std::uint32_t last_field = 23;  // higher numbers are of newer versions

// True for the messages of locks, which the library of locks encodes.
template <class Body>
constexpr bool is_of_a_lock = requires(const Body& body, std::string& out) {
  lock::append(body, out);
};

template <class Body>
void append_body(const Body& body, std::string& out) {
  record::Writer writer{out};
  if constexpr (is_of_a_lock<Body>) {
    std::string bytes;
    lock::append(body, bytes);
    writer.put(field_of<Body>, bytes);
  } else {
    const std::uint32_t wrong = wrong_field_of(body);
    FIXKEEP_ASSERT(wrong == 0, std::to_string(field_of<Body>) + '.' + std::to_string(wrong));
    writer.nested(field_of<Body>, body);
  }
}
template <class... Bodies>
void append_body(const std::variant<Bodies...>& message, std::string& out) {
  std::visit([&out](const auto& body) { append_body(body, out); }, message);
}

// Reads the message with this field number. Returns false if this direction has no such message.
template <class Body>
bool read_body(std::uint64_t field, std::string_view bytes, Body& out) {
  if (field != field_of<Body>) return false;
  if constexpr (is_of_a_lock<Body>) {
    return lock::parse(bytes, out);
  } else {
    return read_record(bytes, out);
  }
}
template <class Body, class... Bodies>
bool read_body(std::uint64_t field, std::string_view bytes, std::variant<Body, Bodies...>& out);

template <class Body, class Direction>
bool read_alternative(std::uint64_t field, std::string_view bytes, Direction& out) {
  Body body;
  if (!read_body(field, bytes, body)) return false;
  out = std::move(body);
  return true;
}
template <class Body, class... Bodies>
bool read_body(std::uint64_t field, std::string_view bytes, std::variant<Body, Bodies...>& out) {
  return read_alternative<Body>(field, bytes, out) ||
         (read_alternative<Bodies>(field, bytes, out) || ...);
}

void put_length(std::size_t length, char* at) {
  for (std::size_t i = 0; i < prefix_bytes; ++i) {
    at[i] = static_cast<char>(length >> (8 * (prefix_bytes - 1 - i)) & 0xFFU);
  }
}

}  // namespace

void append_frame(const Message& message, std::string& out) {
  const auto start = out.size();
  out.append(prefix_bytes, '\0');
  append_body(message, out);
  const std::size_t length = out.size() - start - prefix_bytes;
  FIXKEEP_ASSERT(length <= limits::frame_bytes, std::to_string(length));
  put_length(length, out.data() + start);
}

template <class Direction>
Result<Direction> decode(std::string_view payload) {
  if (payload.size() > limits::frame_bytes) return Errc::malformed_message;
  record::Cursor frame{payload};
  Result<Direction> message{Errc::malformed_message};
  while (frame.next()) {
    if (frame.is(closing_field, record::Form::number)) {
      const auto reason = static_cast<Errc>(frame.value());
      message = is_told(reason) ? reason : Errc::malformed_message;
    } else if (frame.has(record::Form::length) && frame.field() <= last_field) {
      Direction body;
      if (!read_body(frame.field(), frame.payload(), body)) return Errc::malformed_message;
      message = std::move(body);
    }
  }
  return frame.good() ? std::move(message) : Errc::malformed_message;
}

template Result<FromWorker> decode(std::string_view payload);
template Result<ToWorker> decode(std::string_view payload);
template Result<BetweenMasters> decode(std::string_view payload);

Result<std::size_t> payload_length(std::string_view prefix) {
  std::size_t length = 0;
  for (const char c : prefix.substr(0, prefix_bytes)) {
    length = length << 8U | static_cast<unsigned char>(c);
  }
  if (length > limits::frame_bytes) return Errc::frame_too_large;
  return length;
}

bool is_told(Errc reason) {
  constexpr std::array told{Errc::unexpected_message, Errc::implausible_counter,
                            Errc::answer_missing,     Errc::promises_refused,
                            Errc::rooms_never_open,   Errc::connect_anew};
  return std::find(told.begin(), told.end(), reason) != told.end();
}

std::string closing_frame(Errc reason) {
  FIXKEEP_ASSERT(is_told(reason), std::to_string(static_cast<int>(reason)));
  std::string out(prefix_bytes, '\0');
  record::Writer{out}.number(closing_field, static_cast<std::uint32_t>(reason));
  put_length(out.size() - prefix_bytes, out.data());
  return out;
}

// --- hints of lock values ------------------------------------------------------------------------

namespace {

struct RoomHints {
  std::vector<RoomHint> hints;
};
void describe(auto& fields, Described<RoomHints> auto& hints) {
  fields.list(1, hints.hints, limits::hints);
}

}  // namespace

Result<std::vector<RoomHint>> decode_hints(std::string_view bytes) {
  RoomHints hints;
  const bool read = bytes.size() <= limits::lock_value_bytes && read_record(bytes, hints);
  if (!read) return Errc::malformed_message;
  return std::move(hints.hints);
}

namespace {

// Encodes the first hints, as many as fit into a lock value. Adds their number to `count`.
std::string fitting(std::span<const RoomHint> hints, std::size_t& count) {
  std::string out;
  for (const RoomHint& hint : hints.first(std::min(hints.size(), limits::hints))) {
    const std::size_t before = out.size();
    record::Writer{out}.nested(1, hint);
    if (out.size() > limits::lock_value_bytes) {
      out.resize(before);
      break;
    }
    ++count;
  }
  return out;
}

}  // namespace

std::string encode_hints(std::span<const RoomHint> hints) {
  std::size_t count = 0;
  return fitting(hints, count);
}

bool hints_fit(std::span<const RoomHint> hints) {
  std::size_t count = 0;
  (void)fitting(hints, count);
  return count == hints.size();
}

}  // namespace fixkeep::wire
