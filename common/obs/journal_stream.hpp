// Detects output to systemd's journal and formats the priority of log lines: sd-daemon(3),
// systemd.exec(5).
//
// Thread rule: free functions. Errors: none; with a malformed variable is_journal() is false.
#pragma once

#include <string>
#include <string_view>

#include "common/obs/log.hpp"

namespace fixkeep::obs {

// Returns true if `descriptor` writes to the journal. `journal_stream`: the variable
// JOURNAL_STREAM, "DEVICE:INODE" of the stream that the service manager has made. The descriptor
// must have these two numbers, because standard error may have been redirected later.
[[nodiscard]] bool is_journal(std::string_view journal_stream, int descriptor);

// For example "<6>" for info: a priority of syslog(3). The journal removes this text from the line.
[[nodiscard]] std::string journal_prefix(LogLevel level);

}  // namespace fixkeep::obs
