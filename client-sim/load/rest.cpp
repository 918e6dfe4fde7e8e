#include "client-sim/load/rest.hpp"

namespace fixkeep::client_sim {

SeatDifference seat_difference(const RestingView& view,
                               const std::map<std::string, std::uint32_t>& inside,
                               const std::map<std::string, std::uint32_t>& before) {
  const auto amount = [](const std::map<std::string, std::uint32_t>& counts,
                         const std::string& room) {
    const auto found = counts.find(room);
    return found == counts.end() ? 0U : found->second;
  };
  SeatDifference difference;
  auto unseen = inside;
  for (const auto& room : view.rooms) {
    const auto here = amount(inside, room.id);
    difference.leaked += excess(room.taken(), std::uint64_t{here} + amount(before, room.id));
    difference.uncounted += excess(here, room.taken());
    unseen.erase(room.id);
  }
  for (const auto& [room, players] : unseen) difference.uncounted += players;
  return difference;
}

std::map<std::string, std::uint32_t> inside_at_end(const Observation& seen) {
  std::map<std::string, std::uint32_t> inside;
  for (const auto& room : seen.rooms) inside[room.id] = room.inside_at_end;
  return inside;
}

std::map<std::string, std::uint32_t> taken_before(const Observation& seen) {
  std::map<std::string, std::uint32_t> before;
  for (const auto& room : seen.rooms) before[room.id] = room.taken_before;
  return before;
}

}  // namespace fixkeep::client_sim
