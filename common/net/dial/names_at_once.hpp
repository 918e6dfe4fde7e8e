// Several names that are looked up side by side, within one limit: for a library that wants all of
// its servers' addresses before it begins.
//
// A name whose look-up is late has the answer host_not_found_try_again and holds up no other one.
//
// Thread rule: that of the executor. Lifetime: the object may go at any time, and `told` is not
// called then. Bounds: `limit`; those of name_lookups.hpp. Errors: those of the look-ups, one a
// name.
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
  using Told = std::function<void(const std::vector<LookupAnswer>&)>;  // in the order of the names

  // `told` is called once, not from within.
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
