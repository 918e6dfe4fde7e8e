// Looks up several names in parallel within one limit. Some libraries need all addresses of their
// servers at the start.
//
// A late lookup gets the answer host_not_found_try_again and delays no other name.
//
// Thread rule: the executor's thread. Lifetime: the object may be destroyed at any time; then
// `told` is not called. Bounds: the round ends within the time `limit`; for lookups see
// name_lookups.hpp. Errors: those of the lookups, one for each name.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/net/dial/name_lookups.hpp"

namespace fixkeep::net {

class NamesAtOnce {
 public:
  using Told = std::function<void(const std::vector<LookupAnswer>&)>;  // in the names' order

  // `told` is called exactly one time, never from within the constructor.
  NamesAtOnce(const boost::asio::any_io_executor& executor, const std::vector<std::string>& names,
              std::chrono::milliseconds limit, Told told,
              NameLookups& lookups = *NameLookups::of_the_system());
  ~NamesAtOnce();
  NamesAtOnce(const NamesAtOnce&) = delete;
  NamesAtOnce& operator=(const NamesAtOnce&) = delete;

 private:
  class Round;
  std::weak_ptr<Round> round_;
};

}  // namespace fixkeep::net
