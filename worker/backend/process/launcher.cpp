#include "worker/backend/process/launcher.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <map>
#include <utility>

#include "common/base/assert.hpp"
#include "common/process/program.hpp"
#include "common/process/self.hpp"
#include "common/process/spawn.hpp"

namespace fixkeep::worker {
namespace {

using boost::asio::posix::stream_descriptor;
using boost::system::error_code;

std::string how_it_ended(int status) {
  if (WIFEXITED(status)) return "exit code " + std::to_string(WEXITSTATUS(status));
  return "signal " + process::signal_name(WTERMSIG(status));
}

error_code last_error() {
  return {errno, boost::system::system_category()};
}

}  // namespace

class Launcher::Impl : public std::enable_shared_from_this<Impl> {
 public:
  explicit Impl(boost::asio::io_context& context)
      : context_(context),
        null_(open("/dev/null", O_RDWR | O_CLOEXEC)),
        folders_(process::program_folders()) {
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
    const auto [program, problem] = process::find_program(name, folders_);
    if (program.empty()) return "cannot execute " + name + ": " + problem;
    const auto child = process::spawn(program, launch.command, launch.environment, null_,
                                      launch.output < 0 ? null_ : launch.output);
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
