#include "common/node/start.hpp"

#include "common/process/folder.hpp"

namespace fixkeep::node {

std::string log_refusal(const obs::LogOptions& options, const boost::system::error_code& error) {
  auto why = process::why_no_file(options.file);
  return why.empty() ? error.message() : why;
}

bool open_log(const obs::LogOptions& options) {
  const auto opened = obs::start_log(options);
  if (opened) return true;
  obs::log_error("cannot open the log file",
                 {{"file", options.file}, {"reason", log_refusal(options, opened.error())}});
  return false;
}

void tell_doubts(const config::Problems& doubts) {
  for (const auto& doubt : doubts) {
    obs::log_warning("the configuration is probably wrong", {{"reason", config::to_string(doubt)}});
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
