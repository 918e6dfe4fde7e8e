// These parts of messages are in several of them, to Protocol Buffers and back. Internal to the
// codec.
//
// Thread rule: free functions without state. Bounds: limits.hpp. Errors: as codec.hpp says.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/assert.hpp"
#include "common/base/ids.hpp"
#include "common/wire/limits.hpp"
#include "common/wire/rooms.hpp"
#include "fixkeep.pb.h"

namespace fixkeep::wire::fields {

// Every get() answers whether the field is within its bounds.

template <class Id>
bool get(const std::string& text, std::size_t most, Id& out) {
  if (text.empty() || text.size() > most) return false;
  out = Id{text};
  return true;
}

template <class Enumerator>
bool get(std::uint32_t number, Enumerator last, Enumerator& out) {
  if (number > static_cast<std::uint32_t>(last)) return false;
  out = static_cast<Enumerator>(number);
  return true;
}

// A bound that keeps the difference of two times from overflow.
inline bool get(std::uint64_t microseconds, WorkerTime& out) {
  if (microseconds > limits::worker_time_us) return false;
  out = WorkerTime{microseconds};
  return true;
}

inline bool get_counter(std::uint64_t number, std::uint64_t& out) {
  out = number;
  return number <= limits::counter;
}

inline bool get(const pb::Token& token, FencingToken& out) {
  if (token.master() > 0xFFFFU || token.counter() > limits::counter) return false;
  out = {token.counter(), MasterId{static_cast<std::uint16_t>(token.master())}};
  return true;
}

inline bool get(const pb::Creation& creation, CreationId& out) {
  out.index = creation.index();
  out.orderer = Incarnation{creation.orderer()};
  return get(creation.token(), out.token);
}

// Our own fields are within the limits where they enter the system: configuration, HTTP, decode().
// A field beyond them is our bug. Fields that only the number of our peers bounds are not asserted:
// the workers of a MeshHello, the rounds of a lock and changes of the seats of one room within a
// batch. Peers may cause that. A link that the other side closes is the smaller harm.

inline const std::string& checked(const std::string& text, std::size_t most) {
  FIXKEEP_ASSERT(!text.empty() && text.size() <= most, text);
  return text;
}

template <class Id>
const std::string& checked_id(const Id& id) {
  return checked(id.text(), limits::id_bytes);
}

inline const std::string& checked_group(const GroupKey& group) {
  return checked(group.text(), limits::group_bytes);
}

inline void check_count(std::size_t count, std::size_t most) {
  FIXKEEP_ASSERT(count <= most, std::to_string(count));
}

inline std::uint64_t number_of(WorkerTime time) {
  return static_cast<std::uint64_t>(time.count());
}

inline std::uint64_t checked_counter(std::uint64_t counter) {
  FIXKEEP_ASSERT(counter <= limits::counter, std::to_string(counter));
  return counter;
}

inline void put(const FencingToken& token, pb::Token* out) {
  out->set_counter(checked_counter(token.counter));
  out->set_master(token.master.number());
}

inline void put(const CreationId& creation, pb::Creation* out) {
  put(creation.token, out->mutable_token());
  out->set_index(creation.index);
  out->set_orderer(creation.orderer.number());
}

}  // namespace fixkeep::wire::fields
