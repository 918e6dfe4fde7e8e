#include "lab/race/race.hpp"

#include <algorithm>
#include <boost/asio/experimental/awaitable_operators.hpp>

#include "common/base/random.hpp"
#include "common/net/coroutines.hpp"
#include "lab/pools/live_rules.hpp"

namespace fixkeep::client_sim {

namespace asio = boost::asio;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds glance{20};        // longest delay before new settings take effect
constexpr milliseconds sweep_every{100};  // fast enough for the eye
constexpr milliseconds time_to_look{3000};
constexpr milliseconds closing_limit{10'000};

// The players of group `number`, the same for every cluster. Each has a random master and time.
std::shared_ptr<const PoolLoad> players_of(const RaceOptions& options, std::size_t number,
                                           std::uint32_t spread_ms) {
  const auto name = group_name(number);
  const auto seed = options.seed * 1'000'003 + number;
  const WorkloadOptions wanted{.players = options.group_players,
                               .groups = 1,
                               .masters = options.cluster.masters,
                               .seed = seed,
                               .player_prefix = name + "-p"};
  auto load =
      options.rules ? make_pool_load(*options.rules, wanted) : PoolLoad{make_workload(wanted), {}};
  Workload& workload = load.requests;
  Random random{seed + 1};
  std::vector<std::chrono::microseconds> times;
  for (std::size_t player = 0; player < workload.size(); ++player) {
    times.emplace_back(static_cast<std::int64_t>(random.unit() * spread_ms * 1000));
  }
  std::sort(times.begin(), times.end());
  for (std::size_t player = 0; player < workload.size(); ++player) {
    workload[player].group = number;
    workload[player].master = random.below(options.cluster.masters);
    workload[player].at = times[player];
  }
  return std::make_shared<const PoolLoad>(std::move(load));
}

}  // namespace

Race::Race(asio::io_context& context, const RaceOptions& options,
           std::vector<std::unique_ptr<Contestant>> contestants, Start start)
    : context_(context),
      options_(options),
      settings_(options.settings),
      contestants_(std::move(contestants)),
      start_(std::move(start)),
      locks_(options.settings.locks) {}

asio::awaitable<void> Race::run() {
  using asio::experimental::awaitable_operators::operator&&;
  co_await (play_rounds() && watch());
}

asio::awaitable<void> Race::sleep() {
  asio::steady_timer timer{context_, glance};
  co_await timer.async_wait(net::use_tuple);
}

asio::awaitable<void> Race::play_rounds() {
  const auto more = [this] { return options_.rounds == 0 || round_ < options_.rounds; };
  while (failure_.empty() && more()) {
    between_rounds_ = settings_.locks != locks_;
    while (failure_.empty() && between_rounds_) co_await sleep();
    if (!failure_.empty()) break;
    stage_ = RaceStage::filling;
    for (const auto& each : contestants_) {
      each->begin_round(round_ * options_.groups, options_.groups);
    }
    ++round_;
    state_text_ = to_json(state());
    co_await fill();
    while (failure_.empty() && !all_decided()) co_await sleep();
    stage_ = RaceStage::full;
    for (auto left = time_to_look; failure_.empty() && left.count() > 0;) {
      co_await sleep();
      if (settings_.running) left -= glance;
    }
    stage_ = RaceStage::leaving;
    for (const auto& each : contestants_) each->leave_all();
    for (auto left = closing_limit; failure_.empty() && left.count() > 0 && !all_rooms_closed();) {
      co_await sleep();
      left -= glance;
    }
  }
  over_ = true;
}

bool Race::may_send() const {
  const auto& groups = settings_.groups;
  return settings_.running && std::find(groups.begin(), groups.end(), true) != groups.end();
}

asio::awaitable<void> Race::fill() {
  while (failure_.empty() && !may_send()) co_await sleep();
  for (std::size_t lane = 0; lane < options_.groups; ++lane) {
    while (failure_.empty() && !settings_.running) co_await sleep();
    if (!settings_.groups[lane]) continue;
    send(lane);
    // The next group starts after `group_players / rate` seconds.
    const auto sent = Clock::now();
    const auto due = [this, sent] {
      const std::chrono::duration<double> wait{options_.group_players / settings_.rate};
      return sent + std::chrono::duration_cast<Clock::duration>(wait);
    };
    while (failure_.empty() && Clock::now() < due()) co_await sleep();
  }
}

void Race::send(std::size_t lane) {
  const auto number = (round_ - 1) * options_.groups + lane;
  const auto players = players_of(options_, number, settings_.spread_ms);
  for (const auto& each : contestants_) each->send(players, lane);
}

asio::awaitable<void> Race::watch() {
  asio::steady_timer timer{context_};
  while (!over_ && failure_.empty()) {
    timer.expires_after(sweep_every);
    co_await timer.async_wait(net::use_tuple);
    if (between_rounds_) change_locks();
    if (!failure_.empty()) break;
    for (const auto& each : contestants_) {
      co_await each->sweep();
      if (failure_.empty()) failure_ = each->failure();
    }
    look_for_ended_processes();
    state_text_ = to_json(state());
  }
}

// Starts a cluster anew for each side whose lock has changed. Sets the sums over all rounds to
// zero, so that both sides count the same players.
void Race::change_locks() {
  for (std::size_t side = 0; side < contestants_.size(); ++side) {
    contestants_[side]->forget_rounds();
    if (locks_[side] == settings_.locks[side]) continue;
    contestants_[side].reset();
    auto started = start_(side, settings_.locks[side]);
    if (auto* failure = std::get_if<std::string>(&started)) {
      failure_ = std::move(*failure);
      contestants_.erase(contestants_.begin() + static_cast<std::ptrdiff_t>(side));
      return;
    }
    contestants_[side] = std::move(std::get<std::unique_ptr<Contestant>>(started));
    for (std::size_t master = 0; failure_.empty() && master < settings_.masters.size(); ++master) {
      failure_ = contestants_[side]->set_fate(master, settings_.masters[master]);
    }
    if (failure_.empty()) failure_ = contestants_[side]->set_link_delay(settings_.link_delay_ms);
  }
  locks_ = settings_.locks;
  between_rounds_ = false;
}

void Race::look_for_ended_processes() {
  for (const auto& each : contestants_) {
    const auto ended = each->cluster().ended();
    if (!ended.empty() && failure_.empty()) failure_ = ended.front() + " has ended";
  }
}

void Race::change(const RaceSettings& settings) {
  for (const auto& each : contestants_) {
    std::string problem;
    for (std::size_t master = 0; problem.empty() && master < settings.masters.size(); ++master) {
      if (settings.masters[master] == settings_.masters[master]) continue;
      problem = each->set_fate(master, settings.masters[master]);
    }
    auto& cluster = each->cluster();
    const bool fates_changed = settings.masters != settings_.masters;
    if (problem.empty() && (fates_changed || settings.link_delay_ms != settings_.link_delay_ms)) {
      problem = each->set_link_delay(settings.link_delay_ms);
    }
    if (problem.empty() && settings.boot_ms != settings_.boot_ms) {
      problem = cluster.change_boot_time(settings.boot_ms);
    }
    if (failure_.empty()) failure_ = problem;
  }
  settings_ = settings;
  state_text_ = to_json(state());
}

bool Race::all_decided() const {
  return std::all_of(contestants_.begin(), contestants_.end(),
                     [](const auto& each) { return each->all_decided(); });
}

bool Race::all_rooms_closed() const {
  return std::all_of(contestants_.begin(), contestants_.end(),
                     [](const auto& each) { return each->all_rooms_closed(); });
}

RaceState Race::state() const {
  RaceState state{.round = round_,
                  .stage = stage_,
                  .settings = settings_,
                  .masters = options_.cluster.masters,
                  .workers = options_.cluster.workers,
                  .capacity = options_.cluster.capacity,
                  .group_players = options_.group_players,
                  .rules = options_.rules != nullptr,
                  .asked = contestants_.front()->asked()};
  for (const auto& each : contestants_) state.contestants.push_back(each->state());
  return state;
}

}  // namespace fixkeep::client_sim
