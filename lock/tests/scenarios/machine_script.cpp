#include "lock/tests/scenarios/machine_script.hpp"

#include <chrono>
#include <cstdint>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

#include "lock/core/any_machine.hpp"
#include "lock/tests/scenarios/scenario_error.hpp"

namespace fixkeep::scenarios {
namespace {

using std::chrono::milliseconds;

MasterId peer_in(std::istream& words) {
  std::uint16_t number = 0;
  require(static_cast<bool>(words >> number), "a master is missing");
  return MasterId{number};
}

std::uint64_t number_in(std::istream& words) {
  std::uint64_t number = 0;
  require(static_cast<bool>(words >> number), "a number is missing");
  return number;
}

void apply_option(const std::string& option, lock::MeshView& mesh) {
  std::istringstream words{option};
  std::string what;
  words >> what;
  if (what == "master") {
    mesh.self = peer_in(words);
    words >> what;
    const auto masters = static_cast<std::uint16_t>(number_in(words));
    for (std::uint16_t other = 1; other <= masters; ++other) {
      if (MasterId{other} != mesh.self) mesh.configured.emplace_back(other);
    }
    mesh.connected = mesh.up = mesh.configured;
    mesh.met = mesh.joined = true;
  } else if (what == "majority") {
    mesh.quorum = lock::Quorum::majority;
  } else if (what == "rounds") {
    mesh.used_rounds = number_in(words);
  } else if (what == "alone") {
    mesh.connected = mesh.up = {};
    mesh.met = mesh.joined = false;
  } else if (what == "away") {
    std::erase(mesh.connected, peer_in(words));
    mesh.up = mesh.connected;
  } else if (what == "lost") {
    mesh.since_loss = milliseconds{number_in(words)};
  } else {
    throw ScenarioError("no such option: " + what);
  }
}

lock::MeshView mesh_of(const std::string& line) {
  lock::MeshView mesh;
  std::istringstream options{line.substr(line.find(':') + 1)};
  for (std::string option; std::getline(options, option, ',');) apply_option(option, mesh);
  require(mesh.self != MasterId{}, "`master A of N` is missing");
  return mesh;
}

class Player {
 public:
  Player(std::string_view strategy, const lock::MeshView& mesh)
      : machine_(lock::make_machine(strategy, mesh)), seen_{machine_} {}

  std::string play(const std::string& line) {
    std::istringstream words{line};
    std::string what;
    words >> what;
    if (what == "after") {
      now_ += milliseconds{number_in(words)};
      return {};
    }
    if (what == "hello") {
      const auto hello = std::visit([](auto& seen) { return seen.hello(); }, machine_);
      return hello ? text_of(*hello) : "nothing";
    }
    const auto before = status();
    lock::LockActions actions;
    const auto event = event_of(what, words);
    std::visit([&](auto& machine) { machine.step(event, now_, actions); }, machine_);
    std::string text;
    for (const auto& action : actions) text += (text.empty() ? "" : ", ") + text_of(action);
    if (const auto after = status(); after != before) {
      text += (text.empty() ? "[" : " [") + after + "]";
    }
    const bool changed = remember();
    return !text.empty() ? text : changed ? "noted" : "ignored";
  }

 private:
  lock::LockEvent event_of(const std::string& what, std::istream& words) const {
    if (what == "acquire") return lock::Acquire{};
    if (what == "abandon") return lock::Abandon{};
    if (what == "tick") return lock::Tick{};
    if (what == "grace") return lock::JoinGraceLapsed{};
    if (what == "connected") return lock::PeerConnected{peer_in(words)};
    if (what == "down") return lock::PeerDown{peer_in(words)};
    if (what == "release") {
      lock::Release release{std::visit([](auto& seen) { return seen.highest(); }, machine_), {}};
      for (std::string word; words >> word;) {
        if (word == "token") {
          release.token.counter = number_in(words);
        } else if (word == "fenced") {
          release.value.fence = release.token;
        } else {
          release.value.bytes = word;
        }
      }
      release.value.stamp = release.token;
      return release;
    }
    if (what == "up") {
      lock::PeerUp up{peer_in(words), {}};
      if (std::string hello; words >> hello) up.hello = message_of(hello);
      return up;
    }
    if (what == "list") {
      lock::MastersListed listed;
      for (std::uint16_t number = 0; words >> number;) listed.configured.emplace_back(number);
      return listed;
    }
    lock::Receive receive{{}, message_of(what)};
    std::string word;
    require(words >> word && word == "of", "no such event: " + what);
    receive.from = peer_in(words);
    while (words >> word) {
      require(apply(word, receive, words), "what does `" + word + "` mean?");
    }
    return receive;
  }

  static bool apply(const std::string& word, lock::Receive& receive, std::istream& words) {
    auto& message = receive.message;
    if (word == "token") {
      message.token = {number_in(words), receive.from};
    } else if (word == "value") {
      message.value.stamp = message.token;
      words >> message.value.bytes;
    } else if (word == "waits" || word == "served") {
      const auto asker = peer_in(words);
      message.turns.push_back({asker, number_in(words), word == "waits"});
    } else {
      return false;
    }
    return true;
  }

