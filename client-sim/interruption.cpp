#include "client-sim/interruption.hpp"

#include <csignal>

namespace fixkeep::client_sim {

Interruption::Interruption() : signals_{context_, SIGINT, SIGTERM} {
  signals_.async_wait([this](boost::system::error_code error, int) { came_ = !error; });
}

bool Interruption::wait(std::chrono::milliseconds limit) {
  context_.poll();  // run_for handles no events after its time is over
  if (!came_) context_.run_for(limit);
  return came_;
}

}  // namespace fixkeep::client_sim
