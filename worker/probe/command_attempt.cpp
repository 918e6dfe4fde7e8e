#include <string_view>
#include <utility>

#include "worker/probe/attempt.hpp"

namespace fixkeep::probe {
namespace {

std::string_view last_line(std::string_view output) {
  while (output.ends_with('\n')) output.remove_suffix(1);
  const auto line = output.rfind('\n');
  return line == std::string_view::npos ? output : output.substr(line + 1);
}

class CommandAttempt final : public Attempt, public std::enable_shared_from_this<CommandAttempt> {
 public:
  CommandAttempt(const CommandProbe& probe, Ended ended)
      : Attempt(std::move(ended)), probe_(probe) {}

  void begin(const RunCommand& run, Duration limit) {
    run(probe_.command, limit, [attempt = weak_from_this()](const CommandEnd& end) {
      if (const auto self = attempt.lock()) self->end(self->outcome_of(end));
    });
  }

 private:
  Outcome outcome_at_limit() override { return Failure{.kind = Failure::Kind::no_answer}; }

  [[nodiscard]] Outcome outcome_of(const CommandEnd& end) const {
    if (end.exit_code != 0) {
      std::string text = end.how;
      const auto line = last_line(end.output);
      if (!line.empty()) text.append(": ").append(line);
      return Failure{.kind = Failure::Kind::not_well, .text = std::move(text)};
    }
    if (!probe_.players) return Success{};
    const auto number = players_in(end.output, *probe_.players);
    if (!number) return Failure{.kind = Failure::Kind::no_number};
    return Success{PlayerCount{.players = *number}};
  }

  CommandProbe probe_;
};

}  // namespace

std::shared_ptr<Attempt> begin_command(const RunCommand& run, const CommandProbe& probe,
                                       Duration limit, Attempt::Ended ended) {
  auto attempt = std::make_shared<CommandAttempt>(probe, std::move(ended));
  attempt->begin(run, limit);
  return attempt;
}

}  // namespace fixkeep::probe
