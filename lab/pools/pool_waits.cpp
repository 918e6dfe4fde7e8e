#include "lab/pools/pool_waits.hpp"

#include <algorithm>

namespace fixkeep::client_sim {
namespace {

using events::EventTime;
using std::chrono::microseconds;

// The longest time from the gathering of a claim to the answer of the last worker.
constexpr microseconds longest_decision{8'000'000};

bool is_over(EventTime ended, EventTime at) {
  return ended != EventTime::max() && ended + longest_decision < at;
}

}  // namespace

void PoolWaits::asked(const std::string& node, const events::MatchAsked& what, EventTime at) {
  auto& waits = waits_[what.player];
  std::erase_if(waits, [at](const Wait& wait) { return is_over(wait.ended, at); });
  waits.push_back({.ticket = {node, what.ticket}, .seats = what.seats, .since = at});
  players_[{node, what.ticket}] = what.player;
}

void PoolWaits::answered(const std::string& node, TicketId ticket, EventTime at) {
  const auto player = players_.extract({node, ticket});
  if (player.empty()) return;
  for (Wait& wait : waits_[player.mapped()]) {
    if (wait.ticket == Ticket{node, ticket}) wait.ended = at;
  }
}

void PoolWaits::ended(const std::string& node, EventTime at) {
  for (auto& [player, waits] : waits_) {
    for (Wait& wait : waits) {
      if (wait.ticket.first == node) wait.ended = std::min(wait.ended, at);
    }
  }
  std::erase_if(players_, [&](const auto& entry) { return entry.first.first == node; });
}

std::optional<Ages> PoolWaits::ages_of(const PlayerId& player, EventTime at) const {
  std::optional<Ages> ages;
  const auto waits = waits_.find(player);
  if (waits == waits_.end()) return ages;
  for (const Wait& wait : waits->second) {
    if (is_over(wait.ended, at)) continue;
    const microseconds age = std::max(at - wait.since, microseconds{});
    const microseconds longest = age + tolerance_.clocks;
    const microseconds shortest =
        std::max(age - tolerance_.clocks - tolerance_.gathering, microseconds{});
    if (!ages) ages = Ages{longest, shortest};
    ages->longest = std::max(ages->longest, longest);
    ages->shortest = std::min(ages->shortest, shortest);
  }
  return ages;
}

std::uint32_t PoolWaits::seats_of(const PlayerId& player) const {
  const auto waits = waits_.find(player);
  return waits == waits_.end() || waits->second.empty() ? 1 : waits->second.back().seats;
}

}  // namespace fixkeep::client_sim
