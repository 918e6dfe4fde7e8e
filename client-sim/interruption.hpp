// SIGINT and SIGTERM end what a command waits for, and not the process, as long as one of these
// exists. One that comes between two waits is kept for the next.
//
// Thread rule: one thread. Others may wait for the same signals at the same time, in contexts of
// their own (boost::asio::signal_set): each of them is told.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <chrono>

namespace fixkeep::client_sim {

class Interruption {
 public:
  Interruption();

  // True if a signal has come, or comes within `limit`.
  [[nodiscard]] bool wait(std::chrono::milliseconds limit);
  [[nodiscard]] bool came() { return wait(std::chrono::milliseconds{0}); }

 private:
  bool came_ = false;
  boost::asio::io_context context_{1};
  boost::asio::signal_set signals_;
};

}  // namespace fixkeep::client_sim
