#include "common/node/service.hpp"

#include <boost/system/error_code.hpp>
#include <utility>

#include "common/process/service_manager.hpp"

namespace fixkeep::node {
namespace {

// Without a watchdog the beats only extend the manager's limit for a long stop.
constexpr std::chrono::seconds interval_without_watchdog{10};

std::chrono::microseconds beat_interval() {
  const auto watchdog = process::watchdog_interval();
  return watchdog ? *watchdog / 2 : std::chrono::microseconds{interval_without_watchdog};
}

}  // namespace

Service::Service(boost::asio::io_context& context, std::string status)
    : status_(std::move(status)), interval_(beat_interval()), timer_(context) {
  process::tell_ready(status_);
  beat();
}

void Service::reload(const std::function<bool()>& read) {
  process::tell_reloading();
  const bool taken = read();
  process::tell_ready(taken ? status_ : status_ + "; refused a new configuration, see the log");
}

void Service::stopping(const std::string& status) {
  process::tell_stopping(status);
  stopping_ = true;
  beat();
}

void Service::end() {
  ended_ = true;
  timer_.cancel();
}

void Service::beat() {
  if (ended_) return;
  process::tell_alive();
  if (stopping_) process::tell_end_takes(3 * interval_);
  timer_.expires_after(interval_);
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error) beat();
  });
}

}  // namespace fixkeep::node
