#include "worker/runner/process/room_cgroups.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "common/obs/log.hpp"
#include "common/process/process_group.hpp"
#include "worker/keeper/place.hpp"
#include "worker/keeper/texts.hpp"

namespace fixkeep::worker {
namespace {

using Clock = std::chrono::steady_clock;
using keeper::Cgroup;

constexpr std::chrono::milliseconds next_look{5};
constexpr std::string_view name_start = "fixkeep-";
constexpr mode_t cgroup_mode = 0755;

// Computes the same text in each run of the worker: FNV-1a, 64 bits.
std::string name_prefix(std::string_view state) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : state) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), hash, 16).ptr;
  return std::string{name_start} + std::string{digits.data(), end} + "-";
}

int make_group(const std::string& path) {
  return ::mkdir(path.c_str(), cgroup_mode) == 0 || errno == EEXIST ? 0 : errno;
}

// Tries to enter the group of the folder. The kernel may refuse this even if it has let us make the
// folder.
int try_to_enter(const std::string& folder) {
  const Cgroup cgroup{{folder}};
  const pid_t child = ::fork();
  if (child == 0) ::_exit(cgroup.enter());
  if (child < 0) return errno;
  const int status = process::reap(child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

bool is_named_by_us(std::string_view folder) {
  const auto slash = folder.rfind('/');
  return folder.starts_with('/') && folder.substr(slash + 1).starts_with(name_start);
}

std::string record_of_places(const std::string& state) {
  return state + "/cgroups";
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file{path};
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (is_named_by_us(line)) lines.push_back(line);
  }
  return lines;
}

// Returns the beginnings of groups' paths (the part before the room's name) that the runs of this
// worker have recorded.
std::vector<std::string> recorded_starts(const std::string& state) {
  return lines_of(record_of_places(state));
}

void tell_left(const Cgroup& cgroup) {
  obs::log_error("processes that a game left do not end",
                 {{"cgroup", cgroup.folders().front()}, {"processes", cgroup.members().size()}});
}

}  // namespace

struct RoomCgroups::Ending {
  Cgroup cgroup;
  Clock::time_point until;
  std::function<void()> done;
  boost::asio::steady_timer timer;
};

RoomCgroups::RoomCgroups(boost::asio::io_context& context, Place place)
    : context_(context),
      places_(std::move(place.own)),
      unified_(places_.unified, std::move(place.keepers)),
      state_(std::move(place.state)),
      prefix_(name_prefix(state_)) {
  places_.unified = unified_.folder();
}

// --- the machine's abilities ---------------------------------------------------------------------

void RoomCgroups::open(const std::vector<RoomLimits>& wanted) {
  refusal_ = "this machine has no cgroups";
  for (auto* const place : {&places_.processes, &places_.memory, &places_.unified}) {
    try_out(*place);
  }
  std::string first;
  for (const auto* const place : {&places_.unified, &places_.memory, &places_.processes}) {
    if (first.empty()) first = *place;
  }
  record_places();
  const auto kinds = kinds_in(wanted);
  std::string missing;
  for (const Kind kind : kinds) {
    if (!can_limit(kind)) missing += (missing.empty() ? "" : ", ") + to_string(kind);
  }
  if (!missing.empty()) {
    obs::log_warning("limits of games do not hold on this machine",
                     {{"limits", missing}, {"reason", refusal_}});
  } else if (first.empty()) {
    obs::log_info("rooms have no control groups of their own", {{"reason", refusal_}});
  } else {
    obs::log_info("each room has a control group of its own", {{"below", first}});
  }
}

void RoomCgroups::try_out(std::string& place) {
  if (place.empty()) return;
  const std::string folder = place + "/" + prefix_ + "try";
  int error = make_group(folder);
  if (error == 0) {
    error = try_to_enter(folder);
    // Removes the folder only after a successful mkdir. On a read-only file system, rmdir never
    // reports that a folder is missing, so the removal would wait for its whole limit.
    (void)Cgroup{{folder}}.end_within(end_limit);
  }
  if (error == 0) return;
  refusal_ = place + ": " + std::strerror(error);
  place.clear();
}

// Records where the rooms' groups are going to be, before the first room starts. The next run thus
// finds the groups even if the keeper and the worker were killed.
void RoomCgroups::record_places() {
  auto starts = recorded_starts(state_);
  const auto before = starts;
  std::erase_if(starts, [](const std::string& start) {
    return ::access(start.substr(0, start.rfind('/')).c_str(), F_OK) != 0;
  });
  for (const auto* const place : {&places_.unified, &places_.memory, &places_.processes}) {
    const auto start = *place + "/" + prefix_;
    const bool known = std::find(starts.begin(), starts.end(), start) != starts.end();
    if (!place->empty() && !known) starts.push_back(start);
  }
  if (starts == before) return;
  std::string text;
  for (const auto& start : starts) text += start + '\n';
  const auto path = record_of_places(state_);
  const auto written = keeper::write_whole(path, text);
  if (written) return;
  complaints_.tell("cannot note the control groups of rooms", path, written.error().message());
}

