// Who there is: the clients of a run, drawn before it begins.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/sim/clients.hpp"

namespace fixkeep::sim {

Clients::Clients(const Options& options, Scheduler& scheduler, Random& random, Cluster*& cluster)
    : options_(options),
      scheduler_(scheduler),
      random_(random),
      cluster_(cluster),
      admission_(options) {
  for (std::size_t i = 0; i < options.players; ++i) make_player(i);
}

void Clients::make_player(std::size_t index) {
  Player made;
  const std::string name = "p" + std::to_string(index);
  made.claim.player = PlayerId{name};
  made.group = GroupKey{"g" + std::to_string(random_.below(options_.groups))};
  if (options_.largest_party() > 1 && random_.chance(options_.parties)) {
    const std::int64_t most = options_.largest_party() - 1;
    for (std::int64_t i = random_.between(1, most); i > 0; --i) {
      made.claim.party.emplace_back(name + "." + std::to_string(i));
    }
  }
  made.hangs_up = random_.chance(options_.hang_ups);
  made.never_claims = random_.chance(options_.never_claims);
  made.arrives = Duration{random_.between(0, options_.arrive_within.count())} +
                 options_.wave_gap * (index % options_.waves);
  if (index > 0 && random_.chance(options_.rivals)) {
    make_rival(made, players_[random_.below(index)], name);
  }
  players_.push_back(std::move(made));
}

// Somebody else who asks for a seat for the same player, at about the same time.
void Clients::make_rival(Player& made, const Player& earlier, const std::string& name) {
  const std::vector<PlayerId>& party = earlier.claim.party;
  const PlayerId shared = party.empty() || random_.chance(0.3) ? earlier.claim.player
                                                               : party[random_.below(party.size())];
  made.claim = {shared, {}};
  if (options_.largest_party() > 1 && random_.chance(0.4)) {
    const PlayerId own{name};  // leads a party of two, or is led
    made.claim = random_.chance(0.5) ? wire::Claim{own, {shared}} : wire::Claim{shared, {own}};
  }
  if (random_.chance(0.7)) made.group = earlier.group;
  made.arrives = earlier.arrives + Duration{random_.between(0, 2'000'000)};
}

void Clients::start() {
  for (std::size_t i = 0; i < players_.size(); ++i) {
    scheduler_.after(options_.arrive_after + players_[i].arrives, [this, i] { ask(i); });
  }
}

std::size_t Clients::most_rivals() const {
  std::vector<std::size_t> sets(players_.size());  // the set of each client
  std::map<PlayerId, std::size_t> first;           // client with this player
  for (std::size_t i = 0; i < players_.size(); ++i) {
    sets[i] = i;
    std::vector<PlayerId> claim = players_[i].claim.party;
    claim.push_back(players_[i].claim.player);
    for (const PlayerId& player : claim) {
      const auto known = first.try_emplace(player, i).first;
      std::ranges::replace(sets, std::size_t{sets[known->second]}, std::size_t{sets[i]});
    }
  }
  std::ptrdiff_t most = 1;
  for (const std::size_t set : sets) most = std::max(most, std::ranges::count(sets, set));
  return static_cast<std::size_t>(most);
}

bool Clients::at_rest() const {
  return std::all_of(players_.begin(), players_.end(), [](const Player& player) {
    return player.state == PlayerState::playing || player.state == PlayerState::gone;
  });
}

}  // namespace fixkeep::sim
