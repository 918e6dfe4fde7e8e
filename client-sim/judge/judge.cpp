#include "client-sim/judge/judge.hpp"

#include <algorithm>
#include <set>

#include "client-sim/load/rest.hpp"

namespace fixkeep::client_sim {

namespace {

struct GroupCount {
  std::uint64_t players = 0;
  std::uint64_t free_before = 0;
  std::uint64_t rooms = 0;   // made during the run
  std::uint64_t reused = 0;  // rooms that existed before the run and were used
};

bool reused(const SeenRoom& room) {
  return room.existed_before && room.most_inside > 0;
}

// Counts the players and rooms of each group, by the group's name in the masters' answers. Two
// kinds are counted under the empty name: players whose group got no answer, and rooms of a group
// that no answer names.
std::map<std::string, GroupCount> count_groups(const Observation& seen) {
  std::map<std::size_t, std::string> names;
  for (const auto& player : seen.players) {
    if (!player.group_key.empty()) names[player.group] = player.group_key;
  }
  std::map<std::string, GroupCount> groups;
  for (const auto& [group, name] : names) groups[name];
  for (const auto& player : seen.players) {
    const auto name = names.find(player.group);
    ++groups[name == names.end() ? std::string{} : name->second].players;
  }
  for (const auto& room : seen.rooms) {
    const bool known = groups.contains(room.group_key);
    if (room.existed_before) {
      if (known && (room.taken_before > 0 || reused(room))) {
        groups[room.group_key].free_before += excess(room.capacity, room.taken_before);
        groups[room.group_key].reused += reused(room) ? 1 : 0;
      }
    } else {
      ++groups[known ? room.group_key : std::string{}].rooms;
    }
  }
  return groups;
}

// Returns for each group the largest number of players that were in its rooms at one time.
std::map<std::size_t, std::uint64_t> peaks(const Observation& seen) {
  std::map<std::size_t, std::vector<std::pair<double, int>>> changes;
  for (const auto& player : seen.players) {
    if (player.fate != Fate::connected) continue;
    changes[player.group].emplace_back(player.welcome_ms, 1);
    changes[player.group].emplace_back(player.left_ms, -1);
  }
  std::map<std::size_t, std::uint64_t> result;
  for (auto& [group, times] : changes) {
    std::sort(times.begin(), times.end());  // at equal times, a player leaves before another enters
    std::int64_t inside = 0;
    std::int64_t most = 0;
    for (const auto& [time, change] : times) {
      inside += change;
      most = std::max(most, inside);
    }
    result[group] = static_cast<std::uint64_t>(most);
  }
  return result;
}

std::uint64_t rooms_for(std::uint64_t players, std::uint32_t capacity) {
  const std::uint64_t seats = std::max(capacity, 1U);
  return (players + seats - 1) / seats;
}

void judge_rooms(const Observation& seen, Verdict& verdict) {
  std::uint64_t visible = 0;
  std::uint64_t missing = 0;
  std::uint64_t too_many = 0;
  std::uint64_t reused_rooms = 0;
  for (const auto& [name, group] : count_groups(seen)) {
    const auto ideal = rooms_for(excess(group.players, group.free_before), seen.capacity);
    verdict.ideal_rooms += ideal + group.reused;
    reused_rooms += group.reused;
    visible += group.rooms;
    too_many += excess(group.rooms, ideal);
    missing += excess(ideal, group.rooms);
  }
  const auto made = std::max(seen.rooms_started, visible);
  verdict.rooms = made + reused_rooms;
  if (seen.arrival == Arrival::churn) {
    verdict.ideal_rooms = 0;
    for (const auto& [group, most] : peaks(seen)) {
      verdict.ideal_rooms += rooms_for(most, seen.capacity);
    }
    return;
  }
  verdict.duplicate_rooms = too_many + excess(made - visible, missing);
}

// Reads the samples of a churn run, room by room. judge.hpp defines the proof.
class DuplicateProof {
 public:
  DuplicateProof(const Observation& seen, double window_ms) : seen_(seen), window_ms_(window_ms) {
    for (const auto& player : seen.players) {
      if (!player.group_key.empty()) keys_[player.group] = player.group_key;
    }
    for (const auto& player : seen.players) {
      const auto key = keys_.find(player.group);
      if (key != keys_.end()) requests_[key->second].push_back(&player);
    }
  }

  [[nodiscard]] std::uint64_t count() const {
    std::uint64_t proven = 0;
    std::set<std::uint32_t> known;
    for (std::size_t index = 0; index < seen_.samples.size(); ++index) {
      for (const auto& sighting : seen_.samples[index].sightings) {
        const bool first = known.insert(sighting.room).second;
        if (first && !seen_.rooms[sighting.room].existed_before && is_duplicate(sighting, index)) {
          ++proven;
        }
      }
    }
    return proven;
  }

 private:
  [[nodiscard]] bool is_duplicate(const Sighting& made, std::size_t index) const {
    const auto& now = seen_.samples[index];
    std::size_t start = index;
    while (start > 0 && seen_.samples[start].at_ms > now.at_ms - window_ms_) --start;
    const auto& then = seen_.samples[start];
    if (then.at_ms > now.at_ms - window_ms_) return false;
    const auto& key = seen_.rooms[made.room].group_key;
    const auto requests = could_fill(key, then.at_ms, now.at_ms);
    return std::any_of(then.sightings.begin(), then.sightings.end(), [&](const Sighting& other) {
      const auto& room = seen_.rooms[other.room];
      return room.group_key == key && other.phase <= Phase::open &&
             excess(room.capacity, other.taken) > requests && still_takes(other.room, now);
    });
  }

