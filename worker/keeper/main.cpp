// fixkeep-room-keeper: stays with the game of one room; started by fixkeep-worker. See keeper.hpp.

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "worker/keeper/keeper.hpp"

namespace {

std::optional<fixkeep::worker::keeper::Plan> read_plan() {
  using namespace fixkeep::worker::keeper;
  struct stat file {};
  if (::fstat(plan_descriptor, &file) != 0 || file.st_size <= 0) return std::nullopt;
  std::string text(static_cast<std::size_t>(file.st_size), '\0');
  const ssize_t count = ::pread(plan_descriptor, text.data(), text.size(), 0);
  ::close(plan_descriptor);
  if (count != file.st_size) return std::nullopt;
  return to_plan(text);
}

}  // namespace

int main() {
  // The plan has the room's key, and a game may run as our user.
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  auto plan = read_plan();
  if (!plan) {
    std::fputs("fixkeep-room-keeper is started by fixkeep-worker, one for each room.\n", stderr);
    return 2;
  }
  if (::chdir("/") != 0) return 1;  // keeps no file system from being unmounted
  return fixkeep::worker::keeper::Keeper{std::move(*plan)}.run() ? 0 : 1;
}
