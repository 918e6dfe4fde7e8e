#include "common/obs/log.hpp"

#include <unistd.h>

// As Debian's library was built.
#define SPDLOG_COMPILED_LIB
#define SPDLOG_FMT_EXTERNAL
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/base/assert.hpp"
#include "common/base/printable.hpp"
#include "common/obs/journal_stream.hpp"
#include "common/obs/log_writer.hpp"

namespace fixkeep::obs {
namespace {

constexpr std::array levels = {LogLevel::debug, LogLevel::info, LogLevel::warning, LogLevel::error};
constexpr std::array names_of_spdlog = {spdlog::level::debug, spdlog::level::info,
                                        spdlog::level::warn, spdlog::level::err};

spdlog::level::level_enum of_spdlog(LogLevel level) {
  return names_of_spdlog.at(static_cast<std::size_t>(level));
}

LogLevel level_of(spdlog::level::level_enum level) {
  return levels.at(static_cast<std::size_t>(level - spdlog::level::debug));
}

std::string dump(const nlohmann::ordered_json& json) {
  // Text may come from a peer: bytes that are no UTF-8 are replaced, and what JSON would leave as
  // it is but a terminal would not is escaped.
  return printable(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

nlohmann::ordered_json to_json(const LogField::Value& value) {
  return std::visit([](const auto& given) { return nlohmann::ordered_json(given); }, value);
}

// Bare where nothing could be mistaken, else as a JSON text, so that one event stays one line.
std::string text_value(const LogField::Value& value) {
  const auto* text = std::get_if<std::string_view>(&value);
  const bool bare =
      text != nullptr && !text->empty() && std::all_of(text->begin(), text->end(), [](char c) {
        return c > ' ' && c < 0x7f && c != '"' && c != '=' && c != '\\';
      });
  return bare ? std::string{*text} : dump(to_json(value));
}

// What spdlog puts in the place of %v.
std::string payload(LogFormat format, std::string_view message, LogFields fields) {
  if (format == LogFormat::json) {
    nlohmann::ordered_json members{{"message", message}};
    for (const auto& field : fields) {
      if (!field.name.empty()) members[std::string{field.name}] = to_json(field.value);
    }
    const std::string object = dump(members);
    return object.substr(1, object.size() - 2);
  }
  // A message is ours, but it may end in the words of somebody else.
  std::string line{message};
  std::replace_if(
      line.begin(), line.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  line = printable(line);
  for (const auto& field : fields) {
    if (!field.name.empty()) line += fmt::format(" {}={}", field.name, text_value(field.value));
  }
  return line;
}

class Priority final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& line, const std::tm& /*time*/,
              spdlog::memory_buf_t& to) override {
    const std::string prefix = journal_prefix(level_of(line.level));
    to.append(prefix.data(), prefix.data() + prefix.size());
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<Priority>();
  }
};

std::unique_ptr<spdlog::formatter> make_formatter(const LogOptions& options, bool for_journal) {
  std::string node = options.format == LogFormat::json ? dump(options.node) : options.node;
  for (auto at = node.find('%'); at != std::string::npos; at = node.find('%', at + 2)) {
    node.insert(at, "%");
  }
  const std::string time = "%Y-%m-%dT%H:%M:%S.%eZ";
  const std::string pattern =
      options.format == LogFormat::json
          ? R"({"time":")" + time + R"(","level":"%l","node":)" + node + ",%v}"
          : time + " %-5l " + node + " %v";
  auto made = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc, "");
  made->add_flag<Priority>('J').set_pattern((for_journal ? "%J" : "") + pattern);
  return made;
}

std::string line_of(spdlog::formatter& by, const spdlog::details::log_msg& message) {
  spdlog::memory_buf_t line;
  by.format(message, line);
  return {line.data(), line.size()};
}

bool goes_into_journal(const LogOptions& options) {
  const char* const stream = std::getenv("JOURNAL_STREAM");
  return options.file.empty() && stream != nullptr && is_journal(stream, STDERR_FILENO);
}

// Lines go to the writer, or to standard error directly where there is none.
class Sink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  // The result is the writer before.
  std::shared_ptr<LogWriter> exchange(std::shared_ptr<LogWriter> writer) {
    const std::lock_guard lock{mutex_};
    return std::exchange(writer_, std::move(writer));
  }
  [[nodiscard]] std::shared_ptr<LogWriter> writer() {
    const std::lock_guard lock{mutex_};
    return writer_;
  }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const std::string line = line_of(*formatter_, message);
    writer_ ? writer_->write(line) : write_without_waiting(line);
  }
  void flush_() override {}

