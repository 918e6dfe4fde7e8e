// PoolWaits computes from masters' events how long players have waited in pools.
//
// A player may send requests to several masters, and may repeat requests. A decision may seat a
// claim some seconds after the claim's request has ended. Each player thus has a longest and a
// shortest possible wait. Thread rule: one owner. Bounds: the recent requests of each player.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/events/event.hpp"

namespace fixkeep::client_sim {

struct PoolTolerance {
  // Largest difference between two nodes' clocks, plus the duration of a batch.
  std::chrono::microseconds clocks{100'000};
  // Longest time that a claim is on its way to the lock's holder. In this time, its age does not
  // grow.
  std::chrono::microseconds gathering{500'000};
};

struct Ages {
  std::chrono::microseconds longest{};
  std::chrono::microseconds shortest{};
};

class PoolWaits {
 public:
  explicit PoolWaits(const PoolTolerance& tolerance) : tolerance_(tolerance) {}

  void asked(const std::string& node, const events::MatchAsked& what, events::EventTime at);
  void answered(const std::string& node, TicketId ticket, events::EventTime at);
  // Call when the node was killed. Ends all requests that wait at this node.
  void ended(const std::string& node, events::EventTime at);

  // Returns the player's longest and shortest possible wait. No value if the start of the wait is
  // unknown.
  [[nodiscard]] std::optional<Ages> ages_of(const PlayerId& player, events::EventTime at) const;
  // Returns the number of seats in the player's latest claim.
  [[nodiscard]] std::uint32_t seats_of(const PlayerId& player) const;

 private:
  using Ticket = std::pair<std::string, TicketId>;  // ticket of a master
  struct Wait {                                     // wait of one request
    Ticket ticket;
    std::uint32_t seats = 1;
    events::EventTime since;
    events::EventTime ended = events::EventTime::max();
  };

  PoolTolerance tolerance_;
  std::map<PlayerId, std::vector<Wait>> waits_;
  std::map<Ticket, PlayerId> players_;
};

}  // namespace fixkeep::client_sim
