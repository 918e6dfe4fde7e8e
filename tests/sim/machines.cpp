#include "tests/sim/machines.hpp"

#include <algorithm>
#include <string>

namespace fixkeep::sim {
namespace {

constexpr Duration shortest_lag{10'000};

}  // namespace

void Machines::add_node() {
  const bool any = options_.on();
  machine_of_.push_back(any ? static_cast<std::uint32_t>(random_.below(options_.machines)) : 0);
}

void Machines::start() {
  for (std::uint32_t machine = 0; machine < options_.machines; ++machine) spell_after(machine);
}

void Machines::calm() {
  calm_ = true;
  for (std::uint32_t machine = 0; machine < options_.machines; ++machine) end(machine);
}

void Machines::spell_after(std::uint32_t machine) {
  const Duration wait{random_.between(0, 2 * options_.spell_mean.count())};
  scheduler_.after(wait, [this, machine] { begin(machine); });
}

void Machines::begin(std::uint32_t machine) {
  const Duration left = options_.until - scheduler_.now();
  if (calm_ || left.count() <= 0) return;
  busy_[machine] = true;
  tell(machine, "BUSY");
  const Duration length{random_.between(100'000, options_.spell_most.count())};
  scheduler_.after(std::min(length, left), [this, machine] {
    end(machine);
    spell_after(machine);
  });
}

void Machines::end(std::uint32_t machine) {
  if (!busy_[machine]) return;
  busy_[machine] = false;
  tell(machine, "NOT BUSY ANY MORE");
}

void Machines::tell(std::uint32_t machine, const char* what) {
  if (trace_.on()) trace_.line(scheduler_.now(), "machine " + std::to_string(machine), what);
}

// Most turns are only a little late.
Duration Machines::lag(std::uint32_t node) {
  if (!busy(node)) return {};
  const double share = random_.unit();
  const auto most = static_cast<double>((options_.lag_most - shortest_lag).count());
  return shortest_lag + Duration{static_cast<std::int64_t>(share * share * most)};
}

Duration Machines::start_time(std::uint32_t node) {
  const Duration drawn{
      random_.between(options_.start_most.count() / 4, options_.start_most.count())};
  return busy(node) ? drawn * options_.slowdown : drawn;
}

Duration Machines::health_lag(std::uint32_t node) {
  if (!busy(node)) return {};
  return Duration{random_.between(0, options_.health_lag_most.count())};
}

}  // namespace fixkeep::sim
