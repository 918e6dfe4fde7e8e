// A node as a service: it tells the service manager when it serves, reads its configuration again
// and ends. At half the watchdog's interval it reports that its loop still turns. That timer runs
// on the loop's thread: a hanging loop is noticed.
//
// While a node ends, each beat asks the manager to wait a little longer: only the configuration
// limits the wait for games. A node that hangs at its end stays silent. Thread rule: the thread
// that runs the io_context. Bounds: one timer. Errors: none.
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

  // Performs `read`. It answers whether the configuration was taken over.
  void reload(const std::function<bool()>& read);

  // It begins to end, as `status` says.
  void stopping(const std::string& status);

  // Ends the reports, so that the io_context runs out of work.
  void end();

 private:
  void beat();

  const std::string status_;
  const std::chrono::microseconds interval_;  // time from beat to beat
  boost::asio::steady_timer timer_;
  bool stopping_ = false;
  bool ended_ = false;
};

}  // namespace fixkeep::node
