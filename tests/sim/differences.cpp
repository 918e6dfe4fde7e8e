// Nodes that are not configured alike, as in the middle of a change.
#include <algorithm>
#include <ostream>
#include <string>

#include "tests/sim/options.hpp"

namespace fixkeep::sim {
namespace {

Duration between(Random& random, Duration low, Duration high) {
  return Duration{random.between(low.count(), high.count())};
}

}  // namespace

ModeName Options::mode(std::uint32_t number) const {
  return ModeName{number == 0 ? "duel" : "raid" + std::to_string(number)};
}

ModeName Options::mode_of(const GroupKey& group) const {
  for (std::uint32_t number = 0; number < warm_modes; ++number) {
    if (group == wire::warm_pool_of(mode(number), capacity)) return mode(number);
  }
  if (wire::is_match(group)) return mode(0);
  return mode(static_cast<std::uint32_t>(std::stoul(group.text().substr(1))) % modes);
}

MasterConfig Options::master_config(std::size_t index) const {
  if (!master_configs.empty()) return master_configs.at(index);
  MasterConfig config;
  config.lock_lease = lock_lease;
  return config;
}

WorkerConfig Options::worker_config(std::size_t index) const {
  if (!worker_configs.empty()) return worker_configs.at(index);
  WorkerConfig config{reservation, boot_most, room_limit, {}};
  for (std::uint32_t number = 0; number < modes; ++number) config.modes.push_back(mode(number));
  return config;
}

Duration Options::longest_reservation() const {
  Duration longest = reservation;
  for (const WorkerConfig& each : worker_configs) longest = std::max(longest, each.reservation);
  return longest;
}

Duration Options::longest_boot() const {
  Duration longest = boot_most;
  for (const WorkerConfig& each : worker_configs) longest = std::max(longest, each.boot_most);
  return longest;
}

bool Options::ample() const {
  for (std::size_t i = 0; i < workers; ++i) {
    if (worker_config(i).room_limit < players + most_warm() + 10) return false;
  }
  return true;
}

Duration Options::liveness_bound(std::size_t most_rivals) const {
  // Two full waits of a request, should the first end in a refusal, and the way to the room.
  const Duration starts = busy.on() ? longest_start() : Duration{};
  constexpr Duration between_requests{
      15'000'000};  // a refusal, the pause it asks for, the game's end
  const Duration life =
      longest_start() + longest_seat() + play_most + close_empty_after + between_requests;
  // A player has one seat: its rivals get theirs one after the other, and each seat is kept for a
  // return.
  const Duration turns = (life + longest_seat()) * (most_rivals - 1);
  const Duration plenty =
      Duration{30'000'000} + 2 * request_wait + boot_pause_most + starts + out_of_sight + turns;
  if (ample() || !checks.scarcity) return plenty;
  // Where rooms are scarce each life of a room seats at least one request more.
  std::uint32_t rooms = ~0U;  // at the same time, of the mode that has the fewest
  for (std::uint32_t number = 0; number < modes; ++number) {
    std::uint32_t of_mode = 0;
    for (std::size_t i = 0; i < workers; ++i) {
      const WorkerConfig config = worker_config(i);
      const auto& known = config.modes;
      if (std::find(known.begin(), known.end(), mode(number)) == known.end()) continue;
      // Warm rooms take places, but never the last one of a worker.
      of_mode += std::max(1U, config.room_limit - std::min(config.room_limit, most_warm()));
    }
    rooms = std::min(rooms, of_mode);
  }
  return plenty + life * (players / std::max(rooms, 1U) + 1);
}

void draw_differences(Random& random, Options& drawn) {
  if (!random.chance(0.3)) return;
  if (drawn.groups > 1 && random.chance(0.5)) drawn.modes = 2;
  for (std::size_t i = 0; i < drawn.masters; ++i) {
    MasterConfig config;
    config.worker_reply = between(random, Duration{1'000'000}, Duration{2'000'000});
    // Longer than the answer of a worker may take, as the configuration demands too.
    const Duration least = std::max(config.worker_reply * 5 / 4, drawn.shortest_lease());
    config.lock_lease = between(random, least, Duration{5'000'000});
    config.spawn_attempts = static_cast<std::uint32_t>(random.between(1, 5));
    drawn.master_configs.push_back(config);
  }
  for (std::size_t i = 0; i < drawn.workers; ++i) {
    WorkerConfig config;
    // Never shorter than what all have otherwise: rooms may be counted on the strength of it.
    config.reservation = between(random, drawn.reservation, drawn.reservation * 3 / 2);
    config.boot_most = between(random, drawn.boot_most / 2, drawn.boot_most * 3 / 2);
    config.room_limit = drawn.room_limit + static_cast<std::uint32_t>(random.between(0, 3));
    for (std::uint32_t number = 0; number < drawn.modes; ++number) {
      // Each mode has a worker of its own that knows it for sure.
      const bool own = number % drawn.workers == i;
      if (own || random.chance(0.6)) config.modes.push_back(drawn.mode(number));
    }
    drawn.worker_configs.push_back(config);
  }
}

void draw_warm_rooms(Random& random, Options& drawn) {
  if (!random.chance(0.3)) return;
  drawn.warm_modes = static_cast<std::uint32_t>(random.between(1, drawn.modes));
  drawn.warm.least = static_cast<std::uint32_t>(random.between(0, 3));
  drawn.warm.most = drawn.warm.least + static_cast<std::uint32_t>(random.between(1, 5));
  drawn.warm.share = random.chance(0.5) ? random.unit() : 0;
}

void describe_differences(std::ostream& out, const Options& options) {
  if (options.master_configs.empty()) return;
  const auto ms = [](Duration duration) { return duration.count() / 1'000; };
  out << "; modes " << options.modes << "; masters differ (lease_ms/reply_ms/attempts):";
  for (const MasterConfig& each : options.master_configs) {
    out << ' ' << ms(each.lock_lease) << '/' << ms(each.worker_reply) << '/' << each.spawn_attempts;
  }
  out << "; workers differ (reservation_ms/boot_ms/limit/modes):";
  for (const WorkerConfig& each : options.worker_configs) {
    out << ' ' << ms(each.reservation) << '/' << ms(each.boot_most) << '/' << each.room_limit
        << '/';
    for (const ModeName& known : each.modes) out << (known == options.mode(0) ? 'd' : 'r');
  }
}

}  // namespace fixkeep::sim
