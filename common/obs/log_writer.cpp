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

// The descriptor that is written to. A thread that writes keeps it open, whatever replaces it
// meanwhile.
using Target = std::shared_ptr<const int>;

Result<Target> open_target(const std::string& file) {
  const int opened = file.empty()
                         ? ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
                         : ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  if (opened < 0 && !file.empty()) {
    return boost::system::error_code{errno, boost::system::system_category()};
  }
  return Target{new int{opened}, [](const int* descriptor) {
                  ::close(*descriptor);
                  delete descriptor;
                }};
}

// May wait for a reader, which is why it has a thread of its own. False: it cannot be written.
bool write_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(to, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (written < 0 && errno == EAGAIN) {
      // Another process that shares standard error with us has made it non-blocking.
      pollfd wait{.fd = to, .events = POLLOUT, .revents = 0};
      ::poll(&wait, 1, -1);
    } else if (written == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

struct LogWriter::State {
  std::mutex mutex;
  std::condition_variable work;
  std::condition_variable progress;
  Target target;
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
      const bool written = write_all(*to, text);
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
