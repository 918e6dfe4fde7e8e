#include "common/node/signals.hpp"

#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "common/node/start.hpp"
#include "common/process/self.hpp"

namespace fixkeep::node {
namespace {

using config::Json;

// Returns the keys with different values in two configurations: "a, b[0].c". Omits the values: they
// may be secret.
std::string different_keys(const Json& a, const Json& b, const std::string& key = {}) {
  if (a == b) return {};
  std::string keys;
  const auto add = [&keys](const std::string& more) {
    if (!more.empty()) keys += (keys.empty() ? "" : ", ") + more;
  };
  if (a.is_object() && b.is_object()) {
    for (const auto& [name, value] : a.items()) {
      const auto other = b.find(name);
      add(different_keys(value, other == b.end() ? Json{} : *other, config::member_key(key, name)));
    }
    for (const auto& [name, value] : b.items()) {
      if (!a.contains(name)) add(config::member_key(key, name));
    }
    return keys;
  }
  if (a.is_array() && b.is_array() && a.size() == b.size()) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      add(different_keys(a[i], b[i], config::entry_key(key, i)));
    }
    return keys;
  }
  return key;
}

// For example "http.tls" -> /http/tls
Json::json_pointer place_of(const std::string& key) {
  std::string path = "/" + key;
  std::replace(path.begin(), path.end(), '.', '/');
  return Json::json_pointer{path};
}

// Answers the operator who sent the signal, at a level that is always logged.
void answer(std::string_view message, obs::LogFields fields) {
  auto level = obs::LogLevel::info;
  if (!obs::log_enabled(level)) level = obs::LogLevel::warning;
  if (!obs::log_enabled(level)) level = obs::LogLevel::error;
  obs::log(level, message, fields);
}

bool reopen(const obs::LogOptions& options) {
  const auto opened = obs::reload_log(options);
  if (opened) return true;
  obs::log_error("cannot open the log file; the log goes on where it was",
                 {{"file", options.file}, {"reason", log_refusal(options, opened.error())}});
  return false;
}

}  // namespace

void guard_signals() {
  process::ignore_signals_of_writes();
  std::signal(SIGHUP, SIG_IGN);
  std::signal(SIGUSR1, SIG_IGN);
  std::signal(SIGUSR2, SIG_IGN);
}

NodeSignals::NodeSignals(boost::asio::io_context& context, NodeSignalHandlers handlers)
    : signals_(context, SIGINT, SIGTERM), handlers_(std::move(handlers)) {
  signals_.add(SIGHUP);
  signals_.add(SIGUSR1);
  if (handlers_.leave) signals_.add(SIGUSR2);
  wait();
}

NodeSignals::~NodeSignals() {
  release();
}

void NodeSignals::release() {
  if (std::exchange(released_, true)) return;
  // When Asio releases a signal, it restores the default, which kills the process. So these signals
  // are blocked until guard_signals() ignores them. The log's thread always blocks signals.
  sigset_t harmless;
  sigset_t before;
  sigemptyset(&harmless);
  sigaddset(&harmless, SIGHUP);
  sigaddset(&harmless, SIGUSR1);
  sigaddset(&harmless, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &harmless, &before);
  boost::system::error_code ignored;
  signals_.clear(ignored);
  signals_.cancel(ignored);
  guard_signals();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void NodeSignals::wait() {
  signals_.async_wait([this](boost::system::error_code error, int signal) {
    if (error || released_) return;
    handle(signal);
    if (!released_) wait();
  });
}

void NodeSignals::handle(int signal) {
  const auto name = process::signal_name(signal);
  if (signal == SIGHUP) {
    answer("reading the configuration again", {{"signal", name}});
    handlers_.reload();
  } else if (signal == SIGUSR1) {
    const auto level = to_string(obs::raise_log_level());
    answer("log level changed", {{"signal", name}, {"level", level}});
  } else if (signal == SIGUSR2) {
    obs::log_info("asked to end without its games", {{"signal", name}});
    handlers_.leave();
  } else if (!std::exchange(stopping_, true)) {
    obs::log_info("asked to end", {{"signal", name}});
    if (!handlers_.stop_at_once) release();
    handlers_.stop();
  } else if (handlers_.stop_at_once) {
    obs::log_warning("asked to end at once", {{"signal", name}});
    handlers_.stop_at_once();
  }
}

bool take_over(const ConfigurationInEffect& read, ConfigurationInEffect& now,
               const std::vector<std::string>& also) {
  if (!reopen(read.log)) return false;
  const Json& new_log = read.shown.at("log");
  Json& log = now.shown.at("log");
  std::string taken;
  for (const char* key : {"level", "file"}) {
    if (log.at(key) == new_log.at(key)) continue;
    taken += (taken.empty() ? "log." : ", log.") + std::string{key};
    log[key] = new_log.at(key);
  }
  for (const auto& key : also) {
    const auto place = place_of(key);
    if (now.shown.at(place) == read.shown.at(place)) continue;
    taken += (taken.empty() ? "" : ", ") +
             different_keys(now.shown.at(place), read.shown.at(place), key);
    now.shown[place] = read.shown.at(place);
  }
  now.log = read.log;
  answer("configuration read again", {{"log_level", to_string(read.log.level)},
                                      {"changed", taken.empty() ? "nothing" : taken}});
  std::string rest = different_keys(now.shown, read.shown);
  for (const auto& [key, secret] : read.secrets) {
    if (now.secrets.at(key) != secret) rest += (rest.empty() ? "" : ", ") + key;
  }
  if (!rest.empty()) answer("these keys have changed and need a restart", {{"keys", rest}});
  return true;
}

void refuse(const config::Problems& problems, const ConfigurationInEffect& now) {
  (void)reopen(now.log);
  for (const auto& problem : problems) {
    obs::log_error("wrong in the configuration", {{"problem", to_string(problem)}});
  }
  obs::log_error("the configuration has mistakes; nothing of it is taken over",
                 {{"problems", problems.size()}});
}

}  // namespace fixkeep::node
