// Detects output to the journal of systemd, and formats the priority of its lines: sd-daemon(3),
// systemd.exec(5).
//
// Thread rule: free functions. Errors: none; a malformed variable names no stream.
#pragma once

#include <string>
#include <string_view>

#include "common/obs/log.hpp"

namespace fixkeep::obs {

// `journal_stream`: the variable JOURNAL_STREAM, "DEVICE:INODE" of the stream that the service
// manager has made. The program may have got another standard error since: the numbers must match
// the descriptor.
[[nodiscard]] bool is_journal(std::string_view journal_stream, int descriptor);

// "<6>" for info: the priority of syslog(3), which the journal takes off the line.
[[nodiscard]] std::string journal_prefix(LogLevel level);

}  // namespace fixkeep::obs
