#include "worker/runner/containers/images.hpp"

#include <utility>

#include "common/obs/log.hpp"
#include "worker/runner/containers/engine_texts.hpp"

namespace fixkeep::worker::containers {
namespace {

constexpr std::chrono::seconds image_look_limit{10};

}  // namespace

Images::Images(EngineClient& engine, std::function<void()> changed)
    : engine_(engine), changed_(std::move(changed)) {}

void Images::want(const std::string& image) {
  Image& known = images_[image];
  const auto now = Clock::now();
  if (known.coming || (!known.problem.empty() && now - known.tried < rest)) return;
  known.coming = true;
  known.tried = now;
  look(image, false);
}

void Images::used(const std::string& image, const Heard& created) {
  if (created.created == 404) want(image);
  if (created.warnings.empty()) return;
  if (warned_.size() >= most_warnings || !warned_.insert(image + created.warnings).second) return;
  obs::log_warning("the container engine has made a room of this image, and warns",
                   {{"image", image}, {"warning", created.warnings}});
}

bool Images::is_coming(const std::string& image) const {
  const auto found = images_.find(image);
  return found != images_.end() && found->second.coming;
}

std::string Images::problem_of(const std::string& image) const {
  const auto found = images_.find(image);
  return found == images_.end() ? std::string{} : found->second.problem;
}

void Images::look(const std::string& image, bool pulled) {
  net::HttpCall call;
  call.target = image_target(image);
  engine_.ask(std::move(call), image_look_limit, [=, this](const EngineClient::Answer& answer) {
    if (answer.status == 404 && !pulled) return pull(image);
    over(image, answer.status == 404 ? error_message(answer.body) : "");
  });
}

void Images::pull(const std::string& image) {
  obs::log_info("pulling an image", {{"image", image}});
  net::HttpCall call;
  call.method = "POST";
  call.target = engine_.dialect().pull_target(image);
  const auto lines = std::make_shared<Lines>();
  const auto error = std::make_shared<std::string>();
  EngineClient::Stream stream;
  stream.piece = [=, this](const std::string& piece) {
    for (const std::string& line : lines->put(piece)) {
      const auto news = parse_pull(line);
      if (!news) continue;
      if (!news->error.empty()) *error = news->error;
      Image& known = images_[image];
      if (news->all == 0 || Clock::now() - known.told < between_news) continue;
      known.told = Clock::now();
      obs::log_info("an image is on its way", {{"image", image},
                                               {"layer", news->layer},
                                               {"status", news->status},
                                               {"bytes", news->bytes},
                                               {"of", news->all}});
    }
    return true;
  };
  stream.done = [=, this](const EngineClient::Answer& answer) {
    if (!error->empty()) return over(image, *error);
    if (answer.status == 200) return look(image, true);
    over(image, answer.status == 0 ? "" : error_message(answer.body));
  };
  engine_.stream(std::move(call), silence, silence, std::move(stream));
}

void Images::over(const std::string& image, const std::string& problem) {
  Image& known = images_[image];
  known.coming = false;
  known.problem = problem;
  if (!problem.empty()) {
    obs::log_error(
        "no room of this image can start: neither the engine nor the registry provides it",
        {{"image", image}, {"registry", registry_of(image)}, {"reason", problem}});
  }
  changed_();
}

}  // namespace fixkeep::worker::containers
