#include "lab/own_lock/node_process.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "common/process/proc.hpp"

namespace fixkeep::own_lock {

using process::Descriptor;
using std::chrono::milliseconds;

std::variant<std::unique_ptr<NodeProcess>, std::string> NodeProcess::start(
    const std::vector<std::string>& command, const std::filesystem::path& log) {
  std::array<int, 2> in{-1, -1};
  std::array<int, 2> out{-1, -1};
  const bool in_made = ::pipe2(in.data(), O_CLOEXEC) == 0;
  const Descriptor theirs_in{in[0]};
  Descriptor ours_in{in[1]};
  const bool out_made = ::pipe2(out.data(), O_CLOEXEC) == 0;
  Descriptor ours_out{out[0]};
  const Descriptor theirs_out{out[1]};
  if (!in_made || !out_made) return std::string{"there are no pipes left"};
  for (const int end : {ours_in.get(), ours_out.get()}) ::fcntl(end, F_SETFL, O_NONBLOCK);
  auto started = process::ChildProcess::start(
      command, log, {.input = theirs_in.get(), .output = theirs_out.get()});
  if (!started) return command.front() + " cannot be started: " + started.error().message();
  std::unique_ptr<NodeProcess> node{new NodeProcess{std::move(ours_in), std::move(ours_out)}};
  node->process_ = std::move(*started);
  return node;
}

bool NodeProcess::say(std::string_view line) {
  unsent_ += line;
  unsent_ += '\n';
  write();
  return unsent_.size() <= most_unread;
}

void NodeProcess::write() {
  while (!unsent_.empty()) {
    const auto sent = ::write(input_.get(), unsent_.data(), unsent_.size());
    if (sent <= 0) return;
    unsent_.erase(0, static_cast<std::size_t>(sent));
  }
}

bool NodeProcess::read(const std::function<void(std::string_view)>& on_line) {
  std::array<char, 65'536> chunk{};
  for (;;) {
    const auto bytes = ::read(output_.get(), chunk.data(), chunk.size());
    if (bytes < 0) return true;  // no more output now
    if (bytes == 0) return false;
    std::string_view rest{chunk.data(), static_cast<std::size_t>(bytes)};
    for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      partial_ += rest.substr(0, end);
      on_line(partial_);
      partial_.clear();
      rest.remove_prefix(end + 1);
    }
    partial_ += rest.substr(0, most_line - std::min(most_line, partial_.size()));
  }
}

void NodeProcess::signal_all(int number) {
  if (!process_.running()) return;
  for (const pid_t child : process::descendants_of(process_.pid())) ::kill(child, number);
  process_.signal(number);
}

void NodeProcess::kill() {
  signal_all(SIGKILL);
  process_.wait(milliseconds{5000});
}

std::string NodeProcess::how_it_ended() {
  process_.wait(milliseconds{500});
  return process_.running() ? "it closed its standard output" : process_.how_it_ended();
}

}  // namespace fixkeep::own_lock
