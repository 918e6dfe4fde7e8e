// The RoomBook records every room that a run sees in answers and samples, each room once.
//
// Thread rule: one owner. Bounds: a run has at most as many rooms as requests.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "client-sim/load/observation.hpp"

namespace fixkeep::client_sim {

class RoomBook {
 public:
  // Records a room that exists before the run starts.
  void existed(const RoomRow& row);

  // Records a master's list of rooms during the run. If `keep` is true, stores each sighting for
  // the judge.
  void sampled(double at_ms, const std::vector<RoomRow>& rows, bool keep);

  // Record that a player has entered or left a room. The book keeps each room's highest count.
  void entered(const std::string& room, const std::string& group_key);
  void left(const std::string& room);

  // Notes that the load has ended. The seats are later compared with the players inside at this
  // moment.
  void load_is_over();

  [[nodiscard]] std::size_t made() const { return made_; }  // seen rooms that are new in this run
  [[nodiscard]] const std::vector<SeenRoom>& rooms() const { return rooms_; }
  [[nodiscard]] const std::vector<Sample>& samples() const { return samples_; }

 private:
  std::uint32_t index_of(const std::string& id, const std::string& group_key);

  std::vector<SeenRoom> rooms_;
  std::vector<std::uint32_t> inside_;
  std::unordered_map<std::string, std::uint32_t> indices_;
  std::vector<Sample> samples_;
  std::size_t made_ = 0;
};

}  // namespace fixkeep::client_sim
