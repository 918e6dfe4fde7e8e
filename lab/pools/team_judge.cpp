#include "lab/pools/team_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace fixkeep::client_sim {
namespace {

struct Team {
  std::uint32_t players = 0;
  std::int64_t sum = 0;
};
using Teams = std::map<std::string, Team>;  // by name, with a team for each name of the rules

using Creation = std::pair<GroupKey, CreationId>;

std::map<Creation, std::string> rooms_of(const std::vector<events::Event>& seen) {
  std::map<Creation, std::string> rooms;
  for (const events::Event& event : seen) {
    const auto* changed = std::get_if<events::RoomChanged>(&event.what);
    if (changed == nullptr) continue;
    rooms.try_emplace({changed->group, changed->creation}, to_string(changed->room));
  }
  return rooms;
}

// Returns the teams of an order as its players heard them. No value if a claim has its seat
// elsewhere.
std::optional<Teams> teams_of(const events::RoomOrdered& order, const std::string& room,
                              const master::plan::Rules& rules, const Brought& brought,
                              const HeardSeats& heard) {
  Teams teams;
  for (std::uint32_t i = 1; i <= rules.team_count(); ++i) teams[std::to_string(i)];
  for (std::size_t i = 0; i < order.players.size(); ++i) {
    const auto seat = heard.find(order.players[i]);
    if (seat == heard.end() || seat->second.room != room) return std::nullopt;
    Team& team = teams[seat->second.team];
    team.players += order.claims[i];
    if (!rules.teams->number) continue;
    team.sum += brought.at(order.players[i]).at(*rules.teams->number) * order.claims[i];
  }
  return teams;
}

std::string in_words(const Teams& teams) {
  std::string text;
  for (const auto& [name, team] : teams) {
    text += fmt::format("{}{}: {} players, sum {}", text.empty() ? "" : "; ",
                        name.empty() ? "no team" : "team " + name, team.players, team.sum);
  }
  return text;
}

bool are_equal(const Teams& teams, const master::plan::Rules& rules) {
  const auto by = [&](auto member) {
    return std::minmax_element(teams.begin(), teams.end(), [&](const auto& a, const auto& b) {
      return a.second.*member < b.second.*member;
    });
  };
  const auto [fewest, most] = by(&Team::players);
  const auto [low, high] = by(&Team::sum);
  return fewest->second.players == most->second.players &&
         high->second.sum - low->second.sum <= rules.teams->difference;
}

std::string unlike_order(const events::RoomOrdered& order, const HeardSeats& heard) {
  for (std::size_t i = 0; i < order.players.size(); ++i) {
    const std::string& team = heard.at(order.players[i]).team;
    const std::string ordered = i < order.teams.size() ? order.teams[i] : "";
    if (team == ordered) continue;
    return fmt::format("{} heard team \"{}\", and was ordered into team \"{}\"",
                       order.players[i].text(), team, ordered);
  }
  return {};
}

}  // namespace

TeamBill judge_teams(const std::vector<events::Event>& seen, const master::plan::Rules& rules,
                     const Brought& brought, const HeardSeats& heard) {
  TeamBill bill;
  auto rooms = rooms_of(seen);
  for (const events::Event& event : seen) {
    const auto* order = std::get_if<events::RoomOrdered>(&event.what);
    if (order == nullptr || order->players.size() != order->claims.size()) continue;
    const auto made = rooms.extract({order->group, order->creation});  // an order may be repeated
    if (made.empty()) continue;
    const auto teams = teams_of(*order, made.mapped(), rules, brought, heard);
    if (!teams) continue;
    ++bill.rooms;
    const auto say = [&](std::uint64_t& count, const std::string& words) {
      ++count;
      if (bill.words.size() == TeamBill::words_most) return;
      bill.words.push_back(fmt::format("{}: {}", made.mapped(), words));
    };
    if (!are_equal(*teams, rules)) say(bill.unequal, in_words(*teams));
    if (auto words = unlike_order(*order, heard); !words.empty()) say(bill.unlike, words);
  }
  return bill;
}

}  // namespace fixkeep::client_sim
