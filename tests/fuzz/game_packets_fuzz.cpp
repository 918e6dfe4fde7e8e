// What comes from processes of other people: datagrams of a game that is asked how many play.
//
// The first byte chooses; then come packets, each with a length of a byte before it.
#include <string>
#include <variant>

#include "common/base/assert.hpp"
#include "tests/fuzz/script.hpp"
#include "tests/fuzz/targets.hpp"
#include "worker/probe/core/dialog.hpp"

namespace fixkeep::fuzz {
namespace {

template <class Dialog>
void hear_datagrams(Dialog dialog, Script& script) {
  for (int i = 0; i < 32 && !script.empty(); ++i) {
    const auto heard = dialog.take(script.take(script.byte()));
    FIXKEEP_ASSERT(dialog.question().size() <= 65'507, "a question is longer than a datagram");
    if (heard == probe::Heard::answer) return;
    FIXKEEP_ASSERT(!dialog.players(), "players without an answer");
  }
}

probe::UdpProbe udp_probe() {
  probe::UdpProbe probe{.port = "game", .exchanges = {}, .players = {}};
  probe.exchanges.push_back({.question = "hello", .padded_to = 16, .copies = {}, .answer = {}});
  probe.exchanges.push_back(
      {.question = "token", .padded_to = 12, .copies = {{.from = 3, .to = 6, .bytes = 4}}});
  return probe;
}

}  // namespace

void fuzz_game_packets(std::string_view bytes) {
  Script script{bytes};
  switch (script.below(2)) {
    case 0: return hear_datagrams(probe::A2sDialog{{.port = "query"}}, script);
    default: return hear_datagrams(probe::UdpDialog{udp_probe()}, script);
  }
}

}  // namespace fixkeep::fuzz
