#include "worker/keeper/starter.hpp"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "worker/keeper/keeper.hpp"
#include "worker/keeper/passing.hpp"
#include "worker/keeper/plan.hpp"
#include "worker/keeper/protocol.hpp"

namespace fixkeep::worker::keeper {
namespace {

constexpr std::size_t fixed_descriptors = 2;  // the plan and the connection come first

// An Order owns the descriptors that it received, and closes them.
class Order {
 public:
  Order() = default;
  ~Order() {
    for (const int descriptor : descriptors_) ::close(descriptor);
  }
  Order(const Order&) = delete;
  Order& operator=(const Order&) = delete;

  // Waits for the next order. Returns false if the worker is gone.
  [[nodiscard]] bool receive(int worker) {
    std::array<char, 16> word{};
    ssize_t count = 0;
    do {
      count = receive_with(worker, word.data(), word.size(), descriptors_);
    } while (count < 0 && errno == EINTR);
    if (count <= 0) return false;
    has_note_ = std::string_view{word.data(), static_cast<std::size_t>(count)} == with_note;
    return true;
  }
  [[nodiscard]] bool whole() const { return descriptors_.size() >= first_listener(); }
  [[nodiscard]] int connection() const { return descriptors_[1]; }

  [[nodiscard]] std::optional<Plan> take_plan() {
    const int file = std::exchange(descriptors_[0], -1);
    struct stat found {};
    std::string text;
    if (::fstat(file, &found) == 0) text.resize(static_cast<std::size_t>(found.st_size));
    const ssize_t count = ::pread(file, text.data(), text.size(), 0);
    ::close(file);
    if (text.empty() || count != found.st_size) return std::nullopt;
    return to_plan(text);
  }
  // The keeper owns these descriptors from now on.
  [[nodiscard]] Keeper::Descriptors take_others() {
    const auto listeners = descriptors_.begin() + static_cast<std::ptrdiff_t>(first_listener());
    Keeper::Descriptors taken{.worker = descriptors_[1],
                              .note = has_note_ ? descriptors_[fixed_descriptors] : -1,
                              .listeners = {listeners, descriptors_.end()}};
    descriptors_.clear();
    return taken;
  }

 private:
  [[nodiscard]] std::size_t first_listener() const {
    return fixed_descriptors + static_cast<std::size_t>(has_note_);
  }

  std::vector<int> descriptors_;
  bool has_note_ = false;
};

int run_keeper(Order& order) {
  auto plan = order.take_plan();
  if (!plan) return 1;
  return Keeper{std::move(*plan), order.take_others()}.run() ? 0 : 1;
}

// A keeper's exit status is not needed: the worker notices the exit and reads the record.
void collect_ended(int /*signal*/) {
  const int before = errno;
  while (::waitpid(-1, nullptr, WNOHANG) > 0) continue;
  errno = before;
}

void tell_no_keeper(int connection, int error) {
  const auto bytes = to_bytes({.word = Word::ended,
                               .number = static_cast<std::int32_t>(Cause::no_keeper),
                               .detail = error});
  ::send(connection, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace

int run_starter(int worker) {
  // Ended keepers are collected by this handler, not by the kernel: this process's times then
  // include the processor time of keepers and their games.
  struct sigaction collects = {};
  collects.sa_handler = collect_ended;
  collects.sa_flags = SA_RESTART | SA_NOCLDSTOP;
  ::sigaction(SIGCHLD, &collects, nullptr);
  // If a keeper is killed, the processes below it become children of this process, which collects
  // them. Otherwise their parent would be process 1. In a container, process 1 may be the worker,
  // which would not collect them.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (;;) {
    Order order;
    if (!order.receive(worker)) return 0;
    if (!order.whole()) continue;
    const pid_t keeper = ::fork();
    if (keeper == 0) {
      ::close(worker);
      std::signal(SIGCHLD, SIG_DFL);
      ::setsid();
      // _exit() in the fork skips the starter's own cleanup.
      ::_exit(run_keeper(order));
    }
    if (keeper < 0) tell_no_keeper(order.connection(), errno);
  }
}

}  // namespace fixkeep::worker::keeper
