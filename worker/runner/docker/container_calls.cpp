#include "worker/runner/docker/container_calls.hpp"

#include <memory>
#include <utility>

#include "common/process/self.hpp"
#include "worker/runner/docker/engine_texts.hpp"
#include "worker/runner/docker/tar.hpp"

namespace fixkeep::worker::docker {
namespace {

constexpr std::chrono::seconds look_limit{5};
constexpr std::chrono::seconds change_limit{60};

using Done = std::function<void(const EngineAnswer& answer)>;

net::HttpCall with_json(std::string target, std::string body) {
  net::HttpCall call;
  call.method = "POST";
  call.target = std::move(target);
  call.fields = {{"Content-Type", "application/json"}};
  call.body = std::move(body);
  return call;
}

net::HttpCall of(std::string method, std::string target) {
  net::HttpCall call;
  call.method = std::move(method);
  call.target = std::move(target);
  return call;
}

// Two calls: one gives the command a number and the other starts it.
void run_stop_command(EngineClient& engine, const ContainerOrder& order, const Launch& launch,
                      const Done& done) {
  engine.ask(with_json(container_target(order.name, "exec"), exec_body(launch.stop_command)),
             look_limit, [&engine, done](const EngineClient::Answer& made) {
               const std::string number = made.status == 201 ? id_of(made.body) : std::string{};
               if (number.empty()) return done(answer_to(EngineAsk::signal, made, false));
               engine.ask(with_json(begin_exec_target(number), R"({"Detach":true})"), look_limit,
                          [done](const EngineClient::Answer& begun) {
                            done(answer_to(EngineAsk::signal, begun, false));
                          });
             });
}

}  // namespace

ContainerCall call_for(EngineAsk ask, const ContainerOrder& order, const Launch& launch) {
  switch (ask) {
    case EngineAsk::look: return {of("GET", container_target(order.name, "json")), look_limit};
    case EngineAsk::create:
      return {with_json(create_target(order.name), create_body(order)), change_limit};
    case EngineAsk::fill: {
      auto call = of("PUT", archive_target(order.name, room_volume));
      call.fields = {{"Content-Type", "application/x-tar"}};
      call.body = tar_of("room", launch.game.files);
      return {std::move(call), change_limit};
    }
    case EngineAsk::start: return {of("POST", container_target(order.name, "start")), change_limit};
    case EngineAsk::signal:
      return {of("POST", kill_target(order.name, process::signal_name(launch.stop_signal))),
              look_limit};
    case EngineAsk::kill: return {of("POST", kill_target(order.name, "SIGKILL")), change_limit};
    case EngineAsk::read_log:
      return {of("GET", logs_target(order.name, log_lines, false)), look_limit};
    case EngineAsk::remove: return {of("DELETE", remove_target(order.name)), change_limit};
  }
  return {};
}

EngineAnswer answer_to(EngineAsk ask, const EngineClient::Answer& answer, bool terminal) {
  EngineAnswer read;
  read.status = answer.status;
  if (answer.status < 200 || answer.status >= 300) {
    read.message = answer.status == 0 ? answer.body : error_message(answer.body);
  } else if (ask == EngineAsk::create) {
    read.message = warnings_of(answer.body);
  } else if (ask == EngineAsk::look) {
    read.found = parse_container(answer.body);
  } else if (ask == EngineAsk::read_log) {
    read.log = LogReader{terminal}.put(answer.body);
  }
  return read;
}

void ask_of(EngineClient& engine, EngineAsk ask, const ContainerOrder& order, const Launch& launch,
            Done done) {
  if (ask == EngineAsk::signal && !launch.stop_command.empty()) {
    return run_stop_command(engine, order, launch, done);
  }
  auto [call, limit] = call_for(ask, order, launch);
  engine.ask(std::move(call), limit,
             [ask, terminal = order.terminal, done = std::move(done)](
                 const EngineClient::Answer& answer) { done(answer_to(ask, answer, terminal)); });
}

std::size_t remove_and_wait(const std::string& socket, const std::vector<std::string>& names,
                            std::chrono::milliseconds limit) {
  boost::asio::io_context context;
  EngineClient engine{context, socket};
  std::size_t left = names.size();
  for (const std::string& name : names) {
    engine.ask(of("DELETE", remove_target(name)), limit,
               [&left](const EngineClient::Answer& answer) {
                 if (answer.status == 204 || answer.status == 404) --left;
               });
  }
  context.run_for(limit);
  return left;
}

}  // namespace fixkeep::worker::docker
