// The log: one line an event on standard error or in a file. It is text for people or JSON for
// machines.
//
//   2026-11-21T06:15:00.123Z info  m1 room opened room=w1-5f3a9c0211d2e4b7-12 port=20011
//   {"time":"2026-11-21T06:15:00.123Z","level":"info","node":"m1","message":"room opened",…}
//
// In the journal each line has its priority before it (journal_stream.hpp). spdlog has the levels,
// the patterns and the sink. The sink hands the lines to one thread. It writes all that wait. A
// slow or stuck reader costs lines (the oldest waiting ones, with a count in the log). It never
// costs a match or the end of the program. Before start_log() lines go to standard error directly.
// So they do after stop_log() if that does not have to wait. A failed FIXKEEP_ASSERT writes the
// waiting lines before the process aborts. Characters that could forge a line or steer a terminal
// are escaped (common/base/printable.hpp).
// Thread rule: start_log(), stop_log() and reload_log() from main; everything else from any thread.
// Bounds: 4 MiB of lines wait, and 4 MiB more are being written. stop_log() gives up after half a
// second without a reader's progress and after five in any case.
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

// "debug", "info", "warning", "error"; "text", "json": the words of the configuration.
[[nodiscard]] std::string_view to_string(LogLevel level);
[[nodiscard]] std::string_view to_string(LogFormat format);
[[nodiscard]] std::optional<LogLevel> parse_log_level(std::string_view text);
[[nodiscard]] std::optional<LogFormat> parse_log_format(std::string_view text);

struct LogOptions {
  LogLevel level = LogLevel::info;
  LogFormat format = LogFormat::text;
  std::string file;        // appended to; empty: standard error
  std::string node = "-";  // "m1", "w1": in each line

  friend bool operator==(const LogOptions&, const LogOptions&) = default;
};

// A value beside the message. Without a name it is left out. Text is copied at once when the line
// is made.
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

// Leaves a field with an empty text out, such as the trace of a request without one.
[[nodiscard]] inline LogField if_any(std::string_view field, std::string_view text) {
  return {text.empty() ? std::string_view{} : field, text};
}

// Errors: those of opening options.file; operation_not_permitted if another user has made the file
// or a link to it (process::who_else_made). Then the log is not started.
Result<void> start_log(const LogOptions& options);
// Writes what is waiting and gives up on a reader that does not read.
void stop_log();

// Takes over level and file. Opens the file anew: a rotating program has moved it away. Format and
// node stay. After an error level and file are unchanged.
[[nodiscard]] Result<void> reload_log(const LogOptions& options);

// One step towards debug; from there back to the level of start_log() or reload_log(). The result
// is the level now in effect.
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
