// Watches the objects of a kind at an API server for as long as it lives (core/reflector.hpp).
//
// A hanging server looks like one without changes. It is asked for a sign of life too. Thread rule:
// the client's; the io_context calls handlers but never from within a call. Lifetime: the client
// and the io_context outlive it; it may end within a handler. Bounds: one call of the list or the
// watch at a time and one sign of life. Fault model and errors: the reflector's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/net/kubernetes/api_client.hpp"
#include "common/net/kubernetes/core/reflector.hpp"

namespace fixkeep::kubernetes {

class Watch {
 public:
  static constexpr std::chrono::seconds sign_of_life_limit{5};

  struct Handlers {
    std::function<void(const std::vector<Json>& all)> listed;  // other known objects are gone
    std::function<void(const Json& object)> changed;           // changed or new
    std::function<void(const Json& object)> removed;           // its last state
    std::function<void(const std::string& why)> away;          // once, until it is back
    std::function<void()> back;
  };

  Watch(boost::asio::io_context& context, ApiClient& client, ReflectorOptions options,
        Handlers handlers);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void begin();                                       // called once
  [[nodiscard]] const std::string& why_away() const;  // empty: it is not

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::kubernetes