  std::shared_ptr<LogWriter> writer_;
};

struct Log {
  LogOptions options;  // as started, or loaded again
  std::atomic<LogFormat> format = LogFormat::text;
  std::shared_ptr<Sink> sink = std::make_shared<Sink>();
  spdlog::logger logger{"fixkeep", sink};

  Log() { use({}); }

  void use(const LogOptions& used) {
    options = used;
    format = used.format;
    sink->set_formatter(make_formatter(used, goes_into_journal(used)));
    logger.set_level(of_spdlog(used.level));
  }
};

// Exists until the last thread has ended: a static's destructor may log.
Log& the_log() {
  static Log* const log = new Log;
  return *log;
}

}  // namespace

std::string_view to_string(LogLevel level) {
  const auto name = spdlog::level::to_string_view(of_spdlog(level));
  return {name.data(), name.size()};
}

std::string_view to_string(LogFormat format) {
  return format == LogFormat::text ? "text" : "json";
}

std::optional<LogLevel> parse_log_level(std::string_view text) {
  const auto* const found = std::find_if(levels.begin(), levels.end(),
                                         [&](LogLevel level) { return to_string(level) == text; });
  return found == levels.end() ? std::nullopt : std::optional{*found};
}

std::optional<LogFormat> parse_log_format(std::string_view text) {
  if (text == "text") return LogFormat::text;
  if (text == "json") return LogFormat::json;
  return {};
}

Result<void> start_log(const LogOptions& options) {
  stop_log();
  const std::shared_ptr formatter = make_formatter(options, goes_into_journal(options));
  auto writer = LogWriter::start(options.file, [formatter, options](std::uint64_t lost) {
    const auto text =
        payload(options.format, "log lines lost: nobody took them", {{"lines", lost}});
    return line_of(*formatter, {{}, spdlog::level::warn, text});
  });
  if (!writer) return writer.error();
  the_log().use(options);
  (void)the_log().sink->exchange(std::move(*writer));
  set_assert_flush_hook([]() noexcept { stop_log(); });
  return {};
}

void stop_log() {
  if (const auto writer = the_log().sink->exchange(nullptr)) writer->stop();
}

Result<void> reload_log(const LogOptions& options) {
  Log& log = the_log();
  if (const auto writer = log.sink->writer()) {
    if (const auto opened = writer->reopen(options.file); !opened) return opened.error();
  }
  LogOptions changed = options;
  changed.format = log.options.format;
  changed.node = log.options.node;
  log.use(changed);
  return {};
}

LogLevel raise_log_level() {
  Log& log = the_log();
  const auto* const at = std::find(levels.begin(), levels.end(), level_of(log.logger.level()));
  const LogLevel raised = at == levels.begin() ? log.options.level : *std::prev(at);
  log.logger.set_level(of_spdlog(raised));
  return raised;
}

bool log_enabled(LogLevel level) noexcept {
  return the_log().logger.should_log(of_spdlog(level));
}

void log(LogLevel level, std::string_view message, LogFields fields) {
  if (!log_enabled(level)) return;
  Log& log = the_log();
  const std::string text = payload(log.format, message, fields);
  log.logger.log(of_spdlog(level), spdlog::string_view_t{text});
}

std::string format_line(const LogOptions& options, std::int64_t time_ms, LogLevel level,
                        std::string_view message, LogFields fields) {
  const spdlog::log_clock::time_point at{std::chrono::milliseconds{time_ms}};
  const std::string text = payload(options.format, message, fields);
  return line_of(*make_formatter(options, false), {at, {}, {}, of_spdlog(level), text});
}

}  // namespace fixkeep::obs
