#include "worker/runner/process/predecessors.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <utility>

#include "common/obs/log.hpp"
#include "common/process/proc.hpp"
#include "common/process/process_group.hpp"
#include "worker/keeper/passing.hpp"
#include "worker/keeper/place.hpp"
#include "worker/keeper/protocol.hpp"
#include "worker/runner/process/room_cgroups.hpp"

namespace fixkeep::worker {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using keeper::Packet;
using keeper::Word;

void say(const FoundKeeper& keeper, Word word) {
  const auto bytes = keeper::to_bytes({.word = word, .number = keeper::version});
  ::send(keeper.connection.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

// Says whether the descriptor becomes readable before `until`.
bool readable_by(int descriptor, Clock::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  pollfd entry{.fd = descriptor, .events = POLLIN, .revents = 0};
  return ::poll(&entry, 1, static_cast<int>(std::max<long>(left, 0))) == 1;
}

enum class Greeting : std::uint8_t { answered, ended, silent };

// Reads the keeper's answer to a greeting, with the room's sockets and its note.
Greeting hear_state(FoundKeeper& keeper, Clock::time_point until) {
  while (readable_by(keeper.connection.get(), until)) {
    std::array<char, keeper::packet_bytes> buffer{};
    std::vector<int> sockets;
    const ssize_t count =
        keeper::receive_with(keeper.connection.get(), buffer.data(), buffer.size(), sockets);
    keeper.listeners.clear();
    for (const int socket : sockets) keeper.listeners.emplace_back(socket);
    if (count <= 0) return Greeting::ended;
    const auto packet = keeper::to_packet({buffer.data(), static_cast<std::size_t>(count)});
    if (!packet || packet->word != Word::state) continue;  // old packets to the previous worker
    if (packet->text == keeper::last_is_note && !keeper.listeners.empty()) {
      keeper.note.emplace(std::move(keeper.listeners.back()));
      keeper.listeners.pop_back();
    }
    keeper.process = packet->extra;
    keeper.program = packet->detail;
    keeper.version = packet->number;
    const auto watch = process::open_watch(keeper.process);
    if (!watch) return Greeting::ended;
    keeper.watch = process::Descriptor{*watch};
    return Greeting::answered;
  }
  return Greeting::silent;
}

// Waits for the end of the connection, which is the keeper's end.
bool gone_by(const FoundKeeper& keeper, Clock::time_point until) {
  while (readable_by(keeper.connection.get(), until)) {
    std::array<char, keeper::packet_bytes> buffer{};
    if (::recv(keeper.connection.get(), buffer.data(), buffer.size(), 0) <= 0) return true;
  }
  return false;
}

}  // namespace

void Predecessors::find() {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator{rooms_, error}) {
    const auto room = entry.path().filename().string();
    const auto connection = keeper::connect_in(entry.path().string());
    if (!connection) {  // no keeper listens: it has ended
      without_keeper_.push_back(room);
      continue;
    }
    FoundKeeper& keeper = keepers_[room];
    keeper.connection = process::Descriptor{*connection};
    say(keeper, Word::hello);
  }
  const auto until = Clock::now() + greeting_limit;
  for (auto entry = keepers_.begin(); entry != keepers_.end();) {
    auto& [room, keeper] = *entry;
    const Greeting greeting = hear_state(keeper, until);
    if (greeting == Greeting::silent) keeper.process = 0;
    if (greeting == Greeting::ended) without_keeper_.push_back(room);
    entry = greeting == Greeting::ended ? keepers_.erase(entry) : std::next(entry);
  }
}

const FoundKeeper* Predecessors::find(const std::string& room) const {
  const auto found = keepers_.find(room);
  return found == keepers_.end() || found->second.process == 0 ? nullptr : &found->second;
}

std::optional<std::vector<process::Descriptor>> Predecessors::listeners_of(
    const std::string& room) const {
  const FoundKeeper* const found = find(room);
  if (found == nullptr) return std::nullopt;
  std::vector<process::Descriptor> listeners;
  for (const process::Descriptor& listener : found->listeners) {
    listeners.emplace_back(::fcntl(listener.get(), F_DUPFD_CLOEXEC, 0));
  }
  return listeners;
}

std::optional<FoundKeeper> Predecessors::take(const std::string& room) {
  if (find(room) == nullptr) return std::nullopt;
  return std::move(keepers_.extract(room).mapped());
}

void Predecessors::end_keepers() {
  for (const auto& [room, keeper] : keepers_) say(keeper, Word::end);
  const auto until = Clock::now() + end_limit;
  for (const auto& [room, keeper] : keepers_) {
    if (gone_by(keeper, until)) {
      obs::log_warning("ended a game that an earlier run of this worker had left",
                       {{"room", room}});
      end_recorded_cgroup(RoomFiles{rooms_ + "/" + room});
      remove_room_files(RoomFiles{rooms_ + "/" + room});
    } else {
      obs::log_error("a game that an earlier run of this worker had left does not end",
                     {{"room", room}});
    }
  }
  keepers_.clear();
}

// Removes the remains of a room without a keeper. If there is no record, the keeper was killed, and
// processes of the game may still run.
void Predecessors::remove_left(const std::string& room) const {
  const RoomFiles files{rooms_ + "/" + room};
  if (!fs::exists(files.record())) end_strays(room);
  end_recorded_cgroup(files);
  remove_room_files(files);
}

std::vector<pid_t> Predecessors::processes() const {
  std::vector<pid_t> processes;
  for (const auto& [room, keeper] : keepers_) {
    if (keeper.process != 0) processes.push_back(keeper.process);
  }
  return processes;
}

void end_strays(const std::string& room) {
  for (const pid_t process : process::all()) {
    if (process::environment_of(process, "FIXKEEP_ROOM_ID") == room) ::kill(process, SIGKILL);
  }
}

}  // namespace fixkeep::worker
