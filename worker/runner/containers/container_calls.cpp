#include "worker/runner/containers/container_calls.hpp"

#include <memory>
#include <utility>

#include "common/process/self.hpp"
#include "worker/runner/container_end.hpp"
#include "worker/runner/containers/tar.hpp"

namespace fixkeep::worker::containers {
namespace {

constexpr std::chrono::seconds look_limit{5};
constexpr std::chrono::seconds change_limit{60};

using engine::Answer;
using engine::Sight;

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

bool is_good(unsigned status) {
  return status >= 200 && status < 300;
}
// Says whether the engine understood the request and refuses it.
bool is_refusal(unsigned status) {
  return status >= 400 && status < 500;
}

std::string objection_of(const EngineClient::Answer& answer) {
  return answer.status == 0 ? answer.body : error_message(answer.body);
}

// An engine says only in words why it cannot start a container. If another program uses the port,
// the game is not at fault.
bool says_port_is_taken(const std::string& message) {
  return message.find("already allocated") != std::string::npos ||
         message.find("already in use") != std::string::npos;
}

Answer done_with(Sight::State state) {
  return {.kind = Answer::Kind::done, .sight = Sight{.state = state}};
}
Answer not_done(const EngineClient::Answer& answer) {
  const auto kind = is_refusal(answer.status) ? Answer::Kind::refused : Answer::Kind::lost;
  return {.kind = kind, .why = objection_of(answer)};
}
Answer refused(const std::string& why, bool blameless) {
  return {.kind = Answer::Kind::refused, .why = why, .blameless = blameless};
}

// --- the calls of one container

struct Asked {
  EngineClient& client;
  ContainerOrder order;
  Launch launch;
  std::function<void(const Answer& answer)> done;
  std::function<void(const Heard& heard)> heard;
};
using AskedPtr = std::shared_ptr<Asked>;

void look(const AskedPtr& asked) {
  asked->client.ask(
      of("GET", container_target(asked->order.name, "json")), look_limit,
      [asked](const EngineClient::Answer& answer) {
        if (answer.status == 404) return asked->done(done_with(Sight::State::none));
        auto found = is_good(answer.status) ? parse_container(answer.body) : std::nullopt;
        if (!found) {
          return asked->done({.kind = Answer::Kind::lost, .why = objection_of(answer)});
        }
        asked->done({.kind = Answer::Kind::done, .sight = sight_of(*found)});
        asked->heard({.container = std::move(found)});
      });
}

void create(const AskedPtr& asked) {
  const Dialect& dialect = asked->client.dialect();
  asked->client.ask(
      with_json(dialect.create_target(asked->order.name), dialect.create_body(asked->order)),
      change_limit, [asked](const EngineClient::Answer& answer) {
        if (is_good(answer.status)) {
          asked->done(done_with(Sight::State::made));
        } else if (is_refusal(answer.status) && answer.status != 409) {
          asked->done(refused("cannot create its container: " + objection_of(answer),
                              answer.status == 404));
        } else {
          asked->done({.kind = Answer::Kind::lost, .why = objection_of(answer)});
        }
        asked->heard({.created = answer.status,
                      .warnings = is_good(answer.status) ? warnings_of(answer.body) : ""});
      });
}

void start(const AskedPtr& asked) {
  asked->client.ask(of("POST", container_target(asked->order.name, "start")), change_limit,
                    [asked](const EngineClient::Answer& answer) {
                      if (is_good(answer.status))
                        return asked->done(done_with(Sight::State::running));
                      const std::string why = objection_of(answer);
                      // The answer does not tell the result of this start: the container already
                      // runs or is gone, or the engine gave no answer.
                      const bool says_nothing =
                          answer.status == 0 || answer.status == 304 || answer.status == 404;
                      Answer read = says_nothing
                                        ? Answer{.kind = Answer::Kind::lost, .why = why}
                                        : refused("cannot start: " + why, says_port_is_taken(why));
                      read.may_run = !is_refusal(answer.status);
                      asked->done(read);
                    });
}

void fill_and_start(const AskedPtr& asked) {
  auto call = of("PUT", archive_target(asked->order.name, room_volume));
  call.fields = {{"Content-Type", "application/x-tar"}};
  call.body = tar_of("room", asked->launch.game.files);
  asked->client.ask(std::move(call), change_limit, [asked](const EngineClient::Answer& answer) {
    if (is_good(answer.status)) return start(asked);
    Answer read = not_done(answer);
    if (answer.status == 404) read.kind = Answer::Kind::lost;
    if (read.kind == Answer::Kind::refused) {
      read.why = "cannot put its files into its container: " + read.why;
    }
    asked->done(read);
  });
}

void tell_order(const AskedPtr& asked, const EngineClient::Answer& answer) {
  asked->done(is_good(answer.status) ? Answer{.kind = Answer::Kind::done} : not_done(answer));
}

void signal(const AskedPtr& asked, const std::string& name) {
  asked->client.ask(of("POST", kill_target(asked->order.name, name)), change_limit,
                    [asked](const EngineClient::Answer& answer) { tell_order(asked, answer); });
}

// Makes two calls: the first registers the command and returns its id, the second starts it.
void run_stop_command(const AskedPtr& asked) {
  const std::string body = exec_body(asked->launch.stop_command);
  asked->client.ask(
      with_json(container_target(asked->order.name, "exec"), body), look_limit,
      [asked](const EngineClient::Answer& made) {
        const std::string number = made.status == 201 ? id_of(made.body) : std::string{};
        if (number.empty()) return tell_order(asked, made);
        asked->client.ask(with_json(begin_exec_target(number), R"({"Detach":true})"), look_limit,
                          [asked](const EngineClient::Answer& begun) { tell_order(asked, begun); });
      });
}

void end(const AskedPtr& asked, bool hard) {
  if (hard) return signal(asked, "SIGKILL");
  if (!asked->launch.stop_command.empty()) return run_stop_command(asked);
  signal(asked, process::signal_name(asked->launch.stop_signal));
}

void read_log(const AskedPtr& asked) {
  asked->client.ask(of("GET", logs_target(asked->order.name, log_lines, false)), look_limit,
                    [asked](const EngineClient::Answer& answer) {
                      Answer read{.kind = Answer::Kind::done};
                      if (is_good(answer.status)) {
                        read.log = LogReader{asked->order.terminal}.put(answer.body);
                      }
                      asked->done(read);
                    });
}

void remove(const AskedPtr& asked) {
  asked->client.ask(of("DELETE", asked->client.dialect().remove_target(asked->order.name)),
                    change_limit, [asked](const EngineClient::Answer& answer) {
                      const bool is_gone = is_good(answer.status) || answer.status == 404;
                      asked->done(is_gone ? done_with(Sight::State::none) : not_done(answer));
                    });
}

}  // namespace

std::string owner_text(const Labels& labels) {
  return labels.cluster + " " + labels.worker + " " + labels.room + " " + labels.creation;
}

Sight sight_of(const Container& container) {
  Sight sight{.state = Sight::State::unclear, .owner = owner_text(container.labels)};
  switch (container.state) {
    case ContainerState::created:
      sight.state = container.error.empty() ? Sight::State::made : Sight::State::ended;
      sight.end =
          never_ran("cannot start: " + container.error, says_port_is_taken(container.error));
      break;
    case ContainerState::running: sight.state = Sight::State::running; break;
    case ContainerState::exited:
      sight.state = Sight::State::ended;
      sight.end = container_end(container.exit_code);
      if (container.out_of_memory) sight.end->how += ": it had no more memory";
      if (!container.error.empty()) sight.end->how += ": " + container.error;
      break;
    case ContainerState::removing: sight.state = Sight::State::going; break;
    case ContainerState::unknown: break;
  }
  return sight;
}

Sight sight_in_list(const Container& container) {
  const bool runs = container.state == ContainerState::running;
  return {.state = runs ? Sight::State::running : Sight::State::unclear,
          .owner = owner_text(container.labels)};
}

Sight sight_of(const EngineEvent& event) {
  Sight sight{.state = Sight::State::unclear};
  if (event.exit_code) sight.end = container_end(*event.exit_code);
  return sight;
}

void ask_of(EngineClient& client, const engine::Call& call, Sight::State state,
            const ContainerOrder& order, const Launch& launch,
            std::function<void(const Answer& answer)> done,
            std::function<void(const Heard& heard)> heard) {
  const auto asked =
      std::make_shared<Asked>(Asked{client, order, launch, std::move(done), std::move(heard)});
  switch (call.ask) {
    case engine::Ask::look: return look(asked);
    case engine::Ask::make:
      return state == Sight::State::made ? fill_and_start(asked) : create(asked);
    case engine::Ask::end: return end(asked, call.hard);
    case engine::Ask::read_log: return read_log(asked);
    case engine::Ask::remove: return remove(asked);
  }
}

std::size_t remove_and_wait(const EnginePlace& place, const std::vector<std::string>& names,
                            std::chrono::milliseconds limit) {
  boost::asio::io_context context;
  EngineClient engine{context, place};
  std::size_t left = names.size();
  for (const std::string& name : names) {
    engine.ask(of("DELETE", place.dialect.remove_target(name)), limit,
               [&left](const EngineClient::Answer& answer) {
                 if (is_good(answer.status) || answer.status == 404) --left;
               });
  }
  context.run_for(limit);
  return left;
}

}  // namespace fixkeep::worker::containers
