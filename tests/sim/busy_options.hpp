// How busy the machines of a run are: what makes a node late that is alive.
//
// Nodes share machines. In a busy spell of a machine every turn of its nodes is late: what arrives
// waits for the turn, timers too, and all of it is handled as one batch. Games are started one
// after another, boot slowly and say late that they are well. Heartbeats go on, so a spell cuts no
// link.
//
// Thread rule: values.
#pragma once

#include <cstdint>

#include "common/base/time.hpp"

namespace fixkeep::sim {

struct BusyOptions {
  std::uint32_t machines = 0;  // that the nodes share; 0: there is time for everything
  Duration spell_mean{};       // of a machine, from the end of a spell to the next one
  Duration spell_most{};       // how long a spell lasts
  Duration lag_most{};         // how late a turn is in a spell
  std::uint32_t starts = 1;    // of games that a worker carries out at the same time
  Duration start_most{};       // how long one takes without a spell
  std::uint32_t slowdown = 1;  // starts and boots in a spell take so many times as long
  Duration health_every{};     // games say that they are well so often; zero: never
  Duration health_lag_most{};  // how late they are with it in a spell
  Duration until{};            // no spell lasts longer
  bool patient = false;        // clients and masters wait for longer than all that may take
  bool by_itself = false;      // drawn by draw_busy_options()

  [[nodiscard]] bool on() const { return machines > 0; }
  // How late a node may be with what is due.
  [[nodiscard]] Duration longest_lag() const { return on() ? lag_most : Duration{}; }
  // How long it may take until `games` that one worker was told to start have booted.
  [[nodiscard]] Duration longest_start(std::uint32_t games, Duration boot) const {
    return on() ? (start_most * games + boot) * slowdown : Duration{};
  }
};

}  // namespace fixkeep::sim
