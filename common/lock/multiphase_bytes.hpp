// All fields of a multiphase machine as bytes, for hashing and for the model checker: equal
// machines have equal bytes and different ones different bytes. Included where BasicMultiphase is
// instantiated, see multiphase_impl.hpp.
#pragma once

#include "common/lock/multiphase.hpp"

namespace fixkeep::lock {

template <class Amendments>
void BasicMultiphase<Amendments>::append_bytes(std::string& out) const {
  const auto number = [&out](std::uint64_t value) {
    for (; value >= 0x80U; value >>= 7U) out += static_cast<char>(value | 0x80U);
    out += static_cast<char>(value);
  };
  const auto masters = [&](const std::set<MasterId>& set) {
    number(set.size());
    for (const auto master : set) number(master.number());
  };
  const auto rounds = [&](const std::map<MasterId, std::uint64_t>& map) {
    number(map.size());
    for (const auto& [master, round] : map) {
      number(master.number());
      number(round);
    }
  };
  const auto token = [&](FencingToken value) {
    number(value.counter);
    number(value.master.number());
  };
  number(self_.number());
  masters(missing_);
  masters(connected_);
  masters(up_);
  number(static_cast<std::uint64_t>(state_));
  number(round_);
  rounds(asking_);
  rounds(deferred_);
  masters(granted_);
  token(highest_);
  token(value_.stamp);
  token(value_.fence);
  number(value_.uncertain ? 1 : 0);
  number(value_.bytes.size());
  out += value_.bytes;
  number(mesh_changed_ ? 1 : 0);
}

}  // namespace fixkeep::lock
