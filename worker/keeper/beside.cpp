#include "worker/keeper/beside.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "worker/keeper/child.hpp"

namespace fixkeep::worker::keeper {
namespace {

constexpr std::chrono::seconds pause{1};

}  // namespace

void Beside::start(Clock::time_point now) {
  again_ = Clock::time_point::max();
  if (command_.empty()) return;
  const Plan plan;  // no user, control group, folder or environment
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null >= 0) process_ = start_child(plan, command_.front(), command_, null).pid;
  if (null >= 0) ::close(null);
  if (process_ == 0) again_ = now + pause;
}

bool Beside::ended(pid_t process, Clock::time_point now) {
  if (!is(process)) return false;
  process_ = 0;
  again_ = now + pause;
  return true;
}

}  // namespace fixkeep::worker::keeper
