#include "worker/backend/process/process_backend.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <csignal>
#include <map>
#include <utility>
#include <variant>

#include "common/base/assert.hpp"
#include "common/process/process_group.hpp"
#include "common/process/program.hpp"
#include "common/process/spawn.hpp"
#include "worker/backend/process/game_output.hpp"

namespace fixkeep::worker {
namespace {

using boost::asio::posix::stream_descriptor;

class ProcessBackend final : public Backend, public std::enable_shared_from_this<ProcessBackend> {
 public:
  ProcessBackend(boost::asio::io_context& context, const BackendOptions& options)
      : context_(context),
        null_(::open("/dev/null", O_RDWR | O_CLOEXEC)),
        folders_(process::program_folders()),
        output_(options.output, options.worker) {
    FIXKEEP_ASSERT(null_ >= 0, "/dev/null");
  }
  ~ProcessBackend() override {
    end_all();
    ::close(null_);
  }
  ProcessBackend(const ProcessBackend&) = delete;
  ProcessBackend& operator=(const ProcessBackend&) = delete;

  void start(RoomNumber room, const Launch& launch, Exited exited) override {
    FIXKEEP_ASSERT(!running_.contains(room), std::to_string(room.number()));
    const int output = output_.open(room, launch.name);
    const auto child = spawn(launch, output < 0 ? null_ : output);
    if (output >= 0) ::close(output);
    if (const auto* const problem = std::get_if<std::string>(&child)) {
      boost::asio::post(
          context_, [self = weak_from_this(), room, exited = std::move(exited), how = *problem] {
            if (const auto backend = self.lock()) backend->tell(room, exited, how);
          });
      return;
    }
    const auto& [pid, watch] = std::get<Child>(child);
    auto process = std::make_unique<Process>(context_, pid, watch, std::move(exited));
    process->watch.async_wait(stream_descriptor::wait_read,
                              [self = weak_from_this(), room](boost::system::error_code error) {
                                if (error) return;
                                if (const auto backend = self.lock()) backend->ended(room);
                              });
    running_.emplace(room, std::move(process));
  }

  void ask_to_end(RoomNumber room) override { signal(room, SIGTERM); }
  void kill(RoomNumber room) override { signal(room, SIGKILL); }
  [[nodiscard]] std::size_t running() const override { return running_.size(); }

  [[nodiscard]] std::string problem_of(const std::vector<std::string>& command) const override {
    if (command.empty()) return "no command";
    return process::find_program(command.front(), folders_).problem;
  }
  [[nodiscard]] std::string output_folder() const override { return output_.folder(); }

  void stop() override {
    stopped_ = true;
    end_all();
    output_.stop();
  }

 private:
  struct Process {
    Process(boost::asio::io_context& context, pid_t which, int watched, Exited handler)
        : pid(which), watch(context, watched), exited(std::move(handler)) {}
    pid_t pid;
    stream_descriptor watch;  // readable when the process has ended
    Exited exited;
  };
  struct Child {
    pid_t pid = 0;
    int watch = -1;
  };

  // The text says why there is no child.
  std::variant<Child, std::string> spawn(const Launch& launch, int output) const {
    if (launch.command.empty()) return "cannot execute: no command";
    const std::string& name = launch.command.front();
    const auto [program, problem] = process::find_program(name, folders_);
    if (program.empty()) return "cannot execute " + name + ": " + problem;
    const auto child = process::spawn(program, launch.command, launch.environment, null_, output);
    if (!child) return "cannot execute " + program + ": " + child.error().message();
    const auto watch = process::open_watch(*child);
    if (!watch) {
      process::end_group(*child);
      return "cannot watch the process: " + watch.error().message();
    }
    return Child{*child, *watch};
  }

  void signal(RoomNumber room, int number) {
    const auto found = running_.find(room);
    if (found != running_.end()) process::signal_group(found->second->pid, number);
  }

  void ended(RoomNumber room) {
    const auto node = running_.extract(room);
    if (node.empty()) return;
    const Process& process = *node.mapped();
    // What it has left behind in its group ends with it.
    const int status = process::end_group(process.pid);
    tell(room, process.exited, process::how_it_ended(status));
  }

  void tell(RoomNumber room, const Exited& exited, const std::string& how) {
    if (!stopped_) output_.finish(room, exited(how));
  }

  void end_all() {
    for (const auto& [room, process] : running_) process::end_group(process->pid);
    running_.clear();
  }

  boost::asio::io_context& context_;
  int null_;
  std::vector<std::string> folders_;
  GameOutput output_;
  std::map<RoomNumber, std::unique_ptr<Process>> running_;
  bool stopped_ = false;
};

}  // namespace

std::shared_ptr<Backend> make_process_backend(boost::asio::io_context& context,
                                              const BackendOptions& options) {
  return std::make_shared<ProcessBackend>(context, options);
}

}  // namespace fixkeep::worker
