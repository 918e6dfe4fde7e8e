// How much of everything one search of LockModel has: what is explored and which faults happen.
// Thread rule: a value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lock/core/lock_machine.hpp"

namespace fixkeep::model {

struct Budget {
  std::string_view lock = "multiphase";  // which is explored
  lock::Rules rules;                     // that it has
  int masters = 2;                       // at most 4
  int workers = 0;                       // none: a holder does nothing but release; at most 4
  int acquisitions = 1;                  // each master
  int abandons = 0;                      // all together, as everything below
  int crashes = 0;
  int link_losses = 0;         // between masters
  int worker_link_losses = 0;  // between a master and a worker
  int worker_restarts = 0;
  int refusals = 0;           // of orders, by workers that cannot start a room now
  int holds_cut = 0;          // at their limit, or because the lock was lost
  int timeouts = 0;           // timers that go off
  bool slow_answers = false;  // what a worker says takes its time, as what it is told does
  bool grace = false;         // a master may stop waiting for the others after its start
  bool connected = false;     // otherwise every master has just started
  bool ordered_links = true;  // amendment 3
  // The list of each master, a bit for each, itself included; 0: all. And what it becomes at any
  // time, once; 0: it stays. Two masters are linked only if each lists the other.
  std::array<std::uint32_t, 4> lists{};
  std::array<std::uint32_t, 4> lists_after{};
  bool lists_told = true;  // to the peers
  // Two holders are a violation also where a link breaks, a grace lapses or lists differ.
  bool exclusive = false;
  // What the machine's timers measure is longer than every hold, than every message's way on a link
  // that is up, and than the time in which a broken link is noticed: they go off only when all that
  // is over. So says whoever waits for leases; retries and other pauses go off at any time.
  bool timers_outlast_holds = false;
  lock::Quorum quorum = lock::Quorum::grid;
  bool basis_checked = true;    // an order names the newest fence that it builds on
  bool hints_passed_on = true;  // also those of rooms on workers that a holder cannot reach
  bool hints_kept = true;       // until their worker is heard of
  bool early_release = false;   // a holder gives the lock on before its orders are answered
  bool orders_named = true;     // and the lock value names them
  bool orders_fenced = true;    // a holder fences before it gives up a room that is named so
  bool orders_awaited = true;   // also when the link to their worker breaks during the hold
  bool past_deadlocks = false;  // a deadlock is no violation

  [[nodiscard]] std::uint32_t list_of(int master) const {  // at the start
    const std::uint32_t list = lists.at(static_cast<std::size_t>(master));
    return list == 0 ? (1U << static_cast<unsigned>(masters)) - 1 : list;
  }
};

}  // namespace fixkeep::model
