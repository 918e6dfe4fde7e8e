// While an Interruption exists, SIGINT and SIGTERM end a command's wait, but do not end the
// process. A signal between two waits ends the next wait.
//
// Thread rule: one thread. Other contexts may wait for the same signals (boost::asio::signal_set):
// each context gets every signal.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <chrono>

namespace fixkeep::client_sim {

class Interruption {
 public:
  Interruption();

  // Returns true if a signal has arrived or arrives within `limit`.
  [[nodiscard]] bool wait(std::chrono::milliseconds limit);
  [[nodiscard]] bool came() { return wait(std::chrono::milliseconds{0}); }

 private:
  bool came_ = false;
  boost::asio::io_context context_{1};
  boost::asio::signal_set signals_;
};

}  // namespace fixkeep::client_sim
