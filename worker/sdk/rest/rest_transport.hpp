// What a game process asks of its worker: the REST form of the Agones SDK, one loopback port a
// room. The port tells a room from the others, so there is nothing to authenticate.
//
// Source: the Agones repository, sdks/swagger/{sdk,alpha}.swagger.json. Field names in answers are
// snake_case and 64-bit numbers are decimal strings, as there. /alpha/player/connect answers
// {"bool":true} exactly if the worker admits the player, and does so again for a player that is in.
// Thread rule: one io_context, one thread. Bounds: `connections`, 64 KiB a body.
// Errors: those of the game, answered with {"code","message","details"}.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "common/base/ids.hpp"
#include "common/base/result.hpp"

namespace fixkeep::worker {

struct RoomSdkHandlers {
  std::function<void()> ready;
  std::function<void()> health;
  std::function<void()> shutdown;
  // Is answered once, at once or later.
  std::function<void(const PlayerId&, std::function<void(bool)>)> connect;
  std::function<void(const PlayerId&)> disconnect;
};

struct RoomSdkFacts {
  std::string room;     // to_string(RoomId)
  std::string address;  // what players are told
  std::uint16_t port = 0;
  std::uint32_t capacity = 0;
  std::string group;
  std::string mode;
};

class RoomSdk {
 public:
  // A worker sets their descriptors aside for each room (worker/shell/descriptors.hpp).
  static constexpr std::size_t connections = 16;
  static constexpr std::size_t turned_away = 2;

  [[nodiscard]] static Result<std::unique_ptr<RoomSdk>> start(boost::asio::io_context& context,
                                                              RoomSdkFacts facts,
                                                              RoomSdkHandlers handlers);
  ~RoomSdk();
  RoomSdk(const RoomSdk&) = delete;
  RoomSdk& operator=(const RoomSdk&) = delete;

  [[nodiscard]] std::uint16_t port() const;

 private:
  class Impl;
  explicit RoomSdk(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::worker
