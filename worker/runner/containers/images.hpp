// Provides the images before rooms need them. When the worker starts, it pulls the missing images,
// and the log reports the progress.
//
// Thread rule: that of the client. Lifetime: the client outlives this object. Bounds: one pull of
// an image at a time; after a failed pull, no pull for the time `rest`; a pull without news for the
// time `silence` has failed. Fault model: a registry is away, is slow or does not have the image.
// If the engine does not answer, nothing is known about an image. The engine is then asked to make
// the container, and its error is reported. Errors: kept for each image, in words.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "worker/runner/containers/container_calls.hpp"
#include "worker/runner/containers/engine_client.hpp"

namespace fixkeep::worker::containers {

class Images {
 public:
  static constexpr std::chrono::seconds rest{30};
  static constexpr std::chrono::seconds silence{120};
  static constexpr std::chrono::seconds between_news{5};
  static constexpr std::size_t most_warnings = 100;  // limit of logged warnings

  // `changed` is called when an image has arrived or is not available.
  Images(EngineClient& engine, std::function<void()> changed);

  // Looks the image up in the engine. If the image is missing, pulls it.
  void want(const std::string& image);
  // Handles the answer to an order with this image. If the image is gone, looks it up again. Logs
  // each warning of the engine only once.
  void used(const std::string& image, const Heard& created);
  // Says whether the image is being looked up or pulled now.
  [[nodiscard]] bool is_coming(const std::string& image) const;
  // Says why the image is not available. Empty: no known reason.
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

}  // namespace fixkeep::worker::containers
