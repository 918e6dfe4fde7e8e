#include "worker/keeper/commands.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "worker/keeper/child.hpp"
#include "worker/keeper/texts.hpp"

namespace fixkeep::worker::keeper {
namespace {

constexpr std::size_t most_text = packet_bytes / 2;

Packet answer(std::int32_t which, std::int32_t status, std::string text) {
  return {.word = Word::ran, .number = which, .detail = status, .text = std::move(text)};
}

Packet refusal(std::int32_t which, RunFailure failure, const char* reason) {
  return answer(which, static_cast<std::int32_t>(failure), reason);
}

}  // namespace

Commands::~Commands() {
  for (const Command& command : commands_) ::close(command.output);
}

std::optional<Packet> Commands::start(const Packet& run, Clock::time_point now) {
  if (commands_.size() >= most_commands) {
    return refusal(run.number, RunFailure::too_many, "too many commands at a time");
  }
  auto texts = texts_of(run);
  if (!texts || texts->size() < 2) {
    return refusal(run.number, RunFailure::not_started, "no command");
  }
  const std::string program = std::move(texts->front());
  const std::vector<std::string> arguments(texts->begin() + 1, texts->end());
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return refusal(run.number, RunFailure::not_started, ::strerrordesc_np(errno));
  }
  const Started child = start_child(plan_, program, arguments, ends[1]);
  ::close(ends[1]);
  if (child.pid == 0) {
    ::close(ends[0]);
    return refusal(run.number, RunFailure::not_started, ::strerrordesc_np(child.error));
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  commands_.push_back({.which = run.number,
                       .pid = child.pid,
                       .output = ends[0],
                       .until = now + std::chrono::milliseconds{run.detail}});
  return std::nullopt;
}

std::optional<Packet> Commands::ended(pid_t process, int status) {
  const auto found = std::find_if(commands_.begin(), commands_.end(),
                                  [&](const Command& each) { return each.pid == process; });
  if (found == commands_.end()) return std::nullopt;
  read_some(*found);
  ::close(found->output);
  if (found->slow) status = static_cast<int>(RunFailure::too_slow);
  Packet packet = answer(found->which, status, std::move(found->text));
  commands_.erase(found);
  return packet;
}

bool Commands::contains(pid_t process) const {
  return std::any_of(commands_.begin(), commands_.end(),
                     [&](const Command& each) { return each.pid == process; });
}

Commands::Clock::time_point Commands::next_tick() const {
  auto next = Clock::time_point::max();
  for (const Command& command : commands_) {
    if (!command.slow) next = std::min(next, command.until);
  }
  return next;
}

void Commands::kill_slow(Clock::time_point now) {
  for (Command& command : commands_) {
    if (command.slow || command.until > now) continue;
    command.slow = true;
    ::kill(-command.pid, SIGKILL);  // each command has its own process group
  }
}

std::vector<int> Commands::descriptors() const {
  std::vector<int> result;
  for (const Command& command : commands_) {
    if (!command.at_end) result.push_back(command.output);
  }
  return result;
}

void Commands::read(int descriptor) {
  for (Command& command : commands_) {
    if (command.output == descriptor) read_some(command);
  }
}

// Drops output beyond the bound, so that the command never waits for the keeper.
void Commands::read_some(Command& command) {
  std::array<char, most_text> buffer{};
  for (;;) {
    const ssize_t count = ::read(command.output, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) command.at_end = true;
    if (count <= 0) return;
    const auto left = most_text - std::min(most_text, command.text.size());
    command.text.append(buffer.data(), std::min(left, static_cast<std::size_t>(count)));
  }
}

}  // namespace fixkeep::worker::keeper
