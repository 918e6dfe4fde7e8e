#include "worker/shell/room_prober.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "worker/shell/game_probes.hpp"

namespace fixkeep::worker {
namespace {

probe::ProbePlan filled(probe::ProbePlan plan, const Values& values) {
  visit_commands(plan, [&](std::vector<std::string>& command) {
    for (auto& word : command) word = fill_in(word, values);
  });
  return plan;
}

probe::RunCommand run_on(const std::shared_ptr<GameRunner>& runner, RoomNumber room) {
  return
      [known = std::weak_ptr{runner}, room](const std::vector<std::string>& command, Duration limit,
                                            std::function<void(probe::CommandEnd)> done) {
        const auto alive = known.lock();
        if (alive == nullptr || alive->traits().shell == nullptr) return;
        alive->traits().shell->run(
            room, command, std::chrono::ceil<std::chrono::milliseconds>(limit),
            [done = std::move(done)](const RoomShell::CommandEnd& end) {
              done({.exit_code = end.exit_code, .how = end.problem, .output = end.text});
            });
      };
}

// An empty function means that the owners of sockets are unknown.
std::function<probe::Processes()> processes_on(const std::shared_ptr<GameRunner>& runner,
                                               RoomNumber room) {
  if (runner->traits().processes == nullptr) return {};
  return [known = std::weak_ptr{runner}, room] {
    const auto alive = known.lock();
    return alive == nullptr ? probe::Processes{} : alive->traits().processes->of(room);
  };
}

}  // namespace

probe::Ports ports_of(const GameDescription& game, const wire::RoomPlace& place) {
  probe::Ports ports;
  for (const std::string& name : game.ports) ports[name] = 0;
  for (const wire::NamedPort& port : place.ports) ports[port.name] = port.number;
  ports[main_port] = place.port();
  return ports;
}

RoomProber::RoomProber(boost::asio::io_context& context, const std::shared_ptr<GameRunner>& runner,
                       const GameDescription& game, const Room& room,
                       probe::ProberHandlers handlers)
    : prober_(context,
              {.room = room.values.at("room"),
               .plan = filled(game.probes, room.values),
               .ports = room.ports,
               .address = room.address,
               .processes = processes_on(runner, room.number),
               .run = run_on(runner, room.number)},
              std::move(handlers)) {}

void RoomProber::started() {
  prober_.started();
}

void RoomProber::found_ready() {
  prober_.found_ready();
}

void RoomProber::said_ready() {
  prober_.said_ready();
}

void RoomProber::wrote(std::string_view text) {
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    line_ +=
        text.substr(0, std::min(end, most_line_bytes - std::min(most_line_bytes, line_.size())));
    text.remove_prefix(end + 1);
    if (line_.ends_with('\r')) line_.pop_back();
    prober_.line(std::exchange(line_, {}));
  }
  line_ += text.substr(0, most_line_bytes - std::min(most_line_bytes, line_.size()));
}

}  // namespace fixkeep::worker
