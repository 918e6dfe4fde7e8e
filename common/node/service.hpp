// Reports a node's state to the service manager: the node serves, reads its configuration again, or
// ends. A beat at half the watchdog's interval reports that the loop runs. The timer of the beats
// runs on the loop's thread, so the manager notices a loop that hangs.
//
// While a node ends, each beat extends the manager's time limit, so only the configuration limits
// the wait for games. A node that hangs while it ends sends no beats. Thread rule: the thread that
// runs the io_context. Bounds: one timer. Errors: none.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <string>

namespace fixkeep::node {

class Service {
 public:
  // Reports that the node serves from now on. `status` is for people: "takes match requests at
  // 10.0.0.7:8080".
  Service(boost::asio::io_context& context, std::string status);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // Tells the service manager that the node reloads, calls `read` to apply the new configuration,
  // and then tells the manager that the node serves again. If `read` returns false, the status also
  // says that the new configuration was refused.
  void reload(const std::function<bool()>& read);

  // Reports that the node begins to end. `status` is for people.
  void stopping(const std::string& status);

  // Ends the beats, so that their timer does not keep the io_context running.
  void end();

 private:
  void beat();

  const std::string status_;
  const std::chrono::microseconds interval_;  // time between two beats
  boost::asio::steady_timer timer_;
  bool stopping_ = false;
  bool ended_ = false;
};

}  // namespace fixkeep::node