  [[nodiscard]] std::uint64_t could_fill(const std::string& key, double from, double to) const {
    const auto found = requests_.find(key);
    if (found == requests_.end()) return 0;
    return static_cast<std::uint64_t>(
        std::count_if(found->second.begin(), found->second.end(), [&](const PlayerRecord* player) {
          return player->asked_ms <= to && player->answered_ms >= from - window_ms_;
        }));
  }

  static bool still_takes(std::uint32_t room, const Sample& sample) {
    return std::any_of(sample.sightings.begin(), sample.sightings.end(),
                       [room](const Sighting& sighting) {
                         return sighting.room == room && sighting.phase <= Phase::open;
                       });
  }

  const Observation& seen_;
  double window_ms_;
  std::map<std::size_t, std::string> keys_;
  std::map<std::string, std::vector<const PlayerRecord*>> requests_;
};

void judge_door(Door door, Verdict& verdict) {
  switch (door) {
    case Door::turned_away: ++verdict.turned_away; break;
    case Door::answered_late: ++verdict.answered_late; break;
    case Door::came_late: ++verdict.came_late; break;
    // The run was interrupted before the player reached the room, or the room was unreachable.
    case Door::not_reached:
    case Door::let_in:
    case Door::unreachable: ++verdict.unreachable; break;
  }
}

void judge_players(const Observation& seen, Verdict& verdict) {
  std::map<std::string, std::map<std::size_t, std::uint64_t>> shares;
  for (const auto& player : seen.players) {
    verdict.retries += player.retries;
    verdict.seated += player.seated ? 1 : 0;
    verdict.dropped += player.dropped ? 1 : 0;
    verdict.wrong_tokens += player.wrong_token ? 1 : 0;
    switch (player.fate) {
      case Fate::lost: ++verdict.lost; break;
      case Fate::refused: ++verdict.refused; break;
      case Fate::not_let_in: judge_door(player.door, verdict); break;
      case Fate::connected:
        ++verdict.connected;
        ++shares[player.room][player.group];
        break;
    }
    if (player.fate != Fate::connected) ++verdict.reasons[player.reason];
    if (player.seated) verdict.match_times.push_back(player.match_ms());
  }
  verdict.errors = verdict.lost + verdict.refused + verdict.turned_away + verdict.answered_late +
                   verdict.came_late + verdict.unreachable;
  verdict.match_ms = percentiles(verdict.match_times);
  for (const auto& [room, groups] : shares) {
    std::uint64_t total = 0;
    std::uint64_t most = 0;
    for (const auto& [group, players] : groups) {
      total += players;
      most = std::max(most, players);
    }
    verdict.misplaced += total - most;
  }
}

void judge_fill(const Observation& seen, Verdict& verdict) {
  double sum = 0;
  std::uint64_t used = 0;
  for (const auto& room : seen.rooms) {
    const auto most = std::max(room.most_taken, room.most_inside);
    if (room.capacity > 0) { verdict.overbooked_seats += excess(most, room.capacity); }
    if (room.existed_before && !reused(room)) continue;
    // `most_inside` counts only players of this run. In a room from before the run, other players
    // may have been inside too; `most` counts all.
    const auto inside = room.existed_before ? most : room.most_inside;
    verdict.fills.push_back(
        {.group_key = room.group_key, .inside = inside, .capacity = std::max(room.capacity, 1U)});
    if (inside == 0 || room.capacity == 0) continue;
    sum += static_cast<double>(inside) / static_cast<double>(room.capacity);
    ++used;
  }
  verdict.mean_fill = used > 0 ? sum / static_cast<double>(used) : 0;
  std::stable_sort(verdict.fills.begin(), verdict.fills.end(),
                   [](const RoomFill& a, const RoomFill& b) {
                     if (a.group_key != b.group_key) return a.group_key < b.group_key;
                     return a.inside > b.inside;
                   });
}

void judge_seats(const std::vector<RestingView>& views,
                 const std::map<std::string, std::uint32_t>& inside,
                 const std::map<std::string, std::uint32_t>& before, Verdict& verdict) {
  std::uint64_t silent = 0;
  for (const auto& view : views) {
    if (!view.answered) {
      ++silent;
      continue;
    }
    const auto difference = seat_difference(view, inside, before);
    verdict.leaked_seats = std::max(verdict.leaked_seats, difference.leaked);
    verdict.uncounted_seats = std::max(verdict.uncounted_seats, difference.uncounted);
  }
  verdict.masters_silent = std::max(verdict.masters_silent, silent);
}

}  // namespace

Verdict judge(const Observation& seen, const JudgeOptions& options) {
  Verdict verdict;
  judge_rooms(seen, verdict);
  if (!options.counts_rooms) {
    verdict.ideal_rooms = verdict.duplicate_rooms = 0;
  } else if (seen.arrival == Arrival::churn) {
    verdict.duplicate_rooms = DuplicateProof{seen, options.window_ms}.count();
  }
  judge_players(seen, verdict);
  verdict.own_lateness_ms = percentiles(seen.own_lateness_ms);
  judge_fill(seen, verdict);
  const auto before = taken_before(seen);
  judge_seats(seen.while_seated, inside_at_end(seen), before, verdict);
  judge_seats(seen.after_leaving, {}, before, verdict);
  verdict.orphaned_processes = seen.orphaned_processes;
  return verdict;
}

}  // namespace fixkeep::client_sim
