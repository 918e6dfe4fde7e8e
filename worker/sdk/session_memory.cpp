#include "worker/sdk/session_memory.hpp"

#include "worker/sdk/session_memory.pb.h"

namespace fixkeep::worker {
namespace {

namespace pb = fixkeep::sdk::memory::pb;

WallTime wall_time(std::int64_t seconds) {
  return WallTime{std::chrono::seconds{seconds}};
}

}  // namespace

std::string to_bytes(const SessionMemory& memory) {
  pb::Session out;
  out.set_state(static_cast<std::uint32_t>(memory.state));
  out.set_takes_players(memory.takes_players);
  out.set_is_given(memory.is_given);
  out.set_resource_version(memory.resource_version);
  out.set_created_s(memory.created.time_since_epoch().count());
  out.set_deleted_s(memory.deleted.time_since_epoch().count());
  if (memory.reserved_until) {
    out.set_reserved_until_s(memory.reserved_until->time_since_epoch().count());
  }
  out.mutable_labels()->insert(memory.labels.begin(), memory.labels.end());
  out.mutable_annotations()->insert(memory.annotations.begin(), memory.annotations.end());
  for (const auto& [name, counter] : memory.counters) {
    pb::Counter& to = (*out.mutable_counters())[name];
    to.set_count(counter.count);
    to.set_capacity(counter.capacity);
  }
  for (const auto& [name, list] : memory.lists) {
    pb::List& to = (*out.mutable_lists())[name];
    to.set_capacity(list.capacity);
    for (const std::string& value : list.values) to.add_values(value);
  }
  out.set_player_capacity(memory.player_capacity);
  for (const PlayerId& player : memory.players) out.add_players(player.text());
  return out.SerializeAsString();
}

std::optional<SessionMemory> to_session_memory(std::string_view bytes) {
  pb::Session in;
  if (!in.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return std::nullopt;
  if (in.state() > static_cast<std::uint32_t>(GameState::unhealthy)) return std::nullopt;
  SessionMemory memory;
  memory.state = static_cast<GameState>(in.state());
  memory.takes_players = in.takes_players();
  memory.is_given = in.is_given();
  memory.resource_version = in.resource_version();
  memory.created = wall_time(in.created_s());
  memory.deleted = wall_time(in.deleted_s());
  if (in.has_reserved_until_s()) memory.reserved_until = wall_time(in.reserved_until_s());
  memory.labels = {in.labels().begin(), in.labels().end()};
  memory.annotations = {in.annotations().begin(), in.annotations().end()};
  for (const auto& [name, counter] : in.counters()) {
    memory.counters[name] = {.count = counter.count(), .capacity = counter.capacity()};
  }
  for (const auto& [name, list] : in.lists()) {
    memory.lists[name] = {.capacity = list.capacity(),
                          .values = {list.values().begin(), list.values().end()}};
  }
  memory.player_capacity = in.player_capacity();
  for (const std::string& player : in.players()) memory.players.emplace_back(player);
  return memory;
}

}  // namespace fixkeep::worker
