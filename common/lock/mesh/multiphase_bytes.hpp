// All fields of a multiphase machine as bytes, for hashing and for the model checker: equal
// machines have equal bytes and different ones different bytes. Included where BasicMultiphase is
// instantiated, see multiphase_rules.hpp.
#pragma once

#include "common/lock/mesh/multiphase.hpp"

namespace fixkeep::lock {

template <class Amendments>
void BasicMultiphase<Amendments>::append_bytes(std::string& out) const {
  mesh_.append_bytes(out);
  MachineBytes{out}.put(state_, round_, asking_, deferred_, granted_);
}

}  // namespace fixkeep::lock
