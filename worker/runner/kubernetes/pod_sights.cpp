#include "worker/runner/kubernetes/pod_sights.hpp"

#include <algorithm>
#include <utility>

#include "worker/runner/container_end.hpp"
#include "worker/runner/kubernetes/pod_texts.hpp"

namespace fixkeep::worker::kubernetes {

using engine::Answer;
using engine::Ask;
using fixkeep::kubernetes::ApiProblem;

namespace {

constexpr std::chrono::seconds look_after_end{5};
constexpr int most_looks = 12;  // some nodes need a minute to report a game's end
constexpr std::chrono::minutes start_patience{5};

GameEnd end_of(const Pod& pod) {
  // Some kubelets discard a container before they have reported the container's end.
  if (!pod.knows_code) return unseen_end(pod.why_ended);
  GameEnd end = container_end(pod.exit_code);
  if (!pod.why_ended.empty()) end.how += ": " + pod.why_ended;
  return end;
}

// Says whether the reason is the cluster, or our rights in the cluster. The server would then
// refuse every other pod too.
bool is_of_the_cluster(ApiProblem problem) {
  return problem == ApiProblem::exceeded_quota || problem == ApiProblem::forbidden ||
         problem == ApiProblem::unauthorized || problem == ApiProblem::not_found;
}

Answer::Kind kind_of(Ask ask, ApiProblem problem) {
  switch (problem) {
    case ApiProblem::none: return Answer::Kind::done;
    case ApiProblem::lost:
    case ApiProblem::already_exists: return Answer::Kind::lost;
    case ApiProblem::conflict: return ask == Ask::make ? Answer::Kind::lost : Answer::Kind::done;
    case ApiProblem::too_many: return Answer::Kind::busy;
    case ApiProblem::unauthorized:
    case ApiProblem::forbidden:
    case ApiProblem::exceeded_quota:
    case ApiProblem::not_found:
    case ApiProblem::gone:
    case ApiProblem::invalid:
    case ApiProblem::refused: return Answer::Kind::refused;
  }
  return Answer::Kind::lost;
}

}  // namespace

engine::Sight sight_of(const Pod& pod) {
  using State = engine::Sight::State;
  engine::Sight sight{
      .state = State::waiting, .owner = pod.owner, .uid = pod.uid, .why = pod.why_waiting};
  if (!pod.host.empty()) sight.place = wire::RoomPlace{pod.host, pod.ports};
  sight.no_node = pod.unschedulable;
  sight.node = pod.node;
  sight.is_leaving = pod.deleting;
  sight.is_dead = pod.over || pod.cannot_start;
  if (pod.ended) sight.end = end_of(pod);
  if (pod.cannot_start) {
    sight.state = State::broken;
  } else if (pod.ended) {
    sight.state = State::ended;
  } else if (pod.runs && sight.place) {
    sight.state = State::running;
  }
  return sight;
}

Answer answer_to(Ask ask, const fixkeep::kubernetes::ApiAnswer& answer,
                 const fixkeep::kubernetes::Verdict& verdict) {
  Answer read{.kind = kind_of(ask, verdict.problem), .why = verdict.words, .pause = verdict.pause};
  const bool is_removal = ask == Ask::end || ask == Ask::remove;
  const bool is_none = verdict.problem == ApiProblem::not_found && ask != Ask::make;
  // True if our pod is gone, and a different pod has its name now.
  const bool is_another = verdict.problem == ApiProblem::conflict && is_removal;
  if (is_none || is_another) read.sight = engine::Sight{.state = engine::Sight::State::none};
  if (read.kind == Answer::Kind::done && ask == Ask::read_log) read.log = answer.body;
  if (read.kind == Answer::Kind::done && (ask == Ask::look || ask == Ask::make)) {
    const auto pod = parse_pod(fixkeep::kubernetes::parsed(answer.body));
    if (pod) read.sight = sight_of(*pod);
    if (!pod) read.kind = Answer::Kind::lost;
  }
  if (read.kind == Answer::Kind::refused && ask == Ask::make) {
    read.no_place = read.blameless = is_of_the_cluster(verdict.problem);
    read.why = "cannot create its pod: " + read.why;
  }
  return read;
}

engine::ObjectTraits pod_traits(const PodOrder& order, std::string owner, Duration boot_timeout) {
  return {.kind = "pod",
          .engine = "the API server",
          .name = order.name,
          .owner = std::move(owner),
          .look_after_end = look_after_end,
          .most_looks = most_looks,
          .node_patience = boot_timeout,
          .start_patience = std::max<Duration>(boot_timeout, start_patience)};
}

}  // namespace fixkeep::worker::kubernetes
