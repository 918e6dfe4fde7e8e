// All rooms known in one run from answers and from samples. Each is there once.
//
// Thread rule: one owner. Bounds: a run has at most one room a request.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "client-sim/load/observation.hpp"

namespace fixkeep::client_sim {

class RoomBook {
 public:
  // A room that is there before the run starts.
  void existed(const RoomRow& row);

  // A master's list of rooms during the run. With `keep` each sighting is kept for the judge.
  void sampled(double at_ms, const std::vector<RoomRow>& rows, bool keep);

  // A player has come in or is gone again. Returns nothing: the book keeps the highest count.
  void entered(const std::string& room, const std::string& group_key);
  void left(const std::string& room);

  // No more players: what is inside now is what the seats are compared with.
  void load_is_over();

  [[nodiscard]] std::size_t made() const { return made_; }  // seen, and not there before
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
