// The signals of a master or a worker.
//
//   SIGTERM, SIGINT   the first asks the node to end; a second ends it immediately, through
//                     stop_at_once if something must be ended first
//   SIGHUP            opens the log file and reads the configuration again
//   SIGUSR1           raises the log level by one step
//   SIGUSR2           asks a worker to end and leave its games running; its next run adopts them
//   SIGPIPE           ignored: a write without a reader fails instead
//
// The last four never kill the process, not even before the loop runs or after its end. Thread
// rule: the thread that runs the io_context; call guard_signals() first, before threads start.
// Bounds: none needed. The system merges signals of one kind. Errors: none.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "common/config/document.hpp"
#include "common/config/problem.hpp"
#include "common/obs/log.hpp"

namespace fixkeep::node {

// Call this at the beginning of main(). Until NodeSignals exists, the last four signals of the list
// above are ignored.
void guard_signals();

struct NodeSignalHandlers {
  std::function<void()> stop;          // called one time
  std::function<void()> stop_at_once;  // called for each later signal; may be null
  std::function<void()> reload;
  std::function<void()> leave = nullptr;  // handler of SIGUSR2; null: ignored
};

class NodeSignals {
 public:
  NodeSignals(boost::asio::io_context& context, NodeSignalHandlers handlers);
  ~NodeSignals();  // calls release()
  NodeSignals(const NodeSignals&) = delete;
  NodeSignals& operator=(const NodeSignals&) = delete;

  // Stops the wait for signals, which then no longer keeps the io_context running. From now on
  // SIGTERM and SIGINT kill the process; the last four signals of the list above are ignored.
  void release();

 private:
  void wait();
  void handle(int signal);

  boost::asio::signal_set signals_;
  NodeSignalHandlers handlers_;
  bool stopping_ = false;
  bool released_ = false;
};

// --- configuration after SIGHUP ------------------------------------------------------------------

// A configuration for display (without secrets), and the part that a running node can apply. A
// running node applies no new secrets: it only names the keys that have changed.
struct ConfigurationInEffect {
  config::Json shown;
  obs::LogOptions log;
  std::map<std::string, std::string> secrets{};  // by key; only compared
};

// `show`: config::Program::show.
template <class Settings>
ConfigurationInEffect in_effect(const Settings& settings, config::Json (*show)(const Settings&)) {
  ConfigurationInEffect made{show(settings), settings.log};
  made.secrets = {{"cluster.secret", settings.links.secret}, {"admin.token", settings.admin.token}};
  if constexpr (requires { settings.webhook; }) {
    made.secrets["webhook.secret"] = settings.webhook.secret;
    made.secrets["lock.password"] = settings.engine.password;
  }
  return made;
}

// Applies the log's level and file. Logs the applied keys, and the changed keys that need a
// restart. Updates `now` to the settings in effect. `also`: further keys, like "games" or
// "http.tls", that the caller applies if this function returns true. Returns false if the log file
// cannot be opened: then nothing is applied.
bool take_over(const ConfigurationInEffect& read, ConfigurationInEffect& now,
               const std::vector<std::string>& also = {});

// Logs why nothing is applied. Opens the log file again, as SIGHUP promises.
void refuse(const config::Problems& problems, const ConfigurationInEffect& now);

// Calls take_over() or refuse() for the result of config::Program::read_again(). Returns true if
// the configuration was applied.
template <class Settings>
bool reload(const std::variant<Settings, config::Problems>& read,
            config::Json (*show)(const Settings&), ConfigurationInEffect& now,
            const std::vector<std::string>& also = {}) {
  if (const auto* problems = std::get_if<config::Problems>(&read)) {
    refuse(*problems, now);
    return false;
  }
  const auto& settings = std::get<Settings>(read);
  return take_over(in_effect(settings, show), now, also);
}

}  // namespace fixkeep::node
