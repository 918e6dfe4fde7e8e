// The log: one line for each event, on standard error or in a file, as text for people or JSON for
// machines.
//
//   2026-11-21T06:15:00.123Z info  m1 room opened room=w1-5f3a9c0211d2e4b7-12 port=20011
//   {"time":"2026-11-21T06:15:00.123Z","level":"info","node":"m1","message":"room opened",…}
//
// For the journal each line begins with its priority (journal_stream.hpp). spdlog provides the
// levels, the patterns and the sink. The sink passes the lines to one thread, which writes all
// waiting lines. If the reader is slow or stuck, the oldest waiting lines are lost, and the log
// reports their number. The reader never delays a match or the end of the program. Before
// start_log() lines are written directly to standard error. After stop_log() they are written only
// if the write need not wait. A failed FIXKEEP_ASSERT writes the waiting lines before the process
// aborts. Characters that could forge a line or control a terminal are escaped
// (common/base/printable.hpp).
// Thread rule: start_log(), stop_log() and reload_log() from main; everything else from any thread.
// Bounds: at most 4 MiB of lines wait, and at most 4 MiB more are being written. stop_log() gives
// up after half a second without progress, and after five seconds in any case.
// Errors: none; a line that cannot be written is lost.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "common/base/result.hpp"

namespace fixkeep::obs {

enum class LogLevel : std::uint8_t { debug = 1, info, warning, error };  // spdlog's numbers
enum class LogFormat : std::uint8_t { text, json };

// The words of the configuration: "debug", "info", "warning", "error"; "text", "json".
[[nodiscard]] std::string_view to_string(LogLevel level);
[[nodiscard]] std::string_view to_string(LogFormat format);

struct LogOptions {
  LogLevel level = LogLevel::info;
  LogFormat format = LogFormat::text;
  std::string file;        // file to append to; empty: standard error
  std::string node = "-";  // "m1", "w1"; in each line

  friend bool operator==(const LogOptions&, const LogOptions&) = default;
};

// A named value of a line. A field without a name is omitted. Text is copied before the log call
// returns.
struct LogField {
  using Value = std::variant<std::string_view, std::int64_t, std::uint64_t, double, bool>;

  std::string_view name;
  Value value;

  LogField(std::string_view field, Value given) : name(field), value(given) {}
  template <std::unsigned_integral Number>
  requires(!std::same_as<Number, bool>) LogField(std::string_view field, Number number)
      : name(field), value(std::uint64_t{number}) {}
};

using LogFields = std::initializer_list<LogField>;

// Omits the field if `text` is empty, for example for a request without a trace.
[[nodiscard]] inline LogField if_any(std::string_view field, std::string_view text) {
  return {text.empty() ? std::string_view{} : field, text};
}

// Starts the log. Errors: the system's, if options.file cannot be opened; operation_not_permitted
// if another user has made the file or a link to it (process::who_else_made). After an error the
// log is not started.
Result<void> start_log(const LogOptions& options);
// Writes the waiting lines, but gives up if the reader does not read.
void stop_log();

// Applies the new level and file. Opens the file again: log rotation may have moved the old file.
// Format and node do not change. After an error, level and file are unchanged.
[[nodiscard]] Result<void> reload_log(const LogOptions& options);

// Makes the log more detailed by one level. If the level is debug, sets the configured level again.
// Returns the new level.
LogLevel raise_log_level();

[[nodiscard]] bool log_enabled(LogLevel level) noexcept;
void log(LogLevel level, std::string_view message, LogFields fields = {});

inline void log_debug(std::string_view message, LogFields fields = {}) {
  log(LogLevel::debug, message, fields);
}
inline void log_info(std::string_view message, LogFields fields = {}) {
  log(LogLevel::info, message, fields);
}
inline void log_warning(std::string_view message, LogFields fields = {}) {
  log(LogLevel::warning, message, fields);
}
inline void log_error(std::string_view message, LogFields fields = {}) {
  log(LogLevel::error, message, fields);
}

}  // namespace fixkeep::obs
