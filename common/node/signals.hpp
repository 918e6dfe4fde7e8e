// The signals of a master or a worker.
//
//   SIGTERM, SIGINT   the first one asks it to end; a second one ends it at once: by itself, or
//                     through stop_at_once where something must be ended first
//   SIGHUP            opens the log anew and reads the configuration again
//   SIGUSR1           raises the level of the log by one step
//   SIGUSR2           asks a worker to end without its games, which its next run finds again
//   SIGPIPE           ignored: a reader that is gone is an error of the write
//
// The last four never end the process by themselves, neither before the loop runs nor after. Thread
// rule: the thread that runs the io_context; guard_signals() first of all before threads are
// started. Bounds: none needed. The system merges signals of one kind. Errors: none.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "common/config/document.hpp"
#include "common/config/problem.hpp"
#include "common/obs/log.hpp"

namespace fixkeep::node {

// At the beginning of main(): until NodeSignals takes over, all but SIGTERM and SIGINT are ignored.
void guard_signals();

struct NodeSignalHandlers {
  std::function<void()> stop;          // called once
  std::function<void()> stop_at_once;  // called for each signal after that; may be null
  std::function<void()> reload;
  std::function<void()> leave = nullptr;  // handler of SIGUSR2, which is ignored otherwise
};

class NodeSignals {
 public:
  NodeSignals(boost::asio::io_context& context, NodeSignalHandlers handlers);
  ~NodeSignals();  // same as release()
  NodeSignals(const NodeSignals&) = delete;
  NodeSignals& operator=(const NodeSignals&) = delete;

  // Waits for no more signals: the io_context runs out of work. From here on SIGTERM and SIGINT end
  // the process by themselves. The others are ignored.
  void release();

 private:
  void wait();
  void handle(int signal);

  boost::asio::signal_set signals_;
  NodeSignalHandlers handlers_;
  bool stopping_ = false;
  bool released_ = false;
};

// --- the configuration, read again --------------------------------------------------------------

// A configuration without secrets for display and its part that can be taken over at once.
struct ConfigurationInEffect {
  config::Json shown;
  obs::LogOptions log;
};

// Takes over level and file of the log, and logs which keys were taken over and which changed keys
// need a restart. `now` becomes the settings in effect; its other keys stay. `also`: keys like
// "games" or "http.tls" that the caller takes over if this returns true. False: the log file cannot
// be opened and nothing is taken over.
bool take_over(const ConfigurationInEffect& read, ConfigurationInEffect& now,
               const std::vector<std::string>& also = {});

// Says why nothing is taken over and opens the log anew as SIGHUP promises.
void refuse(const config::Problems& problems, const ConfigurationInEffect& now);

// Calls one of the two for the result of config::Program::read_again(); answers as take_over().
template <class Settings>
bool reload(const std::variant<Settings, config::Problems>& read,
            config::Json (*show)(const Settings&), ConfigurationInEffect& now,
            const std::vector<std::string>& also = {}) {
  if (const auto* problems = std::get_if<config::Problems>(&read)) {
    refuse(*problems, now);
    return false;
  }
  const auto& settings = std::get<Settings>(read);
  return take_over({show(settings), settings.log}, now, also);
}

}  // namespace fixkeep::node
