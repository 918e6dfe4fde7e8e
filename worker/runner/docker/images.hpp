// Gets the images of rooms before the rooms come: missing images are pulled when the worker starts,
// and the log tells the progress.
//
// Thread rule: the client's. Lifetime: the client outlives it. Bounds: one pull of an image at a
// time; a failed one rests for `rest`; a pull that says nothing for `silence` has failed.
// Fault model: a registry is away, slow, or lacks the image. An engine that does not answer tells
// nothing about an image: then the container is tried and tells it. Errors: kept for each image,
// in words.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "worker/runner/docker/container_calls.hpp"
#include "worker/runner/docker/engine_client.hpp"

namespace fixkeep::worker::docker {

class Images {
 public:
  static constexpr std::chrono::seconds rest{30};
  static constexpr std::chrono::seconds silence{120};
  static constexpr std::chrono::seconds between_news{5};
  static constexpr std::size_t most_warnings = 100;  // limit of told warnings

  // `changed`: an image has come, or cannot be had.
  Images(EngineClient& engine, std::function<void()> changed);

  // Looks for the image at the engine and pulls it if missing.
  void want(const std::string& image);
  // An order named the image: looks for it again if it is gone, and tells the engine's warnings
  // once.
  void used(const std::string& image, const Heard& created);
  // Whether the image is unknown yet, or on its way.
  [[nodiscard]] bool is_coming(const std::string& image) const;
  // Says why the image cannot be had; empty: no known reason.
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
