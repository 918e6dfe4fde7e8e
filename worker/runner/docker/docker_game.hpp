// One game of a worker whose rooms are containers: its launch and its life.
//
// Thread rule: the runner's. Bounds: see its parts. Errors: a port that cannot be listened at is
// logged.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <utility>

#include "worker/runner/docker/container_life.hpp"
#include "worker/runner/docker/container_order.hpp"
#include "worker/runner/game_runner.hpp"

namespace fixkeep::worker::docker {

struct DockerGame {
  DockerGame(boost::asio::io_context& context, Launch with, GameRunner::Handlers to,
             ContainerOrder as)
      : launch(std::move(with)),
        handlers(std::move(to)),
        order(std::move(as)),
        life(order.labels),
        timer(context) {}

  // Listens in the container's own network if the launch says so and it exists.
  void listen(const Container& container);

  Launch launch;
  GameRunner::Handlers handlers;
  ContainerOrder order;
  ContainerLife life;
  boost::asio::steady_timer timer;
  bool followed = false;
  bool streams = false;  // its output is coming
  bool listens = false;  // done or failed, in its own network
};

// Held until its container is gone: that may be after the game's end.
struct HeldGame {
  RoomNumber room;
  std::shared_ptr<DockerGame> game;
};

}  // namespace fixkeep::worker::docker
