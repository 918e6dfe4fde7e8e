#include "client-sim/race/contestant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>

#include "client-sim/judge/event_reader.hpp"
#include "common/base/percentiles.hpp"
#include "common/net/coroutines.hpp"

namespace fixkeep::client_sim {

namespace asio = boost::asio;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds contestant_limit{10'000};  // a machine that is busy answers late
// A node may have stamped an event so much earlier than its answer, and not told it there yet.
constexpr milliseconds stamp_slack{100};
constexpr std::size_t match_times = 64;  // about a round: a change of the settings shows soon
constexpr milliseconds player_wait{10'000};
constexpr milliseconds player_patience{20'000};

}  // namespace

Contestant::Contestant(asio::io_context& context, std::string lock, Cluster& cluster,
                       std::uint32_t capacity)
    : context_(context), lock_(std::move(lock)), cluster_(cluster) {
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
  bursts_.clear();
  view_ = RoundView{first_group, groups};
}

void Contestant::send(std::shared_ptr<const Workload> players, std::size_t lane) {
  auto& burst = *bursts_.emplace_back(std::make_unique<Burst>());
  burst.players = std::move(players);
  burst.lane = lane;
  burst.crowd =
      std::make_unique<Crowd>(context_.get_executor(), *burst.players, load_, burst.rooms);
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
  for (auto& node : nodes_) {
    const auto reply = co_await node.client.request(
        "GET", fmt::format("/v1/events?after={}", node.after), {}, contestant_limit);
    if (!reply || reply->status != 200) {
      failure_ = fmt::format("{}: {} does not tell its events", lock_, node.name);
      co_return;
    }
    node.after = take_events(reply->body, node.after, node.name, read);
    if (!read.failure.empty()) {
      failure_ = lock_ + ": " + read.failure;
      co_return;
    }
  }
  view_.add(std::move(read.events));
  if (!view_.complete()) failure_ = lock_ + ": a round has more events than are kept";
  view_.judge(std::chrono::time_point_cast<std::chrono::microseconds>(began - stamp_slack));
}

std::vector<std::uint64_t> Contestant::asked() const {
  std::vector<std::uint64_t> asked(view_.groups(), 0);
  for (const auto& burst : bursts_) asked[burst->lane] += burst->crowd->progress().asked;
  return asked;
}

RaceTally Contestant::tally() const {
  RaceTally tally{.rooms = view_.rooms_made(), .cost = view_.cost()};
  for (const auto& burst : bursts_) {
    const auto& progress = burst->crowd->progress();
    tally.asked += progress.asked;
    tally.seated += progress.connected;
    tally.failed += progress.decided - progress.connected;
  }
  for (const auto players : asked())
    tally.needed += (players + load_.capacity - 1) / load_.capacity;
  return tally;
}

ContestantState Contestant::state() const {
  auto total = rounds_before_;
  total += tally();
  return {.lock = lock_,
          .rooms = view_.rooms(),
          .round = tally(),
          .total = total,
          .match_p50_ms = percentiles({match_ms_.begin(), match_ms_.end()}).p50};
}

}  // namespace fixkeep::client_sim
