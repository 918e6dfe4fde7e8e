#include "common/obs/log.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

// Debian's library was built with these macros.
#define SPDLOG_COMPILED_LIB
#define SPDLOG_FMT_EXTERNAL
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/base/assert.hpp"
#include "common/base/printable.hpp"
#include "common/obs/journal_stream.hpp"
#include "common/obs/thread_without_signals.hpp"
#include "common/process/folder.hpp"

namespace fixkeep::obs {
namespace {

using Line = spdlog::details::log_msg;
using Json = nlohmann::ordered_json;

constexpr std::size_t bytes_most = std::size_t{4} << 20U;    // most bytes of waiting lines
constexpr std::size_t piece_bytes = std::size_t{64} << 10U;  // one write; each counts as progress
constexpr std::chrono::milliseconds patience{500};           // longest wait for a stuck reader
constexpr int waits_most = 10;  // most waits for a slow reader at a stop

// --- the text of a line --------------------------------------------------------------------------

spdlog::level::level_enum of_spdlog(LogLevel level) {
  return static_cast<spdlog::level::level_enum>(level);
}

// Text may come from a peer. Replaces bytes outside UTF-8. Escapes characters that JSON allows but
// that can control a terminal.
std::string dump(const Json& json) {
  return printable(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string dump(const LogField::Value& value) {
  return std::visit([](const auto& given) { return dump(Json(given)); }, value);
}

// Omits the quotes if the text is unambiguous without them. In quotes a line break is escaped, so
// that one event is one line.
std::string bare_if_plain(const LogField::Value& value) {
  const auto* text = std::get_if<std::string_view>(&value);
  const bool plain =
      text != nullptr && !text->empty() && std::all_of(text->begin(), text->end(), [](char c) {
        return c > ' ' && c < 0x7f && c != '"' && c != '=' && c != '\\';
      });
  return plain ? std::string{*text} : dump(value);
}

// Returns the text that replaces %v in the pattern: the message and the fields.
std::string payload(LogFormat format, std::string_view message, LogFields fields) {
  const bool json = format == LogFormat::json;
  std::string text{message};
  if (!json) {
    // Replaces control characters: the message is ours, but it may end with foreign text.
    std::replace_if(
        text.begin(), text.end(), [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; }, ' ');
  }
  text = json ? "\"message\":" + dump(Json(text)) : printable(text);
  for (const auto& field : fields) {
    if (field.name.empty()) continue;
    text += json ? "," + dump(Json(field.name)) + ":" + dump(field.value)
                 : " " + std::string{field.name} + "=" + bare_if_plain(field.value);
  }
  return text;
}

std::unique_ptr<spdlog::formatter> make_formatter(LogFormat format) {
  return std::make_unique<spdlog::pattern_formatter>(
      format == LogFormat::json ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","node":%n,%v})"
                                : "%Y-%m-%dT%H:%M:%S.%eZ %-5l %n %v",
      spdlog::pattern_time_type::utc, "\n");
}

// --- the target ----------------------------------------------------------------------------------

// The descriptor remains open while a thread writes to it, even if the log uses another descriptor
// meanwhile.
using Target = std::shared_ptr<const int>;

boost::system::error_code error_of(int number) {
  return {number, boost::system::system_category()};
}

// In a shared folder (for example /tmp) another user can create links to our files, even between
// two of our checks. Only our own links are followed.
Result<int> open_file(const std::string& file) {
  constexpr mode_t mode = 0640;
  const auto is_of_another = [&] { return !process::who_else_made(file).empty(); };
  if (is_of_another()) return error_of(EPERM);
  struct stat found {};
  const bool link = ::lstat(file.c_str(), &found) == 0 && S_ISLNK(found.st_mode);
  const int opened = ::open(
      file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (link ? 0 : O_NOFOLLOW), mode);
  if (opened < 0) return error_of(errno);
  if (!is_of_another()) return opened;
  ::close(opened);
  return error_of(EPERM);
}

Result<Target> open_target(const std::string& file) {
  int opened = -1;
  if (file.empty()) {
    opened = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
  } else {
    auto file_opened = open_file(file);
    if (!file_opened) return file_opened.error();
    opened = *file_opened;
  }
  return Target{new int{opened}, [](const int* descriptor) {
                  ::close(*descriptor);
                  delete descriptor;
                }};
}

// Writes `text`, and may wait for a reader. Returns the part that was not written.
std::string_view write_all(int to, std::string_view text, std::atomic<std::uint64_t>& written) {
  while (!text.empty()) {
    const ssize_t taken = ::write(to, text.data(), std::min(text.size(), piece_bytes));
    if (taken > 0) {
      text.remove_prefix(static_cast<std::size_t>(taken));
      written += static_cast<std::uint64_t>(taken);
    } else if (taken < 0 && errno == EAGAIN) {
      // Waits until the descriptor is writable: another process that shares it has made it
      // non-blocking.
      pollfd wait{.fd = to, .events = POLLOUT, .revents = 0};
      ::poll(&wait, 1, -1);
    } else if (taken == 0 || errno != EINTR) {
      break;
    }
  }
  return text;
}

void write_without_waiting(const std::string& text) {
  pollfd look{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (::poll(&look, 1, 0) != 1) return;
  // A writable pipe accepts this many bytes without a wait.
  (void)!::write(STDERR_FILENO, text.data(), std::min<std::size_t>(text.size(), 4096));
}

// Invariant: at most one thread writes (`running_`). If a thread is stuck when the log stops, the
// next start of the log reuses this thread.
class Sink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  Sink() { use({}); }

  Result<> start(const LogOptions& options) {
    auto target = open_target(options.file);
    if (!target) return target.error();
    const std::lock_guard lock{mutex_};
    use(options);
    target_ = std::move(*target);
    ending_ = false;
    if (!std::exchange(running_, true)) start_without_signals([this] { run(); }).detach();
    return {};
  }

  void stop() {
    std::unique_lock lock{mutex_};
    ending_ = true;
    work_.notify_one();
    for (int waits = 0; running_ && waits < waits_most; ++waits) {
      const auto before = written_.load();
      ended_.wait_for(lock, patience, [this] { return !running_; });
      if (written_ == before) break;
    }
    target_.reset();
    waiting_.clear();
  }

  [[nodiscard]] const LogOptions& options() const { return options_; }
  [[nodiscard]] LogFormat format() const { return format_; }

 private:
  void use(const LogOptions& options) {
    options_ = options;
    format_ = options.format;
    node_ = options.format == LogFormat::json ? dump(Json(options.node)) : options.node;
    formatter_ = make_formatter(options.format);
    const char* const stream = std::getenv("JOURNAL_STREAM");
    for_journal_ = options.file.empty() && stream != nullptr && is_journal(stream, STDERR_FILENO);
    set_level(of_spdlog(options.level));
  }

  void sink_it_(const Line& line) override {
    const std::string text = whole(line);
    if (!target_) return write_without_waiting(text);
    waiting_ += text;
    if (waiting_.size() > bytes_most) {
      const auto kept =
          waiting_.begin() + static_cast<long>(waiting_.find('\n', bytes_most / 4)) + 1;
      lost_ += static_cast<std::uint64_t>(std::count(waiting_.begin(), kept, '\n'));
      waiting_.erase(waiting_.begin(), kept);
    }
    work_.notify_one();
  }
  void flush_() override {}

  void run() {
    std::unique_lock lock{mutex_};
    while (target_) {
      work_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
      const bool last = waiting_.empty();  // only a notice of lost lines: write it one time
      if (last && lost_ == 0) break;
      const auto told = std::exchange(lost_, 0);
      const auto loss =
          payload(format_, "log lines lost: they could not be written in time", {{"lines", told}});
      const auto loss_line = told == 0 ? "" : whole({{}, spdlog::level::warn, loss});
      std::string text = std::exchange(waiting_, {});
      const Target target = target_;
      lock.unlock();
      text.insert(0, loss_line);
      const auto rest = write_all(*target, text, written_);
      lock.lock();
      lost_ += static_cast<std::uint64_t>(std::count(rest.begin(), rest.end(), '\n'));
      if (told > 0 && rest.size() == text.size()) lost_ += told - 1;  // the notice is lost too
      if (last && ending_) break;
    }
    target_.reset();
    lost_ = 0;
    running_ = false;
    ended_.notify_all();
  }

  std::string whole(Line line) {
    line.logger_name = node_;  // %n
    spdlog::memory_buf_t text;
    formatter_->format(line, text);
    const auto level = static_cast<LogLevel>(line.level);
    return (for_journal_ ? journal_prefix(level) : "").append(text.data(), text.size());
  }

  LogOptions options_;
  std::atomic<LogFormat> format_ = LogFormat::text;
  std::string node_;
  bool for_journal_ = false;
  Target target_;                           // null: write directly to standard error
  std::string waiting_;                     // whole lines
  std::uint64_t lost_ = 0;                  // lost lines that are not reported yet
  std::atomic<std::uint64_t> written_ = 0;  // bytes
  bool ending_ = false;
  bool running_ = false;
  std::condition_variable work_;
  std::condition_variable ended_;
};

// Never destroyed: a static object's destructor may log.
Sink& the_log() {
  static Sink* const log = new Sink;
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

Result<void> start_log(const LogOptions& options) {
  stop_log();
  set_assert_flush_hook([]() noexcept { stop_log(); });
  return the_log().start(options);
}

void stop_log() {
  the_log().stop();
}

Result<void> reload_log(const LogOptions& options) {
  LogOptions changed = options;
  changed.format = the_log().options().format;
  changed.node = the_log().options().node;
  return the_log().start(changed);
}

LogLevel raise_log_level() {
  Sink& log = the_log();
  log.set_level(log.level() == spdlog::level::debug
                    ? of_spdlog(log.options().level)
                    : static_cast<spdlog::level::level_enum>(log.level() - 1));
  return static_cast<LogLevel>(log.level());
}

bool log_enabled(LogLevel level) noexcept {
  return the_log().should_log(of_spdlog(level));
}

void log(LogLevel level, std::string_view message, LogFields fields) {
  if (!log_enabled(level)) return;
  const std::string text = payload(the_log().format(), message, fields);
  the_log().log({{}, of_spdlog(level), text});
}

}  // namespace fixkeep::obs
