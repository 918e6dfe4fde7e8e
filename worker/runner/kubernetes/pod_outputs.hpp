// Reads the output of pods' games from the API server while it is followed and at each look.
//
// Thread rule: the cluster's. Lifetime: the cluster outlives it. Bounds: see KeptOutput; a stream
// for each followed game. Fault model: a missing log costs only output. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "worker/runner/kept_output.hpp"
#include "worker/runner/kubernetes/pod_cluster.hpp"
#include "worker/runner/kubernetes/pod_game.hpp"

namespace fixkeep::worker::kubernetes {

class PodOutputs {
 public:
  PodOutputs(const PodCluster& cluster, std::uint32_t kept_rooms)
      : cluster_(cluster), kept_(std::make_shared<KeptOutput>(kept_rooms)) {}

  void follow(const PodGamePtr& game, bool on);  // Handlers::wrote is told while it is on
  void begun(const PodGamePtr& game);            // a followed game is written from now on
  void look(const PodGame& game) const;          // keeps its output a moment later
  void put(const std::string& room, const std::string& text) { kept_->put(room, text); }
  void ended(const std::string& room) { kept_->ended(room); }
  [[nodiscard]] std::optional<std::string> last(const std::string& room, std::size_t most) const {
    return kept_->last(room, most);
  }

 private:
  void stream(const PodGamePtr& game);

  const PodCluster& cluster_;
  std::shared_ptr<KeptOutput> kept_;
};

}  // namespace fixkeep::worker::kubernetes
