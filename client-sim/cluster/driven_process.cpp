#include "client-sim/cluster/driven_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "client-sim/cluster/cluster.hpp"

namespace fixkeep::client_sim {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

}  // namespace

std::variant<std::unique_ptr<DrivenProcess>, std::string> DrivenProcess::start(
    std::string name, const std::string& program, const std::vector<std::string>& arguments,
    const std::filesystem::path& log) {
  const auto path = program_folder() / program;
  if (::access(path.c_str(), X_OK) != 0) return path.string() + " is not there";
  std::vector<std::string> line{path.string()};
  line.insert(line.end(), arguments.begin(), arguments.end());
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  if (::pipe2(in.data(), O_CLOEXEC) != 0) return std::string{"there are no pipes left"};
  if (::pipe2(out.data(), O_CLOEXEC) != 0) {
    for (const int end : in) ::close(end);
    return std::string{"there are no pipes left"};
  }
  std::unique_ptr<DrivenProcess> node{new DrivenProcess{std::move(name), in[1], out[0]}};
  auto process = process::ChildProcess::start(line, log, {.input = in[0], .output = out[1]});
  ::close(in[0]);
  ::close(out[1]);
  if (!process) return "cannot start " + program + ": " + process.error().message();
  node->process_ = std::move(*process);
  return node;
}

DrivenProcess::~DrivenProcess() {
  close_input();
  ::close(from_);
}

void DrivenProcess::close_input() {
  if (to_ >= 0) ::close(std::exchange(to_, -1));
}

bool DrivenProcess::say(const nlohmann::json& command) {
  const auto text = command.dump() + "\n";
  // One write is enough, because a command is smaller than the buffer of a pipe.
  return to_ >= 0 && ::write(to_, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// Waits until output is available and reads it. Returns the failure, if any.
std::string DrivenProcess::fill(milliseconds limit) {
  pollfd wanted{.fd = from_, .events = POLLIN, .revents = 0};
  const int ready = ::poll(&wanted, 1, static_cast<int>(limit.count()));
  if (ready == 0) return name_ + " does not answer";
  if (ready < 0) return errno == EINTR ? "" : name_ + " cannot be read";
  std::array<char, 65'536> chunk{};
  const auto bytes = ::read(from_, chunk.data(), chunk.size());
  if (bytes <= 0) {
    process_.wait(milliseconds{500});
    return name_ + " has ended: " + process_.how_it_ended();
  }
  partial_.append(chunk.data(), static_cast<std::size_t>(bytes));
  for (auto end = partial_.find('\n'); end != std::string::npos; end = partial_.find('\n')) {
    lines_.push_back(partial_.substr(0, end));
    partial_.erase(0, end + 1);
  }
  return {};
}

DrivenReply DrivenProcess::next(milliseconds limit) {
  const auto end = steady_clock::now() + limit;
  while (lines_.empty()) {
    const auto left = std::chrono::ceil<milliseconds>(end - steady_clock::now());
    auto failure = fill(std::max(left, milliseconds{0}));
    if (!failure.empty()) return {{}, std::move(failure)};
  }
  auto line = nlohmann::json::parse(lines_.front(), nullptr, /*allow_exceptions=*/false);
  lines_.pop_front();
  if (!line.is_object()) return {{}, name_ + " printed something that is no JSON object"};
  return {std::move(line), {}};
}

DrivenReply DrivenProcess::wait_for(const char* field, const std::string& value,
                                    milliseconds limit) {
  const auto end = steady_clock::now() + limit;
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(end - steady_clock::now());
    auto reply = next(std::max(left, milliseconds{0}));
    if (!reply) {
      reply.failure += " (waiting for " + value + ")";
      return reply;
    }
    if (reply.line.value(field, "") == value) return reply;
    const bool lost = reply.line.value("event", "") == "lost";
    if (lost || reply.line.contains("error")) return {{}, name_ + ": " + reply.line.dump()};
  }
}

DrivenReply DrivenProcess::answer(const std::string& to, milliseconds limit) {
  return wait_for("answer", to, limit);
}

DrivenReply DrivenProcess::event(const std::string& what, milliseconds limit) {
  return wait_for("event", what, limit);
}

DrivenReply DrivenProcess::ask(const nlohmann::json& command, milliseconds limit) {
  if (!say(command)) return {{}, name_ + " has ended"};
  return answer(command.at("do").get<std::string>(), limit);
}

bool DrivenProcess::quit(milliseconds limit) {
  close_input();
  if (process_.wait(limit)) return true;
  process_.signal(SIGKILL);
  process_.wait(limit);
  return false;
}

}  // namespace fixkeep::client_sim
