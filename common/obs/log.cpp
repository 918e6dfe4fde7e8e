#include "common/obs/log.hpp"

#include <spdlog/async.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <array>
#include <atomic>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>

#include "common/base/assert.hpp"

namespace fixkeep::obs {
namespace {

constexpr std::size_t waiting_lines = 8192;

constexpr std::array levels = {LogLevel::debug, LogLevel::info, LogLevel::warning, LogLevel::error};

struct Log {
  LogOptions options;
  std::shared_ptr<spdlog::details::thread_pool> pool;  // of one thread
  std::shared_ptr<spdlog::logger> logger;
};

// Exists until the last thread has ended: a static's destructor may log.
Log& the_log() {
  static Log* const log = new Log;
  return *log;
}

std::atomic<LogLevel> least_level = LogLevel::info;

std::string timestamp(std::int64_t time_ms) {
  const auto seconds = static_cast<std::time_t>(time_ms / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const auto length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S.", &parts);
  const std::string millis = std::to_string(time_ms % 1000);
  return std::string{text.data(), length} + std::string(3 - millis.size(), '0') + millis + "Z";
}

nlohmann::ordered_json to_json(const LogField::Value& value) {
  return std::visit([](const auto& given) { return nlohmann::ordered_json(given); }, value);
}

std::string dump(const nlohmann::ordered_json& json) {
  // Text may come from a peer: bytes that are no UTF-8 are replaced.
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
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
void append_printable(std::string& line, std::string_view text) {
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    line += control ? ' ' : c;
  }
}

std::string json_line(const LogOptions& options, std::int64_t time_ms, LogLevel level,
                      std::string_view message, LogFields fields) {
  nlohmann::ordered_json line{{"time", timestamp(time_ms)},
                              {"level", to_string(level)},
                              {"node", options.node},
                              {"message", message}};
  for (const auto& field : fields) line[std::string{field.name}] = to_json(field.value);
  return dump(line);
}

std::string text_line(const LogOptions& options, std::int64_t time_ms, LogLevel level,
                      std::string_view message, LogFields fields) {
  std::string line = timestamp(time_ms) + " ";
  const auto name = to_string(level);
  line += name;
  line.append(name.size() < 5 ? 6 - name.size() : 1, ' ');
  line += options.node + " ";
  append_printable(line, message);
  for (const auto& field : fields) {
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

void start_log(const LogOptions& options) {
  stop_log();
  Log& log = the_log();
  log.options = options;
  least_level = options.level;
  log.pool = std::make_shared<spdlog::details::thread_pool>(waiting_lines, 1);
  log.logger = std::make_shared<spdlog::async_logger>(
      "fixkeep", std::make_shared<spdlog::sinks::stderr_sink_mt>(), log.pool,
      spdlog::async_overflow_policy::overrun_oldest);
  log.logger->set_pattern("%v");
  log.logger->set_level(spdlog::level::trace);  // ours has decided already
  set_assert_flush_hook([]() noexcept { stop_log(); });
}

void stop_log() {
  Log& log = the_log();
  log.logger.reset();
  log.pool.reset();  // waits for its thread, which writes what is in the queue first
}

bool log_enabled(LogLevel level) noexcept {
  return level >= least_level.load(std::memory_order_relaxed);
}

void log(LogLevel level, std::string_view message, LogFields fields) {
  if (!log_enabled(level)) return;
  Log& log = the_log();
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  const auto line = format_line(log.options, now.count(), level, message, fields);
  if (log.logger) {
    log.logger->log(spdlog::level::info, spdlog::string_view_t{line});
  } else {
    std::fprintf(stderr, "%s\n", line.c_str());
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
