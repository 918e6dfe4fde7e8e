#include "worker/runner/launch_keys.hpp"
#include "worker/shell/game_probes.hpp"
#include "worker/shell/player_text.hpp"

namespace fixkeep::worker {
namespace {

using config::Fields;
using config::self;
using probe::PlayerPattern;

constexpr config::Size bytes_text{1, 8192};
const config::Text expression{1, AttributeRule::most_pattern_bytes};
const config::Text probe_name{1, 64};

void describe(Fields& fields, probe::Exchange::Copy& copy) {
  const auto entry =
      fields.section(self, "Positions in the answer and in the packet, counted from 0.");
  fields.whole(config::always("from"), copy.from, {0, 4095}, "First byte in the answer.");
  fields.whole(config::always("to"), copy.to, {0, 1399}, "First byte in the packet.");
  fields.whole(config::always("bytes"), copy.bytes, {1, 1400}, "Number of bytes.");
}

void describe(Fields& fields, ExchangeKeys& exchange) {
  const config::Text bytes{bytes_text.least, bytes_text.most};
  const auto entry = fields.section(self, "A packet and its answer.");
  fields.text(config::always("send"), exchange.send, bytes,
              "Bytes as pairs of hexadecimal digits, and texts in single quotes, separated by "
              "spaces: ff ff 'info'.");
  fields.limit("padded_to", exchange.padded_to, 0U, {0, 1400, "bytes"},
               "The length of the packet in bytes; zeros fill its end.");
  fields.list(config::maybe("copy"), exchange.copy, {0, 16},
              "Bytes of the previous answer that are copied into this packet, for example a token.",
              [&](auto& copy) { describe(fields, copy); });
  fields.text(config::maybe("expect"), exchange.expect, bytes,
              "The beginning of the answer, in the form of send; ?? is any byte. Without expect, "
              "any answer is accepted.");
}

void describe(Fields& fields, PlayersKeys& players) {
  using Rule = PlayerPattern::Rule;
  using Number = PlayerPattern::Number;
  fields.text(config::always("matches"), players.matches, expression,
              "A regular expression (RE2). Its first group is the number.");
  fields.choice("rule", players.rule,
                {{Rule::first, "first"}, {Rule::sum, "sum"}, {Rule::count, "count"}},
                "first: the number in the first match; sum: the sum of all matches; count: the "
                "number of matches.");
  fields.choice("number", players.number, {{Number::decimal, "decimal"}, {Number::byte, "byte"}},
                "decimal: digits; byte: the group's first byte itself.");
}

void describe_target(Fields& fields, ProbeKeys& probe) {
  fields.word(config::always("by"), probe.by, {"tcp", "udp", "a2s", "line", "command", "alive"},
              "What shows success. tcp: an accepted connection; udp: packets and the beginnings of "
              "their answers; a2s: Valve's A2S_INFO; line: a line of output; command: exit code 0; "
              "alive: a running process.");
  fields.text(config::maybe("port"), probe.port, probe_name,
              "tcp, udp, a2s: one of ports, or \"port+1\" and so on for neighbour_ports. Default: "
              "the port that players receive.");
  fields.list(
      config::maybe("exchanges"), probe.exchanges, {1, 8},
      "udp: the packets. The worker sends each packet after the answer to the previous packet.",
      [&](auto& exchange) { describe(fields, exchange); });
  fields.text(config::maybe("contains"), probe.contains, expression,
              "line: a text that the line contains.");
  fields.text(config::maybe("matches"), probe.matches, expression,
              "line: a regular expression (RE2) that matches a part of the line.");
  describe_words(fields, config::maybe("command"), probe.command,
                 "command: an argument vector, like the game's command. It runs as the game's user "
                 "in the game's working folder.",
                 {1, 256});
  fields.limit("after_ms", probe.after_ms, 0U, {1, 3'600'000, "milliseconds"},
               "alive: how long the process must have run.");
}

void describe(Fields& fields, ProbeKeys& probe) {
  describe_target(fields, probe);
  fields.optional("players", probe.players,
                  "udp, command: how the worker reads the number of players from the answer.",
                  [&](auto& players) { describe(fields, players); });
  fields.limit("interval_ms", probe.interval_ms, 0U, {50, 600'000, "milliseconds"},
               "Time from one try to the next. Default: 2000.");
}

}  // namespace

void describe(Fields& fields, AskedKeys& asked) {
  constexpr config::Size names{0, 8, true};
  fields.map("probes", asked.probes,
             "Checks of the game from outside, by name; for ready, alive and players.",
             [&](ProbeKeys& probe) {
               const auto entry = fields.section(
                   self, "A check. The worker accepts only answers from the room's own processes.");
               describe(fields, probe);
             });
  fields.texts(
      "ready", asked.ready, names, probe_name,
      "The room opens after each of these probes has succeeded. \"sdk\": the game reports by "
      "the SDK that it is ready.");
  fields.texts(
      "alive", asked.alive, names, probe_name,
      "Repeated probes. If a probe fails three times in a row, the worker ends the room as "
      "unhealthy. A missing health call of the SDK does the same if the game uses health "
      "calls.");
  fields.text("players", asked.players, probe_name,
              "How the worker counts players and thereby free seats. sdk: the game reports its "
              "players. The name of a probe: the probe reads their number. connections: the worker "
              "counts TCP connections to the room's ports, for processes and for containers in the "
              "machine's network. until-exit: a seat remains taken until the game ends or has no "
              "TCP connection any more. With UDP the worker cannot see this, and the seat remains "
              "taken for 24 hours. for-a-time: a seat remains taken for seat_ms.");
}

}  // namespace fixkeep::worker
