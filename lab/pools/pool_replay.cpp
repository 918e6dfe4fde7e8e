#include "lab/pools/pool_replay.hpp"

#include <algorithm>

#include "lab/replay/replay.hpp"

namespace fixkeep::client_sim {
namespace {

// A master decides immediately when a player arrives; a replay decides at this interval. The
// difference is small.
constexpr std::chrono::milliseconds decided_every{20};

}  // namespace

PoolReplay replay_load(const master::plan::Rules& rules, const PoolLoad& load,
                       std::chrono::milliseconds boot) {
  const auto replayed = replay::replay(rules, load.arrivals, {.tick = decided_every});
  PoolReplay told;
  told.rooms = replayed.rooms.size();
  std::vector<std::size_t> requests(replayed.rooms.size());
  for (std::size_t i = 0; i < replayed.tickets.size(); ++i) {
    const auto& ticket = replayed.tickets[i];
    if (ticket.what != replay::TicketEnd::What::seated) continue;
    ++told.seated;
    ++requests[ticket.room];
    const auto seated = load.arrivals[i].at + ticket.waited;
    const auto ready = std::max<Duration>(seated, replayed.rooms[ticket.room].started + boot);
    const std::chrono::duration<double, std::milli> waited = ready - load.arrivals[i].at;
    told.waits_ms.push_back(waited.count());
  }
  for (std::size_t room = 0; room < requests.size() && !rules.distances.empty(); ++room) {
    if (requests[room] < 2) continue;
    told.spreads.push_back(static_cast<double>(replayed.rooms[room].spread));
  }
  return told;
}

}  // namespace fixkeep::client_sim
