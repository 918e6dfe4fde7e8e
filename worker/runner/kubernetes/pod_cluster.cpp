#include "worker/runner/kubernetes/pod_cluster.hpp"

#include <thread>
#include <utility>

#include "common/net/http/client.hpp"
#include "common/net/steady_clock.hpp"
#include "common/obs/log.hpp"
#include "worker/runner/kubernetes/pod_sights.hpp"
#include "worker/runner/kubernetes/pod_texts.hpp"

namespace fixkeep::worker::kubernetes {
namespace {

constexpr std::chrono::milliseconds removal_limit{30'000};
constexpr std::chrono::milliseconds list_limit{10'000};
constexpr std::chrono::seconds longest_wait{20};  // limit for the server's first answer
constexpr std::chrono::milliseconds between_tries{500};
constexpr std::chrono::seconds stream_limit{10};

}  // namespace

PodCluster::PodCluster(boost::asio::io_context& context, Owner owner, Handlers handlers)
    : context_(context), handlers_(std::move(handlers)) {
  space_.owner = std::move(owner);
}

std::string PodCluster::open(const KubernetesOptions& options, std::vector<Pod>& earlier) {
  auto access = api::find_access(options.kubeconfig);
  if (auto* const why = std::get_if<std::string>(&access)) return *why;
  space_.access = std::move(std::get<api::Access>(access));
  const std::string& named = options.name_space;
  space_.pods = {"/api/v1", named.empty() ? space_.access.space : named, "pods"};
  if (space_.pods.space.empty()) return "rooms.kubernetes.namespace must be given";
  if (auto refused = find(earlier); !refused.empty()) return refused;
  auto client = api::ApiClient::make(context_, space_.access);
  if (auto* const why = std::get_if<std::string>(&client)) return *why;
  client_ = std::move(std::get<0>(client));
  watch();
  return {};
}

std::string PodCluster::find(std::vector<Pod>& earlier) const {
  const auto until = std::chrono::steady_clock::now() + longest_wait;
  for (;;) {
    auto pods = list_and_wait(space_, list_limit);
    if (auto* const all = std::get_if<std::vector<Pod>>(&pods)) {
      earlier = std::move(*all);
      return {};
    }
    if (std::chrono::steady_clock::now() >= until) {
      return "cannot list the pods of namespace " + space_.pods.space + ": " +
             std::get<std::string>(pods);
    }
    std::this_thread::sleep_for(between_tries);
  }
}

void PodCluster::watch() {
  const auto seed = std::hash<std::string>{}(labels_of(space_.owner)) ^
                    static_cast<std::uint64_t>(net::steady_now().time_since_epoch().count());
  const auto with_pod = [](const std::function<void(const Pod& pod)>& told) {
    return [&told](const api::Json& object) {
      if (const auto pod = parse_pod(object)) told(*pod);
    };
  };
  watch_.emplace(context_, *client_,
                 api::ReflectorOptions{
                     .resource = space_.pods, .labels = labels_of(space_.owner), .seed = seed},
                 api::Watch::Handlers{.listed = [this](const auto& all) { is_listed(all); },
                                      .changed = with_pod(handlers_.changed),
                                      .removed = with_pod(handlers_.removed),
                                      .away = handlers_.away,
                                      .back = handlers_.back});
  watch_->begin();
}

void PodCluster::is_listed(const std::vector<api::Json>& all) {
  std::vector<Pod> pods;
  for (const api::Json& object : all) {
    if (auto pod = parse_pod(object)) pods.push_back(std::move(*pod));
  }
  handlers_.listed(pods);
}

void PodCluster::close() {
  watch_.reset();
  client_.reset();
}

void PodCluster::ask(const engine::Call& call, const PodOrder& order, std::string_view uid,
                     std::function<void(const engine::Answer& answer)> done) const {
  api::ApiCall request = call_for(space_.pods, call, order, uid);
  const api::ApiCall asked{.method = request.method, .target = request.target};
  client_->ask(
      std::move(request), call_limit,
      [this, asked, what = call.ask, done = std::move(done)](const api::ApiAnswer& answer) {
        const auto verdict = judge(asked, answer);
        complain_of(verdict);
        done(answer_to(what, answer, verdict));
      });
}

std::string PodCluster::problem() const {
  if (!watch_ || watch_->why_away().empty()) return {};
  return "the API server does not answer: " + watch_->why_away();
}

// Logs which right is missing. If the refused call harms no room, this is the only message about
// the refusal.
void PodCluster::complain_of(const api::Verdict& verdict) const {
  if (verdict.problem != api::ApiProblem::forbidden) return;
  const auto right = verdict.words.substr(0, verdict.words.find(':'));
  if (const auto more = complaints_.admit(right, net::steady_now())) {
    obs::log_error("this worker lacks a right" + obs::more_like_it(*more),
                   {{"reason", verdict.words}});
  }
}

void PodCluster::follow_log(const PodOrder& order,
                            std::function<bool(const std::string& piece)> piece,
                            std::function<void()> done) const {
  api::ApiClient::Stream stream;
  stream.piece = std::move(piece);
  const api::ApiCall call = log_call(space_.pods, order, true);
  stream.done = [this, call, done = std::move(done)](const api::ApiAnswer& answer) {
    complain_of(judge(call, answer));
    done();
  };
  client_->stream(call, stream_limit, net::HttpClient::no_limit, std::move(stream));
}

void PodCluster::remove_stray(const std::string& name, const engine::Sight& sight) {
  const bool is_ours = sight.owner && is_of(*sight.owner, space_.owner);
  if (sight.is_leaving || !is_ours || !strays_.insert(sight.uid).second) return;
  const api::ApiCall call = remove_call(space_.pods, name, sight.uid, kill_grace);
  client_->ask(
      call, removal_limit, [this, call, name, uid = sight.uid](const api::ApiAnswer& answer) {
        strays_.erase(uid);
        complain_of(judge(call, answer));
        if (answer.status < 200 || answer.status >= 300) return;
        obs::log_warning("a pod of this worker that it did not know is removed", {{"pod", name}});
      });
}

}  // namespace fixkeep::worker::kubernetes
