#include "worker/keeper/keeper.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "worker/keeper/passing.hpp"
#include "worker/keeper/place.hpp"
#include "worker/keeper/texts.hpp"

namespace fixkeep::worker::keeper {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kill_again{20};  // repeated, because processes may fork during a kill
// Time limit for the removal of control groups: for a moment, dead processes can occupy their
// folders.
constexpr milliseconds removal_limit{100};

std::vector<pid_t> children() {
  std::vector<pid_t> result;
  const std::string path = "/proc/self/task/" + std::to_string(::getpid()) + "/children";
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t count = 0; (count = ::read(file, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  if (file >= 0) ::close(file);
  for (char* next = text.data(); *next != '\0' && *next != '\n';) {
    char* end = nullptr;
    const long pid = std::strtol(next, &end, 10);
    if (end == next) break;
    result.push_back(static_cast<pid_t>(pid));
    next = end + static_cast<int>(*end == ' ');
  }
  return result;
}

}  // namespace

Keeper::Keeper(Plan plan, Descriptors descriptors)
    : plan_(std::move(plan)),
      output_(plan_.output, plan_.output_bytes),
      commands_(plan_),
      beside_(plan_.beside, plan_.beside_port),
      seen_([this](std::string_view bytes) { tell_output(bytes); }),
      worker_(descriptors.worker),
      note_(descriptors.note),
      listeners_(std::move(descriptors.listeners)),
      alone_until_(Clock::now() + plan_.alone) {}

Keeper::~Keeper() {
  if (worker_ >= 0) ::close(worker_);
  if (signals_ >= 0) ::close(signals_);
  if (control_ >= 0) ::close(control_);
  if (note_ >= 0) ::close(note_);
  for (const int listener : listeners_) ::close(listener);
}

bool Keeper::run() {
  sigset_t watched;
  sigfillset(&watched);
  ::sigprocmask(SIG_BLOCK, &watched, nullptr);
  sigemptyset(&watched);
  for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT}) sigaddset(&watched, number);
  signals_ = ::signalfd(-1, &watched, SFD_NONBLOCK | SFD_CLOEXEC);
  if (signals_ < 0 || ::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return false;
  if (!introduce()) return false;
  follows_ = plan_.follow;
  if (!take_place()) return false;
  if (!ending_) start_game();
  if (ending_) reap();
  while (!finished_) wait();
  return true;
}

// Makes the room's place. If the worker is gone, removes the place again and returns false.
bool Keeper::take_place() {
  auto problem = make_place(plan_);
  if (problem.empty()) {
    const auto control = listen_in(plan_.place);
    if (control) control_ = *control;
    if (!control) problem = "cannot listen in " + plan_.place + ": " + control.error().message();
  }
  if (!problem.empty()) {
    refuse({0, Cause::no_place, 0}, std::move(problem));
    return true;
  }
  if (!send({.word = Word::placed})) {
    remove_place(plan_.place);
    return false;
  }
  make_cgroup(plan_,
              [this](const std::string& what, const std::string& which, const std::string& why) {
                if (const auto told = packet_of(Word::complaint, {what, which, why})) send(*told);
              });
  cgroup_ = Cgroup{plan_.cgroup};
  return true;
}

void Keeper::start_game() {
  if (const int error = beside_.listen(); error != 0) {
    return refuse(
        {0, Cause::no_place, 0},
        "cannot listen on port " + std::to_string(beside_.port()) + ": " + std::strerror(error));
  }
  const int output = output_.open(plan_.game.terminal);
  const Started game = output < 0 ? Started{0, Cause::no_program, errno}
                                  : start_child(plan_, plan_.program, plan_.game.command, output);
  if (output >= 0) ::close(output);
  game_ = game.pid;
  if (game_ != 0) {
    send({.word = Word::started, .detail = game_});
    beside_.start(Clock::now());
    return;
  }
  refuse(game);
}

void Keeper::refuse(const Started& failed, std::string problem) {
  last_.number = static_cast<std::int32_t>(failed.failure);
  last_.detail = failed.error;
  problem_ = std::move(problem);
  end();
}

// --- waiting -------------------------------------------------------------------------------------

void Keeper::wait() {
  std::vector<pollfd> sources{{signals_, POLLIN, 0}};
  const auto add = [&](int descriptor) {
    if (descriptor >= 0) sources.push_back({descriptor, POLLIN, 0});
  };
  add(control_);
  add(worker_);
  add(output_.descriptor());
  for (const int descriptor : commands_.descriptors()) add(descriptor);
  const auto next = next_tick();
  int timeout = -1;
  if (next != Clock::time_point::max()) {
    const auto left = std::chrono::ceil<milliseconds>(next - Clock::now()).count();
    timeout = static_cast<int>(std::clamp<milliseconds::rep>(left, 0, 60'000));
  }
  if (::poll(sources.data(), sources.size(), timeout) < 0) return;  // EINTR
  const int worker = worker_;
  for (const pollfd& source : sources) {
    if (source.revents == 0) continue;
    if (source.fd == signals_) {
      take_signals();
    } else if (source.fd == control_) {
      accept();
    } else if (source.fd == worker) {
      if (worker_ == worker) hear();
    } else if (source.fd == output_.descriptor()) {
      output_.read(seen_);
    } else {
      commands_.read(source.fd);
    }
  }
  time_passed();
}

Keeper::Clock::time_point Keeper::next_tick() const {
  if (ending_) return Clock::now() + kill_again;
  auto next = std::min(commands_.next_tick(), beside_.next_tick());
  if (worker_ < 0) next = std::min(next, alone_until_);
  return next;
}

void Keeper::time_passed() {
  if (const int error = output_.take_error(); error != 0) {
    send({.word = Word::trouble, .number = error, .text = plan_.output});
  }
  const auto now = Clock::now();
  commands_.kill_slow(now);
  if (ending_) {
    kill_all();
    reap();
    return;
  }
  beside_.tick(now);
  if (worker_ < 0 && now >= alone_until_) {
    if (plan_.alone > milliseconds{0} && !asked_to_end_) {
      ask_to_end(SIGTERM);
      alone_until_ = now + plan_.grace;
    } else {
      end();
    }
  }
}

// --- the worker ----------------------------------------------------------------------------------

void Keeper::accept() {
  const int connection = ::accept4(control_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (connection < 0) return;
  if (worker_ >= 0) ::close(worker_);  // replaced by a newer worker
  worker_ = connection;
  follows_ = false;
}

void Keeper::hear() {
  std::array<char, packet_bytes> buffer{};
  const ssize_t count = ::recv(worker_, buffer.data(), buffer.size(), 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return lost_worker();
  const std::string_view bytes{buffer.data(), static_cast<std::size_t>(count)};
  if (const auto packet = to_packet(bytes)) obey(*packet);
}

void Keeper::obey(const Packet& packet) {
  switch (packet.word) {
    case Word::hello: return answer_greeting();
    case Word::signal: return ask_to_end(packet.number);
    case Word::end: return end();
    case Word::follow: follows_ = packet.number != 0; return;
    case Word::run_1:
    case Word::run: return run_command(packet);
    case Word::state:
    case Word::wrote:
    case Word::ran:
    case Word::trouble:
    case Word::started:
    case Word::placed:
    case Word::complaint_1:
    case Word::complaint:
    case Word::ended: return;  // sent only by the keeper
  }
}

void Keeper::run_command(const Packet& packet) {
  if (ending_) return;
  asked_to_end_ = asked_to_end_ || packet.extra != 0;
  if (const auto refused = commands_.start(packet, Clock::now())) send(*refused);
}

// Sends the worker a descriptor of this process. Returns false if the worker is gone.
bool Keeper::introduce() {
  const auto self = static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0U));
  if (self < 0) return false;
  const bool heard = show_state({self});
  ::close(self);
  return heard;
}

void Keeper::answer_greeting() const {
  std::vector<int> held = listeners_;
  if (note_ >= 0) held.push_back(note_);
  (void)show_state(held, note_ >= 0 ? last_is_note : std::string_view{});
}

bool Keeper::show_state(const std::vector<int>& descriptors, std::string_view last) const {
  const Packet state{Word::state, version, game_, ::getpid(), std::string{last}};
  return send_with(worker_, to_bytes(state), descriptors) >= 0;
}

// Sends without waiting. A slow worker loses the packets that do not fit into the socket's buffer.
bool Keeper::send(const Packet& packet) const {
  if (worker_ < 0) return false;
  const std::string bytes = to_bytes(packet);
  return ::send(worker_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

void Keeper::tell_output(std::string_view bytes) {
  constexpr std::size_t piece = packet_bytes / 2;
  for (; follows_ && !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    send({.word = Word::wrote, .text = std::string{bytes.substr(0, piece)}});
  }
}

void Keeper::lost_worker() {
  ::close(std::exchange(worker_, -1));
  alone_until_ = Clock::now() + plan_.alone;
}

// --- processes -----------------------------------------------------------------------------------

void Keeper::take_signals() {
  signalfd_siginfo signal{};
  while (::read(signals_, &signal, sizeof signal) == sizeof signal) {
    const auto number = static_cast<int>(signal.ssi_signo);
    if (number != SIGCHLD) ask_to_end(number);  // the signal is meant for the whole room
  }
  reap();
}

void Keeper::reap() {
  for (;;) {
    int status = 0;
    const pid_t process = ::waitpid(-1, &status, WNOHANG);
    if (process > 0) {
      reaped(process, status);
    } else {
      if (process < 0 && errno == ECHILD && ending_ && cgroup_.members().empty()) finish();
      return;
    }
  }
}

void Keeper::reaped(pid_t process, int status) {
  if (const auto answer = commands_.ended(process, status)) {
    send(*answer);
    return;
  }
  if (beside_.ended(process, Clock::now())) {
    if (!ending_) tell_end_beside(status);
    return;
  }
  if (process == game_) {
    game_ = 0;
    last_.detail = status;
    game_left(status);
  } else if (left_ && !ending_) {
    // The game now consists of the processes that its program left behind. The status of the
    // process that ends last is the game's status.
    last_.detail = status;
    if (others().empty()) end();
  }
}

void Keeper::tell_end_beside(int status) const {
  const std::string how = WIFEXITED(status) ? "exit code " + std::to_string(WEXITSTATUS(status))
                                            : "signal " + std::to_string(WTERMSIG(status));
  const auto told =
      packet_of(Word::complaint, {"a program beside a game has ended", beside_.program(), how});
  if (told) send(*told);
}

// Returns the room's running processes, except commands, their processes and Plan::beside.
std::vector<pid_t> Keeper::others() const {
  auto found = cgroup_.members();
  const auto below = children();
  found.insert(found.end(), below.begin(), below.end());
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::erase_if(found, [this](pid_t process) {
    const pid_t session = ::getsid(process);
    // Gone, part of a command, or no part of the game.
    return session < 0 || beside_.is(session) || commands_.contains(session);
  });
  return found;
}

void Keeper::game_left(int status) {
  const auto left = others();
  if (plan_.game.daemon && WIFEXITED(status) && WEXITSTATUS(status) == 0 && !left.empty()) {
    left_ = true;
    return;
  }
  if (!ending_) last_.extra = static_cast<std::int32_t>(left.size());
  end();
}

void Keeper::ask_to_end(int number) {
  asked_to_end_ = true;
  if (game_ != 0) {
    ::kill(-game_, number);
  } else if (left_) {
    for (const pid_t child : children()) {
      if (!beside_.is(child)) ::kill(child, number);
    }
  }
}

void Keeper::end() {
  ending_ = true;
  kill_all();
}

// Sends SIGKILL to the processes that are known now. The children of a killed process become
// children of the keeper, and a later call kills them.
void Keeper::kill_all() const {
  cgroup_.kill_all();
  if (game_ != 0) ::kill(-game_, SIGKILL);
  for (const pid_t child : children()) ::kill(child, SIGKILL);
}

bool Keeper::keeps_folder() const {
  const KeepFolder keep = plan_.game.keep_folder;
  if (keep != KeepFolder::if_failed) return keep == KeepFolder::always;
  const bool ended_well = last_.number == static_cast<std::int32_t>(Cause::ended) &&
                          WIFEXITED(last_.detail) && WEXITSTATUS(last_.detail) == 0;
  return !asked_to_end_ && !ended_well;
}

void Keeper::finish() {
  if (std::exchange(finished_, true)) return;
  output_.drain(seen_);
  last_.text = problem_.empty() ? output_.last_lines() : problem_;
  const bool keeps = keeps_folder();
  tell_limit();
  if (!plan_.record.empty()) write_record(plan_.record, to_bytes(last_));
  if (!plan_.own_folder.empty() && !keeps) remove_own_folder(plan_);
  // The worker removes the rest.
  (void)cgroup_.end_within(removal_limit);
  send(last_);
}

void Keeper::tell_limit() {
  if (last_.number != static_cast<std::int32_t>(Cause::ended)) return;
  switch (cgroup_.reached()) {
    case Cgroup::Reached::none: return;
    case Cgroup::Reached::memory:
      last_.number = static_cast<std::int32_t>(Cause::at_memory_limit);
      return;
    case Cgroup::Reached::processes:
      last_.number = static_cast<std::int32_t>(Cause::at_process_limit);
      return;
  }
}

}  // namespace fixkeep::worker::keeper
