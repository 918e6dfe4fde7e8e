#include "worker/process/launcher.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <map>
#include <utility>

#include "common/base/assert.hpp"
#include "common/obs/log.hpp"
#include "common/obs/process.hpp"
#include "worker/process/spawn.hpp"

namespace fixkeep::worker {
namespace {

using boost::asio::posix::stream_descriptor;
using boost::system::error_code;

constexpr std::size_t line_bytes = 1024;

std::string how_it_ended(int status) {
  if (WIFEXITED(status)) return "exit code " + std::to_string(WEXITSTATUS(status));
  return "signal " + obs::signal_name(WTERMSIG(status));
}

error_code last_error() {
  return {errno, boost::system::system_category()};
}

// What a game writes, line by line into the log. Lives until the game's end of the pipe closes.
class OutputReader : public std::enable_shared_from_this<OutputReader> {
 public:
  OutputReader(boost::asio::io_context& context, int descriptor, RoomNumber room)
      : pipe_(context, descriptor), room_(room) {}

  void read() {
    pipe_.async_read_some(boost::asio::buffer(buffer_),
                          [self = shared_from_this()](error_code error, std::size_t bytes) {
                            if (error) return;
                            self->take({self->buffer_.data(), bytes});
                            self->read();
                          });
  }

 private:
  void take(std::string_view bytes) {
    for (const char c : bytes) {
      if (c == '\n' || line_.size() == line_bytes) {
        if (!line_.empty()) {
          obs::log_debug("game says", {{"room", room_.number()}, {"line", line_}});
        }
        line_.clear();
      }
      if (c != '\n') line_.push_back(c);
    }
  }

  stream_descriptor pipe_;
  RoomNumber room_;
  std::array<char, 4096> buffer_{};
  std::string line_;
};

}  // namespace

std::string find_program(const std::string& name, const std::vector<std::string>& folders) {
  if (name.find('/') != std::string::npos) return name;
  for (const std::string& folder : folders) {
    std::string path = folder + "/" + name;
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

std::vector<std::string> program_folders() {
  std::vector<std::string> folders;
  std::string self(4096, '\0');
  const ssize_t length = readlink("/proc/self/exe", self.data(), self.size());
  if (length > 0) {
    self.resize(static_cast<std::size_t>(length));
    folders.push_back(self.substr(0, self.rfind('/')));
  }
  const char* variable = std::getenv("PATH");
  std::string_view rest = variable == nullptr ? "/usr/local/bin:/usr/bin:/bin" : variable;
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    const auto folder = rest.substr(0, colon);
    if (!folder.empty()) folders.emplace_back(folder);
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  }
  return folders;
}

class Launcher::Impl : public std::enable_shared_from_this<Impl> {
 public:
  explicit Impl(boost::asio::io_context& context)
      : context_(context),
        null_(open("/dev/null", O_RDWR | O_CLOEXEC)),
        folders_(program_folders()) {
    FIXKEEP_ASSERT(null_ >= 0, "/dev/null");
  }
  ~Impl() { ::close(null_); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void start(RoomNumber room, const Launch& launch, Exited exited) {
    FIXKEEP_ASSERT(!running_.contains(room), std::to_string(room.number()));
    const auto error = try_start(room, launch, exited);
    if (error.empty()) return;
    boost::asio::post(context_, [exited = std::move(exited), error] { exited(error); });
  }

  void signal(RoomNumber room, int number) {
    const auto found = running_.find(room);
    if (found != running_.end()) ::kill(-found->second->pid, number);
  }

  void end_all() {
    for (auto& [room, process] : running_) {
      ::kill(-process->pid, SIGKILL);
      while (waitpid(process->pid, nullptr, 0) < 0 && errno == EINTR) continue;
    }
    running_.clear();
  }

  [[nodiscard]] std::size_t running() const { return running_.size(); }

 private:
  struct Process {
    Process(boost::asio::io_context& context, pid_t which, int watched, Exited handler)
        : pid(which), watch(context, watched), exited(std::move(handler)) {}
    pid_t pid;
    stream_descriptor watch;  // a pidfd: readable when the process has ended
    Exited exited;
  };

  // Empty: it runs. Else what went wrong.
  std::string try_start(RoomNumber room, const Launch& launch, const Exited& exited) {
    if (launch.command.empty()) return "cannot execute: no command";
    const std::string& name = launch.command.front();
    const std::string program = find_program(name, folders_);
    if (program.empty()) return "cannot execute " + name + ": not in PATH";
    std::array<int, 2> pipe{-1, -1};
    const bool listens = obs::log_enabled(obs::LogLevel::debug);
    // Non-blocking at the game's end as well: it never waits for us.
    if (listens && pipe2(pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
      return "cannot make a pipe: " + last_error().message();
    }
    const auto child =
        spawn(program, launch.command, launch.environment, null_, listens ? pipe[1] : null_);
    if (listens) {
      ::close(pipe[1]);
      std::make_shared<OutputReader>(context_, pipe[0], room)->read();
    }
    if (!child) return "cannot execute " + program + ": " + child.error().message();
    const auto watch = static_cast<int>(syscall(SYS_pidfd_open, *child, 0U));
    if (watch < 0) {
      const std::string why = last_error().message();
      ::kill(-*child, SIGKILL);
      while (waitpid(*child, nullptr, 0) < 0 && errno == EINTR) continue;
      return "cannot watch the process: " + why;
    }
    auto process = std::make_unique<Process>(context_, *child, watch, exited);
    process->watch.async_wait(stream_descriptor::wait_read,
                              [self = weak_from_this(), room](error_code error) {
                                if (error) return;
                                if (const auto impl = self.lock()) impl->ended(room);
                              });
    running_.emplace(room, std::move(process));
    return {};
  }

  void ended(RoomNumber room) {
    const auto found = running_.find(room);
    if (found == running_.end()) return;
    const std::unique_ptr<Process> process = std::move(found->second);
    running_.erase(found);
    // Before it is reaped its number is still its own, and so is its group's.
    ::kill(-process->pid, SIGKILL);
    int status = 0;
    while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR) continue;
    process->exited(how_it_ended(status));
  }

  boost::asio::io_context& context_;
  int null_;
  std::vector<std::string> folders_;
  std::map<RoomNumber, std::unique_ptr<Process>> running_;
};

Launcher::Launcher(boost::asio::io_context& context) : impl_(std::make_shared<Impl>(context)) {}
Launcher::~Launcher() {
  impl_->end_all();
}

void Launcher::start(RoomNumber room, const Launch& launch, Exited exited) {
  impl_->start(room, launch, std::move(exited));
}
void Launcher::ask_to_end(RoomNumber room) {
  impl_->signal(room, SIGTERM);
}
void Launcher::kill(RoomNumber room) {
  impl_->signal(room, SIGKILL);
}
std::size_t Launcher::running() const {
  return impl_->running();
}

}  // namespace fixkeep::worker
