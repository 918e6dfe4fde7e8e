#include "common/node/start.hpp"

namespace fixkeep::node {

bool open_log(const obs::LogOptions& options) {
  const auto opened = obs::start_log(options);
  if (opened) return true;
  obs::log_error("cannot open the log file",
                 {{"file", options.file}, {"reason", opened.error().message()}});
  return false;
}

void tell_doubts(const config::Problems& doubts) {
  for (const auto& doubt : doubts) {
    obs::log_warning("the configuration may not mean what it says",
                     {{"reason", config::to_string(doubt)}});
  }
}

void report(const StartFailure& failure) {
  if (failure.error) {
    obs::log_error(failure.what, {{"reason", failure.error.message()}});
  } else {
    obs::log_error(failure.what, {});
  }
  obs::stop_log();
}

}  // namespace fixkeep::node
