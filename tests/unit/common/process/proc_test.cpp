#include "common/process/proc.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace fixkeep::process {
namespace {

// A process may end between the moment that its file is opened and that it is read.
TEST(Proc, is_read_while_processes_come_and_go) {
  constexpr int many = 3000;
  const pid_t parent = ::fork();
  if (parent == 0) {
    for (int i = 0; i < many; ++i) {
      if (::fork() == 0) std::_Exit(0);
      if (i % 4 == 0) {
        while (::waitpid(-1, nullptr, WNOHANG) > 0) continue;
      }
    }
    while (::waitpid(-1, nullptr, 0) > 0) continue;
    std::_Exit(0);
  }
  std::size_t seen = 0;
  while (::waitpid(parent, nullptr, WNOHANG) == 0) {
    for (const pid_t child : descendants_of(parent)) {
      seen += alive(child) ? 2 : 1;
      (void)environment_of(child, "HOME");
      (void)descendants_of(child);
    }
  }
  EXPECT_GT(seen, 0U);
}

}  // namespace
}  // namespace fixkeep::process
