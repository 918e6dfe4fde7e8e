// What a worker does about its games, in order, and not too much of it in one turn of the loop.
//
// To start a game blocks for about a millisecond, longer on a machine that is short of memory or
// time, and a burst orders dozens at once. So after a few starts the loop gets a turn, in which
// masters are answered; the rest follows in the next one.
// Invariants: 1. actions are performed in the order in which they were added.
//             2. performing goes on until nothing waits, without being asked.
// Thread rule: the thread of the io_context. Bounds: what the core asks for. Errors: none.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

#include "worker/core/events.hpp"

namespace fixkeep::worker {

class PacedActions {
 public:
  static constexpr std::size_t starts_a_turn = 4;

  // `perform` may add more. `done`: after each turn.
  PacedActions(boost::asio::io_context& context, std::function<void(const Action&)> perform,
               std::function<void()> done);

  void add(Action&& action) { waiting_.push_back(std::move(action)); }
  // Performs the first ones now, and the others in turns to come.
  void run();
  // All of them now.
  void run_all();

 private:
  void perform_first();
  void continue_later();

  boost::asio::io_context& context_;
  std::function<void(const Action&)> perform_;
  std::function<void()> done_;
  std::deque<Action> waiting_;
  bool continues_ = false;  // a turn to come is asked for
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace fixkeep::worker
