#include "master/core/orders/pool_rooms.hpp"

#include <algorithm>
#include <optional>

#include "master/core/directory/teams.hpp"
#include "master/rules/plan/brings.hpp"

namespace fixkeep::master {
namespace {

std::optional<std::uint8_t> region_of(const plan::LatencyRule& rule, const ZoneName& zone) {
  const auto found = std::find(rule.regions.begin(), rule.regions.end(), zone.text());
  if (found == rule.regions.end()) return std::nullopt;
  return static_cast<std::uint8_t>(found - rule.regions.begin());
}

void add_avoided(const PlayerId& player, const plan::Brings& brings, plan::Room& room) {
  room.players.push_back(plan::avoidable(player));
  room.avoided.insert(room.avoided.end(), brings.avoids.begin(), brings.avoids.end());
}

// Leaves out the wants that the rules cannot fill.
std::vector<plan::Want> wants_of(const Room& room, const plan::Rules& rules) {
  std::vector<plan::Want> wants;
  for (const Want& said : room.wants) {
    plan::Want want{.players = said.players};
    for (std::uint32_t t = 0; rules.teams && t < rules.team_count(); ++t) {
      if (team_name(t) == said.team) want.team = t;
    }
    for (std::size_t i = 0; i < rules.roles.size(); ++i) {
      if (rules.roles[i].name == said.role) want.roles = static_cast<std::uint8_t>(1U << i);
    }
    const bool known =
        want.team.has_value() != said.team.empty() && (want.roles != 0) != said.role.empty();
    if (known) wants.push_back(want);
  }
  return wants;
}

}  // namespace

Regions regions_of(const Group& pool, const Directory& directory, const std::set<ZoneName>& open) {
  Regions regions;
  const auto& latency = pool.rooms->rules->latency;
  if (!latency) return regions;
  for (const auto& [id, worker] : directory.workers()) {
    const auto region = region_of(*latency, worker.zone);
    if (!region || !worker.modes.contains(pool.rooms->mode)) continue;
    (open.contains(worker.zone) ? regions.open : regions.full) |= 1U << *region;
  }
  return regions;
}

std::vector<plan::Room> rooms_of(const Group& pool, const Directory& directory,
                                 std::vector<RoomId>& ids) {
  const plan::Rules& rules = *pool.rooms->rules;
  std::vector<plan::Room> rooms;
  for (const RoomId& id : directory.rooms_of(pool.key)) {
    const Room& room = *directory.find(id);
    if (!room.takes_players() || room.free() == 0 || rooms.size() == plan::rooms_most) continue;
    plan::Room made;
    made.id = ids.size();
    made.since = TimePoint{Duration{id.number.number()}};
    made.starting = room.starts();
    if (rules.latency) {
      const auto region = region_of(*rules.latency, directory.find(id.worker)->zone);
      if (!region) continue;
      made.region = *region;
    }
    made.wants = wants_of(room, rules);
    if (made.wants.empty() != room.wants.empty()) continue;
    made.teams.resize(rules.team_count());
    for (plan::RoomTeam& team : made.teams) team.free = rules.team_size();
    std::size_t known = 0;
    for (const auto& [player, text] : room.brought) {
      if (!directory.has_seat(room, player)) continue;
      const auto brings = plan::parse_brings(text, rules);
      if (!brings || made.teams.at(brings->team).free == 0) continue;
      plan::RoomTeam& team = made.teams.at(brings->team);
      ++team.players;
      --team.free;
      if (!rules.roles.empty()) team.roles.push_back(brings->roles);
      if (rules.avoid) add_avoided(player, *brings, made);
      if (rules.teams && rules.teams->number) team.sum += brings->numbers.at(*rules.teams->number);
      for (std::size_t i = 0; i < rules.numbers.size(); ++i) {
        const std::int64_t number = brings->numbers.at(i);
        made.low.at(i) = known == 0 ? number : std::min(made.low.at(i), number);
        made.high.at(i) = known == 0 ? number : std::max(made.high.at(i), number);
      }
      ++known;
    }
    // Leaves the room out, because the rules cannot match new players with a player of unknown
    // values.
    if (known != room.players.size()) continue;
    ids.push_back(id);
    rooms.push_back(std::move(made));
  }
  return rooms;
}

}  // namespace fixkeep::master
