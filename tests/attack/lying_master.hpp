// A master that grants every lock to everybody and tells of the groups what it likes.
//
// Thread rule: as Liar.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/attack/liar.hpp"

namespace fixkeep::attack {

// What it tells of a group whenever somebody asks for its lock or has given it back.
enum class Tale : std::uint8_t {
  no_rooms,          // that it held the lock since, and knows of no room
  no_rooms_fenced,   // the same, and that it has fenced
  of_others,         // that the other master wrote this
  beyond_all,        // stamp 2^62, and a fence after it
  highest_believed,  // the same with tokens that are just believed
};

class LyingMaster {
 public:
  // `config`: that of the master whose place it takes, m3 of three.
  LyingMaster(const nlohmann::json& config, std::uint16_t mesh_port,
              const std::vector<Liar::Target>& dialled, Tale tale);

  [[nodiscard]] std::size_t tales_told() const { return told_; }

 private:
  void met(Liar& liar, const net::Peer& peer);
  void heard(Liar& liar, const net::Peer& peer, wire::BetweenMasters&& message);
  void tell(Liar& liar, const lock::LockMessage& heard);
  [[nodiscard]] lock::LockValue value_after(const lock::LockMessage& heard,
                                            MasterId listener) const;

  Tale tale_;
  std::map<std::string, net::Peer> masters_;
  std::atomic<std::size_t> told_ = 0;
  std::unique_ptr<Liar> liar_;
};

}  // namespace fixkeep::attack
