#include "worker/runner/kubernetes/pod_outputs.hpp"

#include <utility>

namespace fixkeep::worker::kubernetes {

void PodOutputs::follow(const PodGamePtr& game, bool on) {
  game->followed = on;
  if (on && game->life.runs()) stream(game);
}

void PodOutputs::begun(const PodGamePtr& game) {
  if (game->followed) stream(game);
}

void PodOutputs::look(const PodGame& game) const {
  if (!game.life.runs() || game.streams) return;
  PodStep step;
  step.ask = PodAsk::read_log;
  cluster_.ask(step, game.order, game.life.pod(),
               [kept = kept_, room = game.launch.name](const PodAnswer& answer) {
                 kept->put(room, answer.log);
               });
}

// The worker reads a game's output only while it is followed.
void PodOutputs::stream(const PodGamePtr& game) {
  if (std::exchange(game->streams, true)) return;
  const std::weak_ptr<PodGame> known = game;
  cluster_.follow_log(
      game->order,
      [kept = kept_, known](const std::string& piece) {
        const auto still = known.lock();
        if (!still || !still->followed) return false;
        kept->add(still->launch.name, piece);
        if (still->handlers.wrote) still->handlers.wrote(piece);
        return true;
      },
      [known] {
        if (const auto still = known.lock()) still->streams = false;
      });
}

}  // namespace fixkeep::worker::kubernetes
