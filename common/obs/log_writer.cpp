#include "common/obs/log_writer.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <utility>

namespace fixkeep::obs {
namespace {

constexpr std::size_t batch_bytes = std::size_t{64} << 10U;

// What is written to. A thread that writes keeps it open, whatever replaces it meanwhile.
class Target {
 public:
  Target(int descriptor, bool ours) : descriptor_(descriptor), ours_(ours) {}
  ~Target() {
    if (ours_) ::close(descriptor_);
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  // May wait for a reader, which is why it has a thread of its own. False: it cannot be written.
  [[nodiscard]] bool write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written > 0) {
        text.remove_prefix(static_cast<std::size_t>(written));
      } else if (written < 0 && errno == EAGAIN) {
        // Another process that shares standard error with us has made it non-blocking.
        pollfd wait{.fd = descriptor_, .events = POLLOUT, .revents = 0};
        ::poll(&wait, 1, -1);
      } else if (written == 0 || errno != EINTR) {
        return false;
      }
    }
    return true;
  }

 private:
  int descriptor_;
  bool ours_;
};

Result<std::shared_ptr<const Target>> open_target(const std::string& file) {
  if (file.empty()) return std::make_shared<const Target>(STDERR_FILENO, false);
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  if (descriptor < 0) { return boost::system::error_code{errno, boost::system::system_category()}; }
  return std::make_shared<const Target>(descriptor, true);
}

}  // namespace

struct LogWriter::State {
  std::mutex mutex;
  std::condition_variable work;
  std::condition_variable progress;
  std::shared_ptr<const Target> target;
  LossLine loss_line;
  std::deque<std::string> waiting;
  std::size_t waiting_bytes = 0;
  std::uint64_t lost = 0;     // and not told yet
  std::uint64_t batches = 0;  // written, or tried in vain
  bool stopping = false;
  bool ended = false;

  void drop_oldest() {
    while (waiting.size() > lines_most || waiting_bytes > bytes_most) {
      waiting_bytes -= waiting.front().size();
      waiting.pop_front();
      ++lost;
    }
  }

  // REQUIRES: the mutex is held.
  std::string next_batch(std::uint64_t& lines) {
    std::string text;
    lines = std::exchange(lost, 0);
    if (lines > 0) text = loss_line(lines) + "\n";
    while (!waiting.empty() && text.size() < batch_bytes) {
      text += waiting.front();
      waiting_bytes -= waiting.front().size();
      waiting.pop_front();
      ++lines;
    }
    return text;
  }

  void run() {
    std::unique_lock lock{mutex};
    while (true) {
      work.wait(lock, [this] { return stopping || !waiting.empty(); });
      if (waiting.empty() && lost == 0) break;
      const bool last = waiting.empty();
      std::uint64_t lines = 0;
      const std::string text = next_batch(lines);
      const auto to = target;
      lock.unlock();
      const bool written = to->write(text);
      lock.lock();
      if (!written) lost += lines;
      ++batches;
      progress.notify_all();
      if (last) break;  // it was only about what is lost; once is enough
    }
    ended = true;
    progress.notify_all();
  }
};

Result<std::unique_ptr<LogWriter>> LogWriter::start(const std::string& file, LossLine loss_line) {
  auto target = open_target(file);
  if (!target) return target.error();
  auto state = std::make_shared<State>();
  state->target = std::move(*target);
  state->loss_line = std::move(loss_line);
  return std::unique_ptr<LogWriter>{new LogWriter{std::move(state)}};
}

LogWriter::LogWriter(std::shared_ptr<State> state) : state_(std::move(state)) {
  // Signals are for the thread that waits for them.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread{[held = state_] { held->run(); }};
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

LogWriter::~LogWriter() {
  stop();
}

void LogWriter::write(std::string_view line) {
  std::string text;
  text.reserve(line.size() + 1);
  text += line;
  text += '\n';
  {
    const std::lock_guard lock{state_->mutex};
    state_->waiting_bytes += text.size();
    state_->waiting.push_back(std::move(text));
    state_->drop_oldest();
  }
  state_->work.notify_one();
}

Result<void> LogWriter::reopen(const std::string& file) {
  auto target = open_target(file);
  if (!target) return target.error();
  const std::lock_guard lock{state_->mutex};
  state_->target = std::move(*target);
  return {};
}

void LogWriter::stop(std::chrono::milliseconds patience) {
  if (!thread_.joinable()) return;
  std::unique_lock lock{state_->mutex};
  state_->stopping = true;
  state_->work.notify_one();
  const auto limit = std::chrono::steady_clock::now() + 10 * patience;
  while (!state_->ended) {
    const auto before = state_->batches;
    const auto until = std::min(limit, std::chrono::steady_clock::now() + patience);
    const bool moved = state_->progress.wait_until(
        lock, until, [&] { return state_->ended || state_->batches != before; });
    if (!moved || std::chrono::steady_clock::now() >= limit) break;
  }
  const bool ended = state_->ended;
  lock.unlock();
  if (ended) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

void write_without_waiting(std::string_view line) {
  pollfd look{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (::poll(&look, 1, 0) != 1) return;
  const std::string text = std::string{line} + "\n";
  // At most what a pipe takes at once if it takes anything.
  (void)!::write(STDERR_FILENO, text.data(), std::min<std::size_t>(text.size(), 4096));
}

}  // namespace fixkeep::obs
