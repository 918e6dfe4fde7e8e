// Watches all objects of one kind at an API server while the Watch exists (core/reflector.hpp).
//
// A hanging server looks like a server without changes. Therefore the Watch also sends requests for
// a sign of life. Thread rule: the client's thread. The io_context calls the handlers, but never
// within a call of this class. Lifetime: the client and the io_context outlive the Watch; a handler
// may destroy the Watch.
// Bounds: one call for the list or the watch at a time, and one for a sign of life. Fault model and
// errors: those of the reflector.
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
    std::function<void(const std::vector<Json>& all)> listed;  // objects outside `all` are gone
    std::function<void(const Json& object)> changed;           // an object was changed or is new
    std::function<void(const Json& object)> removed;           // `object`: its last state
    std::function<void(const std::string& why)> away;          // called one time before each `back`
    std::function<void()> back;
  };

  Watch(boost::asio::io_context& context, ApiClient& client, ReflectorOptions options,
        Handlers handlers);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void begin();                                       // call exactly one time
  [[nodiscard]] const std::string& why_away() const;  // empty: the server is not away

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::kubernetes
