#include "worker/sdk/session.hpp"

#include <utility>

#include "common/wire/limits.hpp"

namespace fixkeep::worker {

std::optional<PlayerId> parse_player(std::string_view text) {
  if (text.empty() || text.size() > wire::limits::id_bytes) return std::nullopt;
  return PlayerId{std::string{text}};
}

Session::Session(SessionFacts facts, SessionHandlers handlers)
    : facts_(std::move(facts)), handlers_(std::move(handlers)) {}

void Session::ready() {
  state_ = "Ready";
  handlers_.ready();
}

void Session::health() {
  handlers_.health();
}

void Session::shutdown() {
  state_ = "Shutdown";
  handlers_.shutdown();
}

void Session::connect(const PlayerId& player, std::function<void(bool)> answer) {
  handlers_.connect(player,
                    [self = weak_from_this(), player, answer = std::move(answer)](bool admitted) {
                      const auto session = self.lock();
                      if (admitted && session != nullptr) session->players_.insert(player);
                      answer(admitted);
                    });
}

bool Session::disconnect(const PlayerId& player) {
  const bool was_in = players_.erase(player) != 0;
  handlers_.disconnect(player);
  return was_in;
}

}  // namespace fixkeep::worker
