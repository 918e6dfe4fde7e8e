// Players who give their seats back. A call is answered after the room's worker has ended the
// reservations. The worker's journal then contains this, so the players have no seats in its next
// run either.
//
// A release may be lost: a master that was stopped does not notice at once that its link is broken.
// If the worker has no link, or its link breaks before its answer, the master sends the release
// again when the worker is back. The player has no answer yet, so the release ends no later seat,
// unless the player requests a seat at the same time.
//
// A call goes on if its client hangs up: games often do not wait for the answer.
//
// Thread rule: one owner. Bounds: each call for at most `patience`; the limits of clients on
// requests per second. Errors: Refused with worker_away.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/seam/events.hpp"
#include "master/core/seam/step.hpp"

namespace fixkeep::master {

class Leaves {
 public:
  // Long enough for a link to be noticed as broken and to be connected again.
  static constexpr Duration patience = std::chrono::seconds{5};

  // `directory` outlives the object.
  explicit Leaves(const Directory& directory) : directory_(directory) {}

  void left(SeatsLeft&& event, Step& step);
  // The worker has answered the release with this number.
  void released(const WorkerId& worker, std::uint64_t request, Step& step);
  // Call after the worker has come back. REQUIRES: the directory contains the worker's state.
  void returned(const WorkerId& worker, Step& step);
  void time_passed(Step& step) { refuse(step.now, step); }
  void stop(Step& step) { refuse(TimePoint::max(), step); }
  [[nodiscard]] TimePoint next_tick() const;  // max(): no tick is needed

 private:
  struct Leave {
    SeatsLeft event;
    TimePoint until;
  };
  void send(const SeatsLeft& event, Step& step) const;  // if the worker is there
  // Refuses the calls whose time is over at `now`.
  void refuse(TimePoint now, Step& step);

  const Directory& directory_;
  std::map<TicketId, Leave> open_;  // tickets grow, so the first entry ends first
};

}  // namespace fixkeep::master
