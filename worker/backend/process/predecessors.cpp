#include "worker/backend/process/predecessors.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <vector>

#include "common/obs/log.hpp"
#include "common/process/proc.hpp"
#include "worker/backend/process/room_files.hpp"
#include "worker/keeper/protocol.hpp"

namespace fixkeep::worker {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Predecessor {
  RoomFiles files;
  int connection;
};

// The connection ends when the keeper does.
bool gone_by(int connection, Clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd entry{.fd = connection, .events = POLLIN, .revents = 0};
    if (left <= 0 || ::poll(&entry, 1, static_cast<int>(left)) != 1) return false;
    std::array<char, keeper::packet_bytes> buffer{};
    if (::recv(connection, buffer.data(), buffer.size(), 0) <= 0) return true;
  }
}

}  // namespace

void end_predecessors(const std::string& rooms) {
  std::vector<Predecessor> alive;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator{rooms, error}) {
    const RoomFiles files{entry.path().string()};
    const auto connection = connect_to(files);
    if (!connection) {  // nobody listens: it has ended
      remove_room_files(files);
      continue;
    }
    const auto bytes = keeper::to_bytes({.word = keeper::Word::end});
    ::send(*connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    alive.push_back({files, *connection});
  }
  const auto until = Clock::now() + predecessor_limit;
  for (const Predecessor& each : alive) {
    const auto name = fs::path{each.files.folder}.filename().string();
    if (gone_by(each.connection, until)) {
      obs::log_warning("ended a game that an earlier run of this worker had left",
                       {{"room", name}});
      remove_room_files(each.files);
    } else {
      obs::log_error("a game that an earlier run of this worker had left does not end",
                     {{"room", name}});
    }
    ::close(each.connection);
  }
}

void end_strays(const std::string& room) {
  for (const pid_t process : process::all()) {
    if (process::environment_of(process, "FIXKEEP_ROOM_ID") == room) ::kill(process, SIGKILL);
  }
}

}  // namespace fixkeep::worker
