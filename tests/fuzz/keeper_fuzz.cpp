// What goes between a worker and the keepers of its rooms: packets, the texts in them, plans.
//
// The first byte chooses: bytes as either side receives them, or texts that are sent, each with a
// length of a byte before it.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/assert.hpp"
#include "tests/fuzz/script.hpp"
#include "tests/fuzz/targets.hpp"
#include "worker/keeper/plan.hpp"
#include "worker/keeper/protocol.hpp"
#include "worker/keeper/texts.hpp"

namespace fixkeep::fuzz {
namespace {

namespace keeper = worker::keeper;
using keeper::Word;

void hear_packet(std::string_view bytes) {
  const auto packet = keeper::to_packet(bytes);
  if (!packet) return;
  FIXKEEP_ASSERT(keeper::to_bytes(*packet) == bytes, "packet");
  const auto texts = keeper::texts_of(*packet);
  if (!texts) return;
  const bool of_1 = packet->word == Word::run_1 || packet->word == Word::complaint_1;
  const auto again =
      of_1 ? keeper::packet_of_1(packet->word, *texts) : keeper::packet_of(packet->word, *texts);
  FIXKEEP_ASSERT(again && again->text == packet->text, "a list has one form");
}

void hear_plan(std::string_view bytes) {
  const auto plan = keeper::to_plan(bytes);
  if (!plan) return;
  FIXKEEP_ASSERT(!plan->program.empty() && !plan->game.command.empty(), "nothing to execute");
  FIXKEEP_ASSERT(keeper::to_plan(keeper::to_text(*plan)) == plan, "plan");
}

std::vector<std::string> texts_in(Script& script) {
  std::vector<std::string> texts;
  while (!script.empty()) {
    const std::size_t length = script.byte();
    std::string text{script.take(length)};
    if (length == 255) text.resize(std::size_t{4} << 10U, 'x');  // a few do not fit
    texts.push_back(std::move(text));
  }
  return texts;
}

void send_texts(const std::vector<std::string>& texts) {
  std::size_t bytes = 0;
  bool nul = false;
  for (const auto& text : texts) {
    bytes += text.size();
    nul = nul || text.find('\0') != std::string::npos;
  }
  const auto sent = [&](const std::optional<keeper::Packet>& packet, bool fits) {
    FIXKEEP_ASSERT(packet.has_value() == fits, "what fits is sent, and nothing else");
    if (!packet) return;
    const auto heard = keeper::to_packet(keeper::to_bytes(*packet));
    FIXKEEP_ASSERT(heard && keeper::texts_of(*heard) == texts, "texts");
  };
  sent(keeper::packet_of(Word::run, texts), bytes + 4 * texts.size() <= keeper::most_text_bytes);
  sent(keeper::packet_of_1(Word::run_1, texts),
       !nul && bytes + texts.size() <= keeper::most_text_bytes);
}

void send_plan(const std::vector<std::string>& texts) {
  if (texts.size() < 2 || texts.front().empty()) return;
  keeper::Plan plan{.program = texts.front(),
                    .game = {.command = {texts.begin() + 1, texts.end()},
                             .environment = texts,
                             .working_folder = texts.back()},
                    .cgroup = texts};
  for (const auto& text : texts) plan.game.files.push_back({text, texts.back()});
  FIXKEEP_ASSERT(keeper::to_plan(keeper::to_text(plan)) == plan, "plan");
}

}  // namespace

void fuzz_keeper(std::string_view bytes) {
  Script script{bytes};
  switch (script.below(4)) {
    case 0: return hear_packet(script.take_rest());
    case 1: return hear_plan(script.take_rest());
    case 2: return send_texts(texts_in(script));
    default: return send_plan(texts_in(script));
  }
}

}  // namespace fixkeep::fuzz
