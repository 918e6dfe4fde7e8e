#include <algorithm>

#include "worker/probe/core/dialog.hpp"

namespace fixkeep::probe {

std::string UdpDialog::question() const {
  const Exchange& exchange = probe_.exchanges[at_];
  std::string packet = exchange.question;
  packet.resize(std::max(packet.size(), exchange.padded_to));
  for (const auto& [from, to, bytes] : exchange.copies) {
    packet.replace(to, bytes, previous_, from, bytes);
  }
  return packet;
}

Heard UdpDialog::take(std::string_view datagram) {
  const Exchange& exchange = probe_.exchanges[at_];
  if (!exchange.answer.begins(datagram)) {
    failure_ = {.kind = Failure::Kind::not_expected,
                .text = "it begins with " + first_bytes(datagram)};
    return Heard::nothing;
  }
  const bool last = at_ + 1 == probe_.exchanges.size();
  if (!last) {
    const auto& copies = probe_.exchanges[at_ + 1].copies;
    if (std::any_of(copies.begin(), copies.end(), [&](const Exchange::Copy& copy) {
          return copy.from + copy.bytes > datagram.size();
        })) {
      failure_ = {.kind = Failure::Kind::not_expected,
                  .text = "it has only " + std::to_string(datagram.size()) + " bytes"};
      return Heard::nothing;
    }
    previous_ = datagram;
    ++at_;
    return Heard::question;
  }
  if (probe_.players) {
    const auto number = players_in(datagram, *probe_.players);
    if (!number) {
      failure_ = {.kind = Failure::Kind::no_number};
      return Heard::nothing;
    }
    players_ = PlayerCount{.players = *number};
  }
  return Heard::answer;
}

}  // namespace fixkeep::probe
