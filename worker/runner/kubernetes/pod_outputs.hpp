// It reads what the games of pods write, of the API server: while somebody listens, and when
// somebody looks.
//
// Thread rule: that of the cluster. Lifetime: the cluster outlives it. Bounds: those of KeptOutput;
// a stream for each game that is followed. Fault model: a log that cannot be had costs output, and
// nothing else. Errors: none.
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

  void follow(const PodGamePtr& game, bool on);  // Handlers::wrote is told, while it is on
  void begun(const PodGamePtr& game);            // what is followed is written from now on
  void look(const PodGame& game) const;          // what it has written is kept a moment later
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
