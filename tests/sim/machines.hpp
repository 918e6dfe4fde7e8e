// The machines that the nodes run on, and the spells in which they are too busy to be in time.
//
// Each node belongs to one machine for good. A machine is busy again and again until
// BusyOptions::until. What is late in a spell, and by how much, is asked for here and drawn from a
// generator of its own, so that a run without spells is the same whether or not this exists.
// Thread rule: one owner. Errors: none. Bounds: one spell a machine at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/random.hpp"
#include "common/node/known_links.hpp"
#include "tests/sim/busy_options.hpp"
#include "tests/sim/scheduler.hpp"
#include "tests/sim/trace.hpp"

namespace fixkeep::sim {

// What has arrived at a node that is late, until its turn comes.
template <class Event>
struct Backlog {
  std::vector<std::pair<Event, std::optional<node::LinkChange>>> waiting;
  bool timer_due = false;
  SimTime turn_at = never;
};

class Machines {
 public:
  static constexpr Duration unhurried_health{2'000'000};  // is soon enough, and less to simulate

  // `options` and the others outlive the object.
  Machines(const BusyOptions& options, Scheduler& scheduler, Trace& trace, std::uint64_t seed)
      : options_(options), scheduler_(scheduler), trace_(trace), random_(seed ^ 0xb5b5b5b5b5b5U) {}

  void add_node();  // the next one, by number
  void start();
  void calm();  // for good

  [[nodiscard]] bool busy(std::uint32_t node) const {
    return options_.on() && busy_[machine_of_[node]];
  }
  [[nodiscard]] std::uint32_t machine_of(std::uint32_t node) const { return machine_of_[node]; }

  // --- how late this is, now
  [[nodiscard]] Duration lag(std::uint32_t node);
  [[nodiscard]] Duration start_time(std::uint32_t node);
  [[nodiscard]] Duration boot_time(std::uint32_t node, Duration unhurried) const {
    return busy(node) ? unhurried * options_.slowdown : unhurried;
  }
  // How late a game is with its next sign of health, since it is not scheduled.
  [[nodiscard]] Duration health_lag(std::uint32_t node);
  [[nodiscard]] Duration health_every() const {
    return calm_ ? unhurried_health : options_.health_every;
  }
  // A loop looks at its timers before its sockets, or after.
  [[nodiscard]] bool timers_first() { return random_.chance(0.5); }

 private:
  void spell_after(std::uint32_t machine);
  void begin(std::uint32_t machine);
  void end(std::uint32_t machine);
  void tell(std::uint32_t machine, const char* what);

  const BusyOptions& options_;
  Scheduler& scheduler_;
  Trace& trace_;
  Random random_;
  std::vector<std::uint32_t> machine_of_;
  std::vector<bool> busy_ = std::vector<bool>(options_.machines);
  bool calm_ = false;
};

}  // namespace fixkeep::sim
