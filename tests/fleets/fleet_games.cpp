#include "tests/fleets/fleet_games.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace fixkeep::test {
namespace {

// "fixkeep/env.MAP" is MAP, "fixkeep/seat-key" is FIXKEEP_SEAT_KEY.
std::string variable_of(const std::string& annotation) {
  const std::string ours = "fixkeep/";
  const std::string games = ours + "env.";
  if (annotation.starts_with(games)) return annotation.substr(games.size());
  if (!annotation.starts_with(ours)) return "ANNOTATION";
  std::string name = "FIXKEEP_" + annotation.substr(ours.size());
  for (char& c : name) {
    c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

}  // namespace

FleetGames::~FleetGames() {
  for (const auto& [uid, each] : running_) {
    ::kill(-each.pid, SIGKILL);
    ::waitpid(each.pid, nullptr, 0);
  }
}

void FleetGames::run(const std::string& uid, const std::string& name,
                     const kubernetes::Json& annotations, std::int64_t port) {
  const auto script = kubernetes::text_at(annotations, "fixkeep/env.SCRIPT");
  if (script.empty() || !ran_.insert(uid).second) return;
  std::vector<std::string> variables{"PATH=/usr/bin:/bin", "PORT=" + std::to_string(port)};
  for (const auto& [key, value] : annotations.items()) {
    if (value.is_string()) variables.push_back(variable_of(key) + "=" + value.get<std::string>());
  }
  std::vector<char*> environment;
  for (std::string& each : variables) environment.push_back(each.data());
  environment.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0) throw std::runtime_error{"cannot fork"};
  if (pid == 0) {
    ::setpgid(0, 0);
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (int each = 0; each < 3; ++each) ::dup2(nowhere, each);
    ::close_range(3, ~0U, 0);
    ::execle("/bin/sh", "sh", "-c", script.c_str(), nullptr, environment.data());
    ::_exit(127);
  }
  ::setpgid(pid, pid);
  running_[uid] = {.pid = pid, .name = name, .kill_at = {}};
}

bool FleetGames::ask_to_end(const std::string& uid, std::chrono::milliseconds grace) {
  const auto found = running_.find(uid);
  if (found == running_.end()) return false;
  const auto kill_at = Clock::now() + grace;
  if (!found->second.kill_at) ::kill(-found->second.pid, SIGTERM);
  found->second.kill_at = std::min(found->second.kill_at.value_or(kill_at), kill_at);
  return true;
}

std::vector<std::string> FleetGames::ended() {
  std::vector<std::string> names;
  for (auto next = running_.begin(); next != running_.end();) {
    const auto each = next++;
    const Running& game = each->second;
    if (game.kill_at && *game.kill_at <= Clock::now()) ::kill(-game.pid, SIGKILL);
    if (::waitpid(game.pid, nullptr, WNOHANG) != game.pid) continue;
    names.push_back(game.name);
    running_.erase(each);
  }
  return names;
}

}  // namespace fixkeep::test
