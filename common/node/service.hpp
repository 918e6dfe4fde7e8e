// A node as a service: it tells the service manager when it serves, reads its configuration again
// and ends, and at half the interval of the watchdog that its loop still turns. The timer for that
// belongs to the loop's thread, so that a loop that hangs is noticed.
//
// While a node ends, the manager is asked at each beat to wait a little longer, since only the
// configuration knows how long games are waited for; one that hangs at its end says nothing more.
// Thread rule: the thread that runs the io_context. Bounds: one timer. Errors: none.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <string>

namespace fixkeep::node {

class Service {
 public:
  // It serves from now on. `status` says so, for people: "takes match requests at 10.0.0.7:8080".
  Service(boost::asio::io_context& context, std::string status);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // Performs `read`, which answers whether the configuration was taken over.
  void reload(const std::function<bool()>& read);

  // It begins to end, as `status` says.
  void stopping(const std::string& status);

  // Nothing more is told, so that the io_context runs out of work.
  void end();

 private:
  void beat();

  const std::string status_;
  const std::chrono::microseconds interval_;  // from beat to beat
  boost::asio::steady_timer timer_;
  bool stopping_ = false;
  bool ended_ = false;
};

}  // namespace fixkeep::node
