// PoolWaits knows since when which players wait in pools, as far as the events of masters tell.
//
// A player may ask several masters, and again; a decision may seat a claim whose request was
// answered or given up some seconds ago. So there is a longest and a shortest time that somebody
// may have waited. Thread rule: one owner. Bounds: the requests of a player that count still.
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
  // Between the clocks of two nodes, with what passes within a batch.
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
  // The node was killed, and with it go all requests that wait there.
  void ended(const std::string& node, events::EventTime at);

  // Nothing: nobody knows since when the player waits.
  [[nodiscard]] std::optional<Ages> ages_of(const PlayerId& player, events::EventTime at) const;
  // These are the seats of the claim for which the player asked.
  [[nodiscard]] std::uint32_t seats_of(const PlayerId& player) const;

 private:
  using Ticket = std::pair<std::string, TicketId>;  // at which master
  struct Wait {                                     // of one request
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
