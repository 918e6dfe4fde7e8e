// Converts parts that several messages share to Protocol Buffers and back. Internal to the codec.
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

// Every get() returns true if the field is within its bounds.

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

// With this bound the difference of two times cannot overflow.
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

// Configuration, HTTP and decode() limit our own fields: a field beyond its limit is our bug.
// Fields that many peers can make too large are not asserted: the workers of a MeshHello, the
// rounds of a lock, the seat changes of one room within a batch. Then the other side closes the
// link: this is better than an abort.

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
