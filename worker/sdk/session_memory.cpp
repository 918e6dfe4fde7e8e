#include "worker/sdk/session_memory.hpp"

#include "common/record/record.hpp"
#include "common/wire/limits.hpp"

namespace fixkeep::worker {

void describe(auto& fields, Described<CounterFacts> auto& counter) {
  fields.number(1, counter.count);
  fields.number(2, counter.capacity);
}

void describe(auto& fields, Described<ListFacts> auto& list) {
  fields.number(1, list.capacity);
  fields.texts(2, list.values, Lists::capacity_most, Lists::value_bytes_most);
}

// A field keeps its number for ever: a worker reads what an older or a newer program has written.
void describe(auto& fields, Described<SessionMemory> auto& memory) {
  fields.choice(1, memory.state, GameState::unhealthy);
  fields.number(2, memory.takes_players);
  fields.number(3, memory.is_given);
  fields.number(4, memory.resource_version);
  fields.number(5, memory.created);
  fields.number(6, memory.deleted);
  fields.number(7, memory.reserved_until);
  fields.map(8, memory.labels);
  fields.map(9, memory.annotations);
  fields.map(10, memory.counters);
  fields.map(11, memory.lists);
  fields.number(12, memory.player_capacity);
  fields.ids(13, memory.players, record::no_bound, wire::limits::id_bytes);
}

std::string to_bytes(const SessionMemory& memory) {
  std::string bytes;
  append_record(memory, bytes);
  return bytes;
}

std::optional<SessionMemory> to_session_memory(std::string_view bytes) {
  SessionMemory memory;
  if (!read_record(bytes, memory)) return std::nullopt;
  return memory;
}

}  // namespace fixkeep::worker
