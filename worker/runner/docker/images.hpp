// The images that rooms need are had before the rooms come: what an engine does not have is pulled
// when the worker starts, and the log says how far that is.
//
// Thread rule: that of the client. Lifetime: the client outlives it. Bounds: one pull of an image
// at a time; one that failed is not tried again for `rest`; a pull that says nothing for
// `silence` has failed. Fault model: a registry is away, slow, or has no such image; an engine that
// does not answer says nothing of an image: then the container is tried, and says it. Errors: kept
// for each image, in words.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "worker/runner/docker/container_life.hpp"
#include "worker/runner/docker/engine_client.hpp"

namespace fixkeep::worker::docker {

class Images {
 public:
  static constexpr std::chrono::seconds rest{30};
  static constexpr std::chrono::seconds silence{120};
  static constexpr std::chrono::seconds between_news{5};
  static constexpr std::size_t most_warnings = 100;  // that are told

  // `changed`: an image has come, or cannot be had.
  Images(EngineClient& engine, std::function<void()> changed);

  // Looks whether the engine has it, and pulls it if not.
  void want(const std::string& image);
  // A container was to be created of the image: looks for it again if it is gone, and tells once
  // what the engine warns of.
  void used(const std::string& image, const EngineAnswer& created);
  // Whether nothing is known of the image yet, or it is on its way.
  [[nodiscard]] bool is_coming(const std::string& image) const;
  // Says why the image cannot be had; empty: nothing is known against it.
  [[nodiscard]] std::string problem_of(const std::string& image) const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Image {
    bool coming = false;
    std::string problem;
    Clock::time_point tried{};
    Clock::time_point told{};
  };

  void look(const std::string& image, bool pulled);
  void pull(const std::string& image);
  void over(const std::string& image, const std::string& problem);

  EngineClient& engine_;
  std::function<void()> changed_;
  std::map<std::string, Image> images_;
  std::set<std::string> warned_;
};

}  // namespace fixkeep::worker::docker
