#include "worker/keeper/protocol.hpp"

#include <cstring>

namespace fixkeep::worker::keeper {
namespace {

// Uses the machine's byte order, since both ends are on one machine.
struct Head {
  std::uint32_t word;
  std::int32_t number;
  std::int32_t detail;
  std::int32_t extra;
};
static_assert(sizeof(Head) + most_text_bytes == packet_bytes);

}  // namespace

std::string to_bytes(const Packet& packet) {
  const Head head{static_cast<std::uint32_t>(packet.word), packet.number, packet.detail,
                  packet.extra};
  std::string bytes(sizeof head, '\0');
  std::memcpy(bytes.data(), &head, sizeof head);
  bytes += std::string_view{packet.text}.substr(0, most_text_bytes);
  return bytes;
}

std::optional<Packet> to_packet(std::string_view bytes) {
  Head head{};
  if (bytes.size() < sizeof head || bytes.size() > packet_bytes) return std::nullopt;
  std::memcpy(&head, bytes.data(), sizeof head);
  return Packet{static_cast<Word>(head.word), head.number, head.detail, head.extra,
                std::string{bytes.substr(sizeof head)}};
}

}  // namespace fixkeep::worker::keeper
