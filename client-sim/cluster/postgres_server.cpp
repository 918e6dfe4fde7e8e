#include "client-sim/cluster/postgres_server.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <thread>

namespace fixkeep::client_sim {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds initdb_limit{60'000};
constexpr milliseconds family_poll{5};
constexpr const char* user = "postgres";

// Debian keeps the programs of each version in a folder of its own. Empty: not installed.
fs::path newest_programs() {
  fs::path best;
  std::error_code none;
  for (const auto& each : fs::directory_iterator{"/usr/lib/postgresql", none}) {
    const auto programs = each.path() / "bin";
    if (::access((programs / "initdb").c_str(), X_OK) == 0) best = std::max(best, programs);
  }
  return best;
}

// Returns words to put before a command, so that it runs as an ordinary user. Empty: this process
// is not root.
std::vector<std::string> ordinary_user() {
  if (::geteuid() != 0) return {};
  return {"/usr/bin/setpriv", fmt::format("--reuid={}", user), fmt::format("--regid={}", user),
          "--clear-groups", "--pdeathsig=INT"};
}

bool give_away(const fs::path& folder) {
  if (::geteuid() != 0) return true;
  const auto* entry = ::getpwnam(user);
  return entry != nullptr && ::chown(folder.c_str(), entry->pw_uid, entry->pw_gid) == 0 &&
         ::chmod(folder.parent_path().c_str(), 0711) == 0;
}

std::vector<pid_t> children_of(pid_t parent) {
  std::ifstream list{fmt::format("/proc/{}/task/{}/children", parent, parent)};
  std::vector<pid_t> all;
  for (pid_t child = 0; list >> child;) all.push_back(child);
  return all;
}

bool runs(pid_t pid) {
  std::ifstream file{fmt::format("/proc/{}/stat", pid)};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= text.size()) return false;
  if (text[name_end + 2] != 'Z') return true;
  // The main thread has ended. The process still runs if it has other threads: they keep its
  // sockets open.
  std::error_code none;
  const fs::directory_iterator threads{fmt::format("/proc/{}/task", pid), none};
  return std::distance(begin(threads), end(threads)) > 1;
}

}  // namespace

std::string prepare_postgres(const fs::path& folder, std::uint16_t port,
                             std::vector<std::string>& command) {
  const auto programs = newest_programs();
  if (programs.empty()) return "postgres is not installed: apt-get install postgresql";
  const auto data = folder / "postgres";
  std::error_code failure;
  fs::remove_all(data, failure);
  fs::create_directory(data, failure);
  if (failure || !give_away(data)) return "cannot make the folder " + data.string();
  ::chmod(data.c_str(), 0700);

  auto making = ordinary_user();
  constexpr const char* script =
      R"(cd / && "$0/initdb" -D "$1" -U fixkeep --auth=trust --no-sync --no-locale -E UTF8 &&
         echo 'CREATE DATABASE fixkeep' | "$0/postgres" --single -D "$1" postgres)";
  making.insert(making.end(), {"/bin/sh", "-c", script, programs.string(), data.string()});
  const auto log = folder / "initdb.log";
  auto process = process::ChildProcess::start(making, log);
  if (!process) return "cannot run initdb: " + process.error().message();
  if (!process->wait(initdb_limit) || process->how_it_ended() != "exit code 0") {
    std::ifstream said{log};
    return "initdb failed:\n" + std::string{std::istreambuf_iterator<char>{said}, {}};
  }

  command = ordinary_user();
  command.insert(command.end(), {(programs / "postgres").string(), "-D", data.string(), "-p",
                                 std::to_string(port), "-c", "listen_addresses=127.0.0.1", "-c",
                                 "unix_socket_directories=", "-c", "shared_buffers=16MB"});
  return {};
}

void signal_family(const process::ChildProcess& process, int number) {
  if (process.pid() <= 0) return;
  const auto children = children_of(process.pid());
  ::kill(process.pid(), number);
  for (const auto child : children) ::kill(child, number);
}

bool kill_family(process::ChildProcess& process, milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  const auto children = process.pid() > 0 ? children_of(process.pid()) : std::vector<pid_t>{};
  process.signal(SIGKILL);
  for (const auto child : children) ::kill(child, SIGKILL);
  if (!process.wait(limit)) return false;
  for (const auto child : children) {
    while (runs(child)) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(family_poll);
    }
  }
  return true;
}

}  // namespace fixkeep::client_sim
