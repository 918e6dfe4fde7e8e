#include "common/obs/log.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/base/assert.hpp"
#include "common/base/printable.hpp"
#include "common/obs/journal_stream.hpp"
#include "common/obs/log_writer.hpp"
#include "common/obs/utc.hpp"

namespace fixkeep::obs {
namespace {

constexpr std::array levels = {LogLevel::debug, LogLevel::info, LogLevel::warning, LogLevel::error};

struct Log {
  std::mutex mutex;  // held to copy or replace the pointers, never while something is written
  std::shared_ptr<const LogOptions> options = std::make_shared<const LogOptions>();
  std::shared_ptr<LogWriter> writer;
};

// Exists until the last thread has ended: a static's destructor may log.
Log& the_log() {
  static Log* const log = new Log;
  return *log;
}

std::atomic<LogLevel> least_level = LogLevel::info;
std::atomic<bool> into_journal = false;  // lines go to standard error, and that is the journal

void choose_target(const std::string& file) {
  const char* const stream = std::getenv("JOURNAL_STREAM");
  into_journal = file.empty() && stream != nullptr && is_journal(stream, STDERR_FILENO);
}

// As it is written: with its priority, if somebody reads that.
std::string written_line(LogLevel level, std::string&& line) {
  return into_journal ? journal_prefix(level) + std::move(line) : std::move(line);
}

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string timestamp(std::int64_t time_ms) {
  const std::chrono::milliseconds since_epoch{time_ms};
  return utc_text(std::chrono::sys_time<std::chrono::milliseconds>{since_epoch});
}

nlohmann::ordered_json to_json(const LogField::Value& value) {
  return std::visit([](const auto& given) { return nlohmann::ordered_json(given); }, value);
}

std::string dump(const nlohmann::ordered_json& json) {
  // Text may come from a peer: bytes that are no UTF-8 are replaced, and what JSON would leave as
  // it is but a terminal would not is escaped.
  return printable(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

// Bare where nothing could be mistaken, else as a JSON text, so that one event stays one line.
void append_text_value(std::string& line, const LogField::Value& value) {
  const auto* text = std::get_if<std::string_view>(&value);
  const bool bare =
      text != nullptr && !text->empty() && std::all_of(text->begin(), text->end(), [](char c) {
        return c > ' ' && c < 0x7f && c != '"' && c != '=' && c != '\\';
      });
  if (bare) {
    line += *text;
  } else {
    line += dump(to_json(value));
  }
}

// A message is ours, but it may end in the words of somebody else.
void append_message(std::string& line, std::string_view message) {
  std::string text{message};
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  line += printable(text);
}

std::string json_line(const LogOptions& options, std::int64_t time_ms, LogLevel level,
                      std::string_view message, LogFields fields) {
  nlohmann::ordered_json line{{"time", timestamp(time_ms)},
                              {"level", to_string(level)},
                              {"node", options.node},
                              {"message", message}};
  for (const auto& field : fields) {
    if (!field.name.empty()) line[std::string{field.name}] = to_json(field.value);
  }
  return dump(line);
}

std::string text_line(const LogOptions& options, std::int64_t time_ms, LogLevel level,
                      std::string_view message, LogFields fields) {
  std::string line = timestamp(time_ms) + " ";
  const auto name = to_string(level);
  line += name;
  line.append(name.size() < 5 ? 6 - name.size() : 1, ' ');
  line += options.node + " ";
  append_message(line, message);
  for (const auto& field : fields) {
    if (field.name.empty()) continue;
    line += ' ';
    line += field.name;
    line += '=';
    append_text_value(line, field.value);
  }
  return line;
}

}  // namespace

std::string_view to_string(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return "debug";
    case LogLevel::info: return "info";
    case LogLevel::warning: return "warning";
    case LogLevel::error: return "error";
  }
  return "";
}

std::string_view to_string(LogFormat format) {
  switch (format) {
    case LogFormat::text: return "text";
    case LogFormat::json: return "json";
  }
  return "";
}

std::optional<LogLevel> parse_log_level(std::string_view text) {
  for (const auto level : levels) {
    if (to_string(level) == text) return level;
  }
  return {};
}

std::optional<LogFormat> parse_log_format(std::string_view text) {
  if (text == "text") return LogFormat::text;
  if (text == "json") return LogFormat::json;
  return {};
}

Result<void> start_log(const LogOptions& options) {
  stop_log();
  auto shared = std::make_shared<const LogOptions>(options);
  auto writer = LogWriter::start(options.file, [shared](std::uint64_t lost) {
    return written_line(LogLevel::warning,
                        format_line(*shared, now_ms(), LogLevel::warning,
                                    "log lines lost: nobody took them", {{"lines", lost}}));
  });
  if (!writer) return writer.error();
  Log& log = the_log();
  const std::lock_guard lock{log.mutex};
  log.options = std::move(shared);
  log.writer = std::move(*writer);
  choose_target(options.file);
  least_level = options.level;
  set_assert_flush_hook([]() noexcept { stop_log(); });
  return {};
}

void stop_log() {
  Log& log = the_log();
  std::unique_lock lock{log.mutex};
  const auto writer = std::exchange(log.writer, nullptr);
  lock.unlock();
  if (writer) writer->stop();
}

Result<void> reload_log(const LogOptions& options) {
  Log& log = the_log();
  const std::lock_guard lock{log.mutex};
  if (log.writer) {
    if (const auto opened = log.writer->reopen(options.file); !opened) return opened.error();
  }
  auto changed = std::make_shared<LogOptions>(*log.options);
  changed->level = options.level;
  changed->file = options.file;
  log.options = std::move(changed);
  choose_target(options.file);
  least_level = options.level;
  return {};
}

LogLevel raise_log_level() {
  Log& log = the_log();
  const std::lock_guard lock{log.mutex};
  const LogLevel level = least_level;
  const auto at = std::find(levels.begin(), levels.end(), level);
  least_level = at == levels.begin() ? log.options->level : *std::prev(at);
  return least_level;
}

bool log_enabled(LogLevel level) noexcept {
  return level >= least_level.load(std::memory_order_relaxed);
}

void log(LogLevel level, std::string_view message, LogFields fields) {
  if (!log_enabled(level)) return;
  Log& log = the_log();
  std::unique_lock lock{log.mutex};
  const auto options = log.options;
  const auto writer = log.writer;
  lock.unlock();
  const auto line = written_line(level, format_line(*options, now_ms(), level, message, fields));
  if (writer) {
    writer->write(line);
  } else {
    write_without_waiting(line);
  }
}

std::string format_line(const LogOptions& options, std::int64_t time_ms, LogLevel level,
                        std::string_view message, LogFields fields) {
  switch (options.format) {
    case LogFormat::text: return text_line(options, time_ms, level, message, fields);
    case LogFormat::json: return json_line(options, time_ms, level, message, fields);
  }
  return {};
}

}  // namespace fixkeep::obs
