// PoolWaits knows from the events of masters how long players have waited in pools.
//
// A player may ask several masters and ask again. A decision may seat a claim some seconds after
// the end of its request. Each player thus has a longest and a shortest possible wait. Thread rule:
// one owner. Bounds: the requests of a player that still count.
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
  // Between the clocks of two nodes with the time within a batch.
  std::chrono::microseconds clocks{100'000};
  // The longest that a holder gathers claims: their ages stand still on the way.
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
  // The node was killed. All requests that wait there go with it.
  void ended(const std::string& node, events::EventTime at);

  // No value: the start of the player's wait is unknown.
  [[nodiscard]] std::optional<Ages> ages_of(const PlayerId& player, events::EventTime at) const;
  // These are the seats of the claim for which the player asked.
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
