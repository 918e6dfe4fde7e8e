#include "worker/probe/core/reasons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "common/base/printable.hpp"

namespace fixkeep::probe {
namespace {

constexpr std::size_t shown_text = 200;

std::string in_words(Duration time) {
  const auto count = std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
  return count >= 10000 && count % 1000 == 0 ? fmt::format("{} s", count / 1000)
                                             : fmt::format("{} ms", count);
}

std::string cut(std::string_view text) {
  return printable(text.substr(0, shown_text)) + (text.size() > shown_text ? "…" : "");
}

std::string_view name_of(Protocol protocol) {
  return protocol == Protocol::tcp ? "tcp" : "udp";
}
std::uint16_t number_of(const AskedPort& port, const Ports& ports) {
  const auto found = ports.find(port.name);
  return found == ports.end() ? std::uint16_t{0} : found->second;
}

struct Told {
  const Probe& probe;
  const Ports& ports;
  const Failure& failure;
  std::uint32_t tries = 0;
};

std::string within_limit(const Told& told) {
  const auto limit = in_words(told.probe.limit);
  return told.tries > 1 ? fmt::format(" for {} tries of {}", told.tries, limit)
                        : " within " + limit;
}
std::string repeated(const Told& told) {
  return told.tries > 1 ? fmt::format(", {} times in a row", told.tries) : "";
}

// Returns advice for servers with flood protection, which ignore a client that asks too often.
std::string too_often(Protocol protocol, const Told& told) {
  if (protocol != Protocol::udp || told.tries < 2) return {};
  return "; if it falls silent when it is asked often, its probe needs a larger interval_ms than " +
         std::to_string(
             std::chrono::duration_cast<std::chrono::milliseconds>(told.probe.interval).count());
}

std::string other_process(std::int32_t pid) {
  return pid > 0 ? fmt::format("another process (pid {})", pid) : "another process";
}

std::string elsewhere(const AskedPort& asked, const Told& told) {
  const auto& ports = told.failure.ports;
  std::string list;
  for (std::size_t i = 0; i < std::min(ports.size(), most_ports_told); ++i) {
    const bool last = i + 1 == ports.size();
    list += (i == 0 ? "" : last ? " and " : ", ") + std::to_string(ports[i]);
  }
  auto text =
      fmt::format("the game listens on {} port{} {}{}, not on {} ({})", name_of(asked.protocol),
                  ports.size() > 1 ? "s" : "", list, ports.size() > most_ports_told ? ", …" : "",
                  number_of(asked, told.ports), asked.name);
  if (told.failure.pid > 0) text += ", which belongs to " + other_process(told.failure.pid);
  return text;
}

std::string of_port(const AskedPort& asked, const Told& told) {
  const auto port = fmt::format("{} port {} ({})", name_of(asked.protocol),
                                number_of(asked, told.ports), asked.name);
  const auto& failure = told.failure;
  switch (failure.kind) {
    case Failure::Kind::no_answer:
      return "no answer on " + port + within_limit(told) + too_often(asked.protocol, told);
    case Failure::Kind::not_expected:
      return fmt::format("the answer on {} is not as expected: {}{}", port, cut(failure.text),
                         repeated(told));
    case Failure::Kind::nobody: return "nothing listens on " + port + repeated(told);
    case Failure::Kind::elsewhere: return elsewhere(asked, told) + repeated(told);
    case Failure::Kind::taken:
      return port + " is that of " + other_process(failure.pid) + repeated(told);
    case Failure::Kind::other_process:
      return fmt::format("the answer on {} came from {}{}", port, other_process(failure.pid),
                         repeated(told));
    case Failure::Kind::not_accepted:
      return "the game accepted no connection on " + port + within_limit(told);
    case Failure::Kind::closed:
      return port +
             " closes connections at once, without a word: nothing listens behind it, or the game "
             "does so and its probe needs \"accepted\": false" +
             repeated(told);
    case Failure::Kind::no_number:
      return fmt::format("the answer on {} has no number of players{}", port, repeated(told));
    case Failure::Kind::not_well:
    case Failure::Kind::not_sent:
      return fmt::format("{} cannot be asked: {}{}", port, cut(failure.text), repeated(told));
  }
  return {};
}

std::string in_words(const TcpProbe& probe, const Told& told) {
  return of_port({Protocol::tcp, probe.port}, told);
}
std::string in_words(const UdpProbe& probe, const Told& told) {
  return of_port({Protocol::udp, probe.port}, told);
}
std::string in_words(const A2sProbe& probe, const Told& told) {
  return of_port({Protocol::udp, probe.port}, told);
}

std::string in_words(const LineProbe& probe, const Told& told) {
  const auto line = "no line " + cut(probe.pattern.in_words());
  if (told.tries == 0) return line + " yet";
  return line + " in " + in_words(told.probe.interval) + repeated(told);
}

std::string in_words(const CommandProbe& probe, const Told& told) {
  std::string words;
  for (const auto& word : probe.command) words += (words.empty() ? "" : " ") + word;
  const auto command = "the command \"" + cut(words) + "\"";
  if (told.failure.kind == Failure::Kind::no_answer) {
    return command + " did not end" + within_limit(told);
  }
  if (told.failure.kind == Failure::Kind::no_number) {
    return "no number of players in the output of " + command + repeated(told);
  }
  return command + ": " + cut(told.failure.text) + repeated(told);
}

std::string in_words(const AliveProbe& probe, const Told& /*unused*/) {
  return "the game has not run for " + in_words(probe.after) + " yet";
}

std::string in_words(const ConnectionsProbe& /*unused*/, const Told& told) {
  return "the connections to the game cannot be counted: " + cut(told.failure.text) +
         repeated(told);
}

}  // namespace

std::string sentence(const Probe& probe, const Ports& ports, const Failure& failure,
                     std::uint32_t tries) {
  const Told told{probe, ports, failure, tries};
  return std::visit([&](const auto& target) { return in_words(target, told); }, probe.target);
}

}  // namespace fixkeep::probe