  lock::LockMessage message_of(const std::string& text) const {
    const auto open = text.find('(');
    require(open != std::string::npos && text.back() == ')', "no such event: " + text);
    const auto kind = text.substr(0, open);
    lock::LockMessage message;
    message.round = std::stoull(text.substr(open + 1));
    if (const auto at = text.find('@'); at != std::string::npos) {
      const auto dot = text.find('.', at);
      require(dot != std::string::npos, "an epoch is COUNTER.MASTER: " + text);
      message.epoch = {std::stoull(text.substr(at + 1)),
                       MasterId{static_cast<std::uint16_t>(std::stoul(text.substr(dot + 1)))}};
      message.token = message.epoch;
    }
    for (unsigned number = 0; number < 256; ++number) {
      message.kind = static_cast<std::uint8_t>(number);
      if (name_of(message.kind) == kind || std::to_string(number) == kind) return message;
    }
    throw ScenarioError("no such message: " + kind);
  }

  [[nodiscard]] std::string name_of(std::uint8_t kind) const {
    return std::string{std::visit([kind](auto& seen) { return seen.kind_name(kind); }, machine_)};
  }
  [[nodiscard]] std::string status() const {
    return std::visit(
        [](auto& seen) {
          return std::string{seen.state()} + (seen.forgettable() ? ", forgettable" : "");
        },
        machine_);
  }

  [[nodiscard]] std::string text_of(const lock::LockMessage& message) const {
    auto text = name_of(message.kind) + "(" + std::to_string(message.round);
    if (const auto& epoch = message.epoch; epoch != FencingToken{}) {
      text += "@" + std::to_string(epoch.counter) + "." + std::to_string(epoch.master.number());
    }
    return text + ")";
  }
  [[nodiscard]] std::string text_of(const lock::LockAction& action) const {
    if (const auto* send = std::get_if<lock::Send>(&action)) {
      const bool uncertain = send->message.value.uncertain;
      return text_of(send->message) + ">" + std::to_string(send->to.number()) +
             (uncertain ? " uncertain" : "");
    }
    if (const auto* granted = std::get_if<lock::Granted>(&action)) {
      return "granted " + std::to_string(granted->token.counter) +
             (granted->value.bytes.empty() ? "" : " value " + granted->value.bytes) +
             (granted->needs_fence ? " fence" : "");
    }
    if (const auto* timer = std::get_if<lock::SetTimer>(&action)) {
      if (timer->at == TimePoint::max()) return "no timer";
      const std::chrono::duration<double, std::milli> time = timer->at - now_;
      std::ostringstream text;
      text << "timer in " << time.count() << " ms";
      return text.str();
    }
    const auto* lost = std::get_if<lock::Lost>(&action);
    if (lost == nullptr) return "?";
    return lost->reason == lock::LostReason::lease_timeout ? "lost the lease" : "lost";
  }

  static std::string bytes_of(const lock::AnyMachine& machine) {
    std::string bytes;
    std::visit([&](const auto& seen) { seen.append_bytes(bytes); }, machine);
    return bytes;
  }
  // Whether it is another one than before.
  bool remember() {
    for (const auto& earlier : seen_) {
      const bool equal = earlier == machine_;
      require(equal == (bytes_of(earlier) == bytes_of(machine_)), "its bytes are not what it is");
    }
    seen_.push_back(machine_);
    return *std::prev(seen_.end(), 2) != machine_;
  }

  lock::AnyMachine machine_;
  std::vector<lock::AnyMachine> seen_;
  TimePoint now_{std::chrono::seconds{100}};
};

}  // namespace

std::vector<MachineScript> split_scripts(std::string_view text) {
  std::vector<MachineScript> scripts(1);
  std::istringstream lines{std::string{text}};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("case ")) { scripts.push_back({line.substr(5, line.find(':') - 5), {}}); }
    scripts.back().lines.push_back(line);
  }
  return scripts;
}

std::vector<std::string> play(std::string_view strategy, const std::vector<std::string>& lines) {
  std::vector<std::string> played;
  std::optional<Player> player;
  for (const auto& line : lines) {
    const auto first = line.find_first_not_of(' ');
    if (first == std::string::npos || line[first] == '#') {
      played.push_back(line);
      continue;
    }
    try {
      if (!player) {
        player.emplace(strategy, mesh_of(line));
        played.push_back(line);
        continue;
      }
      auto event = line.substr(0, line.find("=>"));
      event.erase(event.find_last_not_of(' ') + 1);
      const auto done = player->play(event);
      played.push_back(done.empty() ? event : event + " => " + done);
    } catch (const std::exception& error) {
      throw ScenarioError("`" + line + "`: " + error.what());
    }
  }
  return played;
}

}  // namespace fixkeep::scenarios
