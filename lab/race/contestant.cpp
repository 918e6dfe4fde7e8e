#include "lab/race/contestant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <map>
#include <utility>

#include "client-sim/load/event_reader.hpp"
#include "common/base/percentiles.hpp"
#include "common/net/coroutines.hpp"
#include "lab/pools/pool_mode.hpp"

namespace fixkeep::client_sim {

namespace asio = boost::asio;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds contestant_limit{1000};
constexpr int silent_most = 20;  // a busy machine answers late, and a master needs time to start
// The answer of a node may lack events that happened less than this time before the request.
constexpr milliseconds stamp_slack{100};
constexpr std::size_t match_times = 64;     // about one round, so new settings show soon
constexpr std::size_t spreads_most = 4096;  // spreads of rooms in earlier rounds
constexpr milliseconds player_wait{10'000};
constexpr milliseconds player_patience{20'000};

}  // namespace

Contestant::Contestant(asio::io_context& context, std::string lock, Cluster& cluster,
                       std::uint32_t capacity, std::shared_ptr<const LiveRules> rules)
    : context_(context), lock_(std::move(lock)), cluster_(cluster), rules_(std::move(rules)) {
  if (rules_) {
    load_.mode = rules_->mode;
    load_.leave_after_wait = true;
  }
  load_.masters = cluster.masters();
  load_.capacity = capacity;
  load_.wait = player_wait;
  load_.patience = player_patience;
  for (const auto& node : cluster.nodes()) {
    nodes_.push_back({.name = fmt::format("{}:{}", node.host, node.port),
                      .client = HttpClient{context.get_executor(), node}});
  }
}

void Contestant::begin_round(std::size_t first_group, std::size_t groups) {
  rounds_before_ += tally();
  for (const double spread : spreads()) {
    spreads_.push_back(spread);
    if (spreads_.size() > spreads_most) spreads_.pop_front();
  }
  bursts_.clear();
  events_lost_ = false;
  view_ = RoundView{first_group, groups};
}

void Contestant::forget_rounds() {
  bursts_.clear();
  view_ = RoundView{0, 0};
  rounds_before_ = {};
}

void Contestant::send(std::shared_ptr<const PoolLoad> players, std::size_t lane) {
  auto& burst = *bursts_.emplace_back(std::make_unique<Burst>());
  burst.players = std::move(players);
  burst.lane = lane;
  burst.crowd =
      std::make_unique<Crowd>(context_.get_executor(), burst.players->requests, load_, burst.rooms);
  burst.crowd->start_clock();
  asio::co_spawn(context_, play(burst), net::rethrow);
}

asio::awaitable<void> Contestant::play(Burst& burst) {
  co_await burst.crowd->play();
  burst.over = true;
  for (const auto& record : burst.crowd->records()) {
    if (record.fate != Fate::connected) continue;
    match_ms_.push_back(record.match_ms());
    if (match_ms_.size() > match_times) match_ms_.pop_front();
  }
}

bool Contestant::all_decided() const {
  return std::all_of(bursts_.begin(), bursts_.end(), [](const auto& burst) { return burst->over; });
}

void Contestant::leave_all() {
  for (const auto& burst : bursts_) burst->crowd->leave_all();
}

asio::awaitable<void> Contestant::sweep() {
  const auto began = std::chrono::system_clock::now();
  EventsRead read;
  bool all = true;
  for (auto& node : nodes_) {
    co_await sweep(node, read);
    all = all && node.silent == 0 && node.fate != MasterFate::stopped;
    if (!failure_.empty()) co_return;
  }
  view_.add(std::move(read.events));
  if (!view_.complete()) failure_ = lock_ + ": a round has more events than are kept";
  // Collisions are not defined for a pool: the number of rooms that a pool needs depends on the
  // players that wait together.
  if (rules_ || !all) co_return;
  view_.judge(std::chrono::time_point_cast<std::chrono::microseconds>(began - stamp_slack),
              !events_lost_);
}

asio::awaitable<void> Contestant::sweep(Node& node, EventsRead& read) {
  if (node.fate == MasterFate::stopped || node.fate == MasterFate::killed) co_return;
  const auto reply = co_await node.client.request(
      "GET", fmt::format("/v1/events?after={}", node.after), {}, contestant_limit);
  if (!reply || reply->status != 200) {
    if (++node.silent < silent_most) co_return;
    failure_ = fmt::format("{}: {} does not tell its events", lock_, node.name);
    co_return;
  }
  node.silent = 0;
  node.after = take_events(reply->body, node.after, node.name, read);
  if (!read.failure.empty()) failure_ = lock_ + ": " + read.failure;
}

std::string Contestant::set_fate(std::size_t master, MasterFate fate) {
  Node& node = nodes_[master];  // masters come first
  std::string problem;
  switch (node.fate) {
    case MasterFate::runs: break;
    case MasterFate::stopped: cluster_.continue_master(master); break;
    case MasterFate::killed:
      problem = cluster_.start_master(master);
      node.after = 0;
      break;
    case MasterFate::cut: problem = cluster_.cut_master(master, false); break;
  }
  if (!problem.empty()) return problem;
  node.fate = fate;
  switch (fate) {
    case MasterFate::runs: break;
    case MasterFate::stopped: cluster_.stop_master(master); break;
    case MasterFate::killed:
      cluster_.kill_master(master);
      events_lost_ = true;
      view_.killed(fmt::format("m{}", master + 1),
                   std::chrono::time_point_cast<std::chrono::microseconds>(
                       std::chrono::system_clock::now()));
      break;
    case MasterFate::cut: problem = cluster_.cut_master(master, true); break;
  }
  return problem;
}

std::string Contestant::set_link_delay(double one_way_ms) {
  std::string problem = cluster_.change_link_delay(one_way_ms);
  for (std::size_t master = 0; problem.empty() && master < cluster_.masters().size(); ++master) {
    if (nodes_[master].fate == MasterFate::cut) problem = cluster_.cut_master(master, true);
  }
  return problem;
}

std::vector<std::uint64_t> Contestant::asked() const {
  std::vector<std::uint64_t> asked(view_.groups(), 0);
  for (const auto& burst : bursts_) asked[burst->lane] += burst->crowd->progress().asked;
  return asked;
}

RaceTally Contestant::tally() const {
  RaceTally tally{.rooms = view_.rooms_made(),
                  .refused = view_.orders_refused(),
                  .cost = view_.cost(),
                  .two_holders = view_.two_holders()};
  for (const auto& burst : bursts_) {
    const auto& progress = burst->crowd->progress();
    tally.asked += progress.asked;
    tally.seated += progress.connected;
    tally.failed += progress.decided - progress.connected;
  }
  if (rules_) return tally;  // a pool has no fixed number of needed rooms
  for (const auto players : asked())
    tally.needed += (players + load_.capacity - 1) / load_.capacity;
  return tally;
}

std::vector<double> Contestant::spreads() const {
  std::vector<double> all;
  if (!rules_) return all;
  for (const auto& burst : bursts_) {
    const auto own = spreads_of(burst->crowd->records(), *burst->players, rules_->rules);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

// Sets the least and greatest player's value of each room, from the answers to players.
void Contestant::show_numbers(std::vector<RacedRoom>& rooms) const {
  if (!rules_ || rules_->rules.distances.empty()) return;
  const std::size_t number = rules_->rules.distances.front().number;
  std::map<std::string, RacedRoom*> named;
  for (RacedRoom& room : rooms) named[room.name] = &room;
  for (const auto& burst : bursts_) {
    const auto& records = burst->crowd->records();
    const auto& requests = burst->players->requests;
    for (std::size_t i = 0; i < records.size() && i < requests.size(); ++i) {
      const auto at = named.find(records[i].room);
      if (!records[i].seated || at == named.end()) continue;
      const auto own = burst->players->brought.at(PlayerId{requests[i].id}).at(number);
      auto& span = at->second->numbers;
      span = span ? std::pair{std::min(span->first, own), std::max(span->second, own)}
                  : std::pair{own, own};
    }
  }
}

ContestantState Contestant::state() const {
  auto total = rounds_before_;
  total += tally();
  auto rooms = view_.rooms();
  show_numbers(rooms);
  const auto match_ms = percentiles({match_ms_.begin(), match_ms_.end()});
  std::vector<double> all_spreads{spreads_.begin(), spreads_.end()};
  const auto own = spreads();
  all_spreads.insert(all_spreads.end(), own.begin(), own.end());
  const auto spread = percentiles(std::move(all_spreads));
  return {.lock = lock_,
          .judged = !events_lost_,
          .rooms = std::move(rooms),
          .round = tally(),
          .total = total,
          .match_p50_ms = match_ms.p50,
          .match_p90_ms = match_ms.p90,
          .spread_p50 = spread.p50,
          .spread_p90 = spread.p90};
}

}  // namespace fixkeep::client_sim
