#include "worker/runner/process/game_end.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "common/process/process_group.hpp"
#include "common/process/self.hpp"

namespace fixkeep::worker {
namespace {

using keeper::Cause;
using keeper::Packet;
using keeper::RunFailure;
using keeper::Word;

std::string why_not_started(Cause cause, const Launch& launch) {
  switch (cause) {
    case Cause::no_folder: return "cannot enter its working folder";
    case Cause::no_user: return "cannot become user " + launch.user;
    case Cause::no_program: return "cannot execute " + launch.game.command.front();
    case Cause::no_cgroup: return "cannot enter its control group";
    case Cause::no_keeper: return "cannot start a keeper";
    case Cause::no_place:
    case Cause::ended:
    case Cause::at_memory_limit:
    case Cause::at_process_limit: break;
  }
  return "cannot be started";
}

bool has_run(Cause cause) {
  return cause == Cause::ended || cause == Cause::at_memory_limit ||
         cause == Cause::at_process_limit;
}

// Says which limit ended the game. If no worker ran then, the value of the limit is unknown (0).
std::string limit_in_words(Cause cause, const RoomLimits& limits) {
  if (cause == Cause::at_memory_limit) {
    return ": it reached its memory limit" +
           (limits.memory_mib == 0 ? "" : " of " + std::to_string(limits.memory_mib) + " MiB");
  }
  if (cause == Cause::at_process_limit) {
    return ": it reached its limit of " +
           (limits.processes == 0 ? "" : std::to_string(limits.processes) + " ") + "processes";
  }
  return {};
}

// If a program exits but leaves its game running, the settings are wrong, and a person can correct
// them.
std::string left_behind_in_words(std::uint32_t count, bool exited_well) {
  if (count == 0) return {};
  std::string words =
      "; it left " + std::to_string(count) +
      (count == 1 ? " process behind, which was" : " processes behind, which were") + " killed";
  if (exited_well) words += " (a server that goes into the background needs \"daemon\": true)";
  return words;
}

}  // namespace

std::optional<Packet> read_record(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  const std::string bytes{std::istreambuf_iterator<char>{file}, {}};
  auto packet = keeper::to_packet(bytes);
  if (packet && packet->word != Word::ended) packet.reset();
  return packet;
}

GameEnd game_end(const Packet& last, const Launch& launch) {
  GameEnd end;
  end.last_lines = last.text;
  const auto cause = static_cast<Cause>(last.number);
  if (cause == Cause::no_place) return never_ran(last.text, true);
  if (!has_run(cause)) {
    end.kind = GameEnd::Kind::not_started;
    end.blameless = cause == Cause::no_keeper || cause == Cause::no_cgroup;
    end.how = why_not_started(cause, launch) + ": " + std::strerror(last.detail);
    return end;
  }
  const bool exited = WIFEXITED(last.detail);
  end.kind = exited ? GameEnd::Kind::exited : GameEnd::Kind::signalled;
  end.number = exited ? WEXITSTATUS(last.detail) : WTERMSIG(last.detail);
  end.left_behind = static_cast<std::uint32_t>(last.extra);
  end.how = process::how_it_ended(last.detail) + limit_in_words(cause, launch.game.limits) +
            left_behind_in_words(end.left_behind, exited && end.number == 0);
  return end;
}

std::time_t machine_started() {
  timespec since{};
  ::clock_gettime(CLOCK_BOOTTIME, &since);
  return std::time(nullptr) - since.tv_sec;
}

// A restart of the machine ends the keeper but leaves the folder on disk. A folder that is older
// than the restart thus shows why the keeper is gone.
GameEnd nobody_knows(const RoomFiles& files, std::time_t started) {
  struct stat folder {};
  GameEnd end;
  if (::stat(files.folder.c_str(), &folder) != 0) {
    end.how = "its worker ended before its turn came";
  } else if (folder.st_ctime < started) {
    end.how = "this machine was started again meanwhile";
  } else {
    end.how = "its keeper ended without a word, and the game with it: was it killed?";
  }
  return end;
}

bool nothing_is_kept(const GameEnd& end, const Launch& launch) {
  return end.kind == GameEnd::Kind::unknown && launch.game.keep_folder == KeepFolder::never;
}

RoomShell::CommandEnd command_end(const Packet& ran) {
  RoomShell::CommandEnd end;
  end.text = ran.text;
  if (ran.detail < 0) {
    const auto failure = static_cast<RunFailure>(ran.detail);
    end.problem = failure == RunFailure::too_slow ? "it took too long" : ran.text;
    if (failure != RunFailure::too_slow) end.text.clear();
  } else if (WIFEXITED(ran.detail)) {
    end.exit_code = WEXITSTATUS(ran.detail);
  } else {
    end.problem = process::how_it_ended(ran.detail);
  }
  return end;
}

}  // namespace fixkeep::worker
