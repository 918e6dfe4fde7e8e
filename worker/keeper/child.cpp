#include "worker/keeper/child.hpp"

#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "common/process/c_strings.hpp"
#include "worker/keeper/cgroup.hpp"

namespace fixkeep::worker::keeper {
namespace {

struct Failure {
  Cause cause;
  int error;
};

constexpr int report_descriptor = 3;
constexpr int exit_not_started = 127;

void use_default_signals() {
  for (int number = 1; number < NSIG; ++number) {
    // sigaction() may fail for SIGKILL, SIGSTOP and the C library's own signals. This is ignored.
    struct sigaction usual = {};
    usual.sa_handler = SIG_DFL;
    ::sigaction(number, &usual, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

bool place_descriptors(int input, int output, int report) {
  if (input < 0) input = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (input < 0 || ::dup2(input, STDIN_FILENO) < 0) return false;
  if (::dup2(output, STDOUT_FILENO) < 0 || ::dup2(output, STDERR_FILENO) < 0) return false;
  if (report != report_descriptor && ::dup3(report, report_descriptor, O_CLOEXEC) < 0) return false;
  return ::syscall(SYS_close_range, report_descriptor + 1U, ~0U, 0U) == 0;
}

bool become(const Plan::User& user) {
  return ::setgroups(user.groups.size(), user.groups.data()) == 0 &&
         ::setresgid(user.group, user.group, user.group) == 0 &&
         ::setresuid(user.user, user.user, user.user) == 0;
}

// Returns only if something failed.
Failure prepare_and_execute(const Plan& plan, const char* program, char* const* arguments,
                            char* const* environment, int input, int output, int report,
                            pid_t keeper) {
  ::setsid();
  if (!place_descriptors(input, output, report)) return {Cause::no_program, errno};
  // The process leaves no core file, because a game's memory may contain other people's secrets.
  const rlimit no_core{0, 0};
  if (::setrlimit(RLIMIT_CORE, &no_core) != 0) return {Cause::no_program, errno};
  if (plan.user && !become(*plan.user)) return {Cause::no_user, errno};
  // Programs that the process executes gain no privileges: setuid and file capabilities have no
  // effect.
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return {Cause::no_program, errno};
  if (::chdir(plan.game.working_folder.empty() ? "/" : plan.game.working_folder.c_str()) != 0)
    return {Cause::no_folder, errno};
  // This call must come after the change of user, which would undo it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != keeper) return {Cause::no_program, ESRCH};  // the keeper died before prctl()
  use_default_signals();
  ::execve(program, arguments, environment);
  return {Cause::no_program, errno};
}

[[noreturn]] void report_and_exit(int descriptor, const Failure& failure) {
  (void)!::write(descriptor, &failure, sizeof failure);
  ::_exit(exit_not_started);
}

}  // namespace

Started start_child(const Plan& plan, const std::string& program,
                    const std::vector<std::string>& arguments, int output, int input) {
  const auto argument_pointers = process::c_strings(arguments);
  const auto environment_pointers = process::c_strings(plan.game.environment);
  std::array<int, 2> report{-1, -1};
  if (::pipe2(report.data(), O_CLOEXEC) != 0) return {0, Cause::no_program, errno};
  const pid_t keeper = ::getpid();
  const auto [child, error] = Cgroup{plan.cgroup}.fork();
  if (child == 0) {
    if (error != 0) report_and_exit(report[1], {Cause::no_cgroup, error});
    report_and_exit(
        report_descriptor,
        prepare_and_execute(plan, program.c_str(), argument_pointers.data(),
                            environment_pointers.data(), input, output, report[1], keeper));
  }
  ::close(report[1]);
  Started started{child, Cause::ended, 0};
  if (child < 0) {
    started = {0, Cause::no_program, error};
  } else {
    // If the program is executed, the pipe closes without data. Otherwise it contains the failure.
    Failure failure{};
    if (::read(report[0], &failure, sizeof failure) == sizeof failure) {
      ::waitpid(child, nullptr, 0);
      started = {0, failure.cause, failure.error};
    }
  }
  ::close(report[0]);
  return started;
}

}  // namespace fixkeep::worker::keeper
