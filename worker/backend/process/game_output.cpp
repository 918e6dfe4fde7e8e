#include "worker/backend/process/game_output.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "common/obs/log.hpp"
#include "common/obs/log_limit.hpp"
#include "worker/backend/process/output_file.hpp"

namespace fixkeep::worker {
namespace {

using boost::asio::posix::stream_descriptor;

constexpr std::size_t read_bytes = 32768;
constexpr std::size_t tail_bytes = 512;
constexpr int reads_at_the_end = 64;  // of a pipe that another process may still fill
constexpr std::chrono::milliseconds stop_limit{1000};

TimePoint monotonic(OutputClock::time_point now) {
  return TimePoint{std::chrono::duration_cast<Duration>(now.time_since_epoch())};
}

}  // namespace

std::string default_output_folder(const WorkerId& worker) {
  if (const char* state = std::getenv("STATE_DIRECTORY"); state != nullptr && *state != '\0') {
    return std::string{state} + "/rooms";
  }
  std::error_code error;
  const auto temporary = std::filesystem::temp_directory_path(error);
  const auto base = error ? std::string{"/tmp"} : temporary.string();
  return base + "/fixkeep-" + std::to_string(::geteuid()) + "/" + worker.text();
}

// Everything that the thread touches; it owns a share, in case it has to be left behind.
class GameOutput::Reader {
 public:
  Reader(GameOutputOptions options, std::string prefix)
      : options_(std::move(options)), prefix_(std::move(prefix)) {}

  void run() {
    folder_.emplace(options_.folder, prefix_, options_.kept_rooms);
    context_.run();
  }

  template <class Task>
  void ask(Task task) {
    boost::asio::post(context_, std::move(task));
  }
  void end() {
    ask([this] {
      for (auto& [room, stream] : streams_) stream->pipe.close();
      streams_.clear();
      work_.reset();
    });
  }

  void add(RoomNumber room, const std::string& name, int descriptor) {
    auto stream =
        std::make_shared<Stream>(context_, descriptor, name, folder_->path_of(name), options_);
    streams_.insert_or_assign(room, stream);
    wait(std::move(stream));
  }

  void finish(RoomNumber room, const Told& told) {
    const auto found = streams_.find(room);
    const auto stream = found == streams_.end() ? nullptr : std::move(found->second);
    if (stream == nullptr) return told({});
    streams_.erase(found);
    for (int reads = 0; reads < reads_at_the_end && read(*stream, false); ++reads) continue;
    stream->pipe.close();
    if (stream->file.written()) folder_->keep(stream->name);
    told(stream->tail);
  }

 private:
  struct Stream {
    Stream(boost::asio::io_context& context, int descriptor, std::string called, std::string path,
           const GameOutputOptions& options)
        : pipe(context, descriptor),
          name(std::move(called)),
          file(std::move(path), options.file_bytes) {}
    stream_descriptor pipe;
    std::string name;
    OutputFile file;
    std::string tail;  // what was written last, whether it was kept or not
  };

  void wait(std::shared_ptr<Stream> stream) {
    auto& pipe = stream->pipe;
    pipe.async_wait(stream_descriptor::wait_read,
                    [this, stream = std::move(stream)](boost::system::error_code error) mutable {
                      if (!error && read(*stream, true)) wait(std::move(stream));
                    });
  }

  // One look, so that all pipes get their turn. False: there is nothing more, or, if it is waited
  // for, there will be nothing more.
  bool read(Stream& stream, bool waiting) {
    const ssize_t bytes = ::read(stream.pipe.native_handle(), buffer_.data(), buffer_.size());
    if (bytes < 0) return waiting && (errno == EINTR || errno == EAGAIN);
    if (bytes == 0) return false;
    take(stream, {buffer_.data(), static_cast<std::size_t>(bytes)});
    return true;
  }

  void take(Stream& stream, std::string_view bytes) {
    stream.tail += bytes.substr(bytes.size() - std::min(bytes.size(), tail_bytes));
    if (stream.tail.size() > tail_bytes) stream.tail.erase(0, stream.tail.size() - tail_bytes);
    const auto now = OutputClock::now();
    if (!std::exchange(folder_made_, true)) {
      if (const auto made = folder_->make(); !made) {
        folder_made_ = false;
        complain(made.error(), now);
        return;
      }
    }
    if (const auto kept = stream.file.append(bytes, now); !kept) {
      folder_made_ = false;  // it may have been removed
      complain(kept.error(), now);
    }
  }

  void complain(boost::system::error_code reason, OutputClock::time_point now) {
    const auto like_it = complaints_.admit(reason.message(), monotonic(now));
    if (!like_it) return;
    obs::log_warning("cannot keep the output of games" + obs::more_like_it(*like_it),
                     {{"folder", options_.folder}, {"reason", reason.message()}});
  }

  GameOutputOptions options_;
  std::string prefix_;
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      context_.get_executor()};
  std::optional<OutputFolder> folder_;
  bool folder_made_ = false;
  std::array<char, read_bytes> buffer_{};
  std::map<RoomNumber, std::shared_ptr<Stream>> streams_;
  obs::LogLimit complaints_{{.burst = 1,
                             .interval = std::chrono::seconds{10},
                             .longest_interval = std::chrono::minutes{10}}};
};

struct GameOutput::Impl {
  std::string folder;
  std::shared_ptr<Reader> reader;
  std::set<RoomNumber> open;
  std::thread thread;
  std::future<void> ended;
};

GameOutput::GameOutput(GameOutputOptions options, const WorkerId& worker)
    : impl_(std::make_unique<Impl>()) {
  if (options.file_bytes == 0) return;
  if (options.folder.empty()) options.folder = default_output_folder(worker);
  impl_->folder = options.folder;
  impl_->reader = std::make_shared<Reader>(std::move(options), worker.text() + "-");
  std::promise<void> end;
  impl_->ended = end.get_future();
  // Signals are for the thread that waits for them.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  impl_->thread = std::thread{[reader = impl_->reader, end = std::move(end)]() mutable {
    reader->run();
    end.set_value();
  }};
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

GameOutput::~GameOutput() {
  stop();
}

const std::string& GameOutput::folder() const {
  return impl_->folder;
}

int GameOutput::open(RoomNumber room, const std::string& file_name) {
  if (!impl_->thread.joinable()) return -1;
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return -1;
  // Only our end does not block. The two are different descriptions, so the game's end stays as
  // games expect it.
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  impl_->open.insert(room);
  impl_->reader->ask([reader = impl_->reader.get(), room, file_name, read_end = ends[0]] {
    reader->add(room, file_name, read_end);
  });
  return ends[1];
}

void GameOutput::finish(RoomNumber room, Told told) {
  if (impl_->open.erase(room) == 0 || !impl_->thread.joinable()) return told({});
  impl_->reader->ask(
      [reader = impl_->reader.get(), room, told = std::move(told)] { reader->finish(room, told); });
}

void GameOutput::stop() {
  if (!impl_->thread.joinable()) return;
  impl_->reader->end();
  if (impl_->ended.wait_for(stop_limit) == std::future_status::ready) {
    impl_->thread.join();
  } else {
    impl_->thread.detach();
  }
}

}  // namespace fixkeep::worker
