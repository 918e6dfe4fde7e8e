// fixkeep-worker starts fixkeep-room-keeper, which forks a keeper for each of the worker's rooms.
// See starter.hpp and keeper.hpp.

#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>

#include "worker/keeper/starter.hpp"

int main() {
  using namespace fixkeep::worker::keeper;
  // Prevents games from reading this process's memory, because plans contain the keys of rooms and
  // a game may run as the same user. Forks inherit this setting.
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  int kind = 0;
  socklen_t size = sizeof kind;
  if (::getsockopt(starter_descriptor, SOL_SOCKET, SO_TYPE, &kind, &size) != 0 ||
      kind != SOCK_SEQPACKET) {
    std::fputs("fixkeep-room-keeper is started by fixkeep-worker, which has one for its rooms.\n",
               stderr);
    return 2;
  }
  if (::chdir("/") != 0) return 1;  // a working folder keeps its file system mounted
  return run_starter(starter_descriptor);
}
