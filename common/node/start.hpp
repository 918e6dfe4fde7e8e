// Reports why the start of a master or worker failed.
//
// Thread rule: the main thread. Errors: logged; afterwards the waiting lines are written and the
// log is stopped.
#pragma once

#include <boost/system/error_code.hpp>
#include <string>

#include "common/config/problem.hpp"
#include "common/obs/log.hpp"

namespace fixkeep::node {

// The failed resource, in words for the operator.
struct StartFailure {
  std::string what;
  boost::system::error_code error;  // none: `what` contains the reason
};

// The reason why the log file could not be opened.
[[nodiscard]] std::string log_refusal(const obs::LogOptions& options,
                                      const boost::system::error_code& error);

// Starts the log. If the file cannot be opened, writes a message to standard error and returns
// false.
[[nodiscard]] bool open_log(const obs::LogOptions& options);

// Logs settings that are valid but probably a mistake.
void tell_doubts(const config::Problems& doubts);

// Logs the failure of a node that cannot start, and stops the log.
void report(const StartFailure& failure);

}  // namespace fixkeep::node