std::vector<RoomCgroups::Kind> RoomCgroups::kinds_in(const std::vector<RoomLimits>& limits) {
  std::vector<Kind> kinds;
  const auto any = [&](auto has) { return std::any_of(limits.begin(), limits.end(), has); };
  if (any([](const RoomLimits& each) { return each.memory_mib != 0; })) {
    kinds.push_back(Kind::memory);
  }
  if (any([](const RoomLimits& each) { return each.processes != 0; })) {
    kinds.push_back(Kind::processes);
  }
  return kinds;
}

std::string RoomCgroups::to_string(Kind kind) {
  return kind == Kind::memory ? "memory" : "processes";
}

std::string RoomCgroups::controller_of(Kind kind) {
  return kind == Kind::memory ? "memory" : "pids";
}

const std::string& RoomCgroups::version_1(Kind kind) const {
  return kind == Kind::memory ? places_.memory : places_.processes;
}

bool RoomCgroups::can_limit(Kind kind) {
  if (!version_1(kind).empty()) return true;
  if (places_.unified.empty()) return false;
  auto problem = unified_.enable(controller_of(kind));
  const bool good = problem.empty();
  if (!good) refusal_ = std::move(problem);
  return good;
}

// --- rooms ---------------------------------------------------------------------------------------

std::vector<std::string> RoomCgroups::folders_for(const Launch& launch) {
  std::vector<std::string> folders;
  const auto add = [&](const std::string& place) {
    const auto folder = place + "/" + prefix_ + launch.name;
    if (std::find(folders.begin(), folders.end(), folder) == folders.end()) {
      folders.push_back(folder);
    }
  };
  if (!places_.unified.empty()) add(places_.unified);
  for (const Kind kind : kinds_in({launch.game.limits})) {
    if (can_limit(kind) && !version_1(kind).empty()) add(version_1(kind));
  }
  for (const Kind kind : {Kind::processes, Kind::memory}) {
    if (folders.empty() && !version_1(kind).empty()) add(version_1(kind));
  }
  return folders;
}

void RoomCgroups::restore(const RoomFiles& files, const Launch& launch) {
  const Cgroup cgroup = recorded_cgroup(files);
  if (!cgroup.exists()) return;
  for (const Kind kind : kinds_in({launch.game.limits})) (void)can_limit(kind);
  const auto problem = set_limits(cgroup, launch.game.limits, true);
  if (!problem.empty()) complaints_.tell("limits of a game do not hold", launch.name, problem);
}

void RoomCgroups::end(const RoomFiles& files, std::function<void()> done) {
  Cgroup cgroup = recorded_cgroup(files);
  if (cgroup.remove()) return done();
  cgroup.kill_all();
  look_again(std::make_shared<Ending>(Ending{.cgroup = std::move(cgroup),
                                             .until = Clock::now() + end_limit,
                                             .done = std::move(done),
                                             .timer = boost::asio::steady_timer{context_}}));
}

void RoomCgroups::look_again(const std::shared_ptr<Ending>& ending) {
  ending->timer.expires_after(next_look);
  ending->timer.async_wait(
      [this, known = std::weak_ptr{lives_}, ending](boost::system::error_code error) {
        if (error || known.expired()) return;
        const bool gone = ending->cgroup.remove();
        if (!gone && Clock::now() < ending->until) {
          ending->cgroup.kill_all();
          return look_again(ending);
        }
        if (!gone) tell_left(ending->cgroup);
        ending->done();
      });
}

void RoomCgroups::complain(const keeper::Packet& complaint) {
  const auto texts = texts_of(complaint);
  if (texts && texts->size() == 3) complaints_.tell(texts->at(0), texts->at(1), texts->at(2));
}

Cgroup recorded_cgroup(const RoomFiles& files) {
  auto folders = lines_of(files.cgroups());  // written by an older worker
  const std::filesystem::path folder{files.folder};
  for (const auto& start : recorded_starts(folder.parent_path().parent_path().string())) {
    const auto made = start + folder.filename().string();
    if (::access(made.c_str(), F_OK) == 0) folders.push_back(made);
  }
  return Cgroup{std::move(folders)};
}

void end_recorded_cgroup(const RoomFiles& files) {
  const Cgroup cgroup = recorded_cgroup(files);
  if (!cgroup.end_within(RoomCgroups::end_limit)) tell_left(cgroup);
}

}  // namespace fixkeep::worker
