// Tells of a failed start of a master or a worker with its reason.
//
// Thread rule: the main thread. Errors: told in the log. The log is empty and ended afterwards.
#pragma once

#include <boost/system/error_code.hpp>
#include <string>

#include "common/config/problem.hpp"
#include "common/obs/log.hpp"

namespace fixkeep::node {

// A failure says in words for the operator what could not be opened.
struct StartFailure {
  std::string what;
  boost::system::error_code error;  // no error: `what` has the reason
};

// Why the log's file could not be opened.
[[nodiscard]] std::string log_refusal(const obs::LogOptions& options,
                                      const boost::system::error_code& error);

// False if the file cannot be opened; that is said on standard error.
[[nodiscard]] bool open_log(const obs::LogOptions& options);

// In the log: what may be meant as it stands, and mostly is not.
void tell_doubts(const config::Problems& doubts);

// The last words of a node that cannot start: ends the log.
void report(const StartFailure& failure);

}  // namespace fixkeep::node
