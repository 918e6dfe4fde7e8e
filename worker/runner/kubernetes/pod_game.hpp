// The game of a room that is a pod.
//
// Thread rule: the runner's. Bounds, errors: see its parts.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <utility>

#include "worker/runner/game_runner.hpp"
#include "worker/runner/kubernetes/pod_life.hpp"

namespace fixkeep::worker::kubernetes {

struct PodGame {
  PodGame(boost::asio::io_context& context, Launch with, GameRunner::Handlers to, PodOrder as,
          PodLife lives)
      : launch(std::move(with)),
        handlers(std::move(to)),
        order(std::move(as)),
        life(std::move(lives)),
        timer(context),
        patience(context) {}
  Launch launch;
  GameRunner::Handlers handlers;
  PodOrder order;
  PodLife life;
  boost::asio::steady_timer timer;
  boost::asio::steady_timer patience;  // limit for nodes that have no room, or do not start it
  bool followed = false;
  bool streams = false;  // its output is coming
  bool had_room = true;  // it does not wait for a node
};
using PodGamePtr = std::shared_ptr<PodGame>;

}  // namespace fixkeep::worker::kubernetes
