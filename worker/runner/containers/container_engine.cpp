#include "worker/runner/containers/container_engine.hpp"

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include "common/obs/log.hpp"
#include "worker/runner/containers/container_calls.hpp"
#include "worker/runner/containers/container_sdk.hpp"
#include "worker/runner/containers/engine_watch.hpp"
#include "worker/runner/containers/found_containers.hpp"
#include "worker/runner/containers/images.hpp"
#include "worker/runner/engine/engine_runner.hpp"

namespace fixkeep::worker::containers {
namespace {

using engine::Answer;
using engine::Call;
using engine::ObjectPtr;
using engine::Shown;
using engine::Sight;

constexpr std::chrono::milliseconds removal_limit{10'000};
constexpr std::chrono::seconds stream_limit{10};

struct OneContainer final : engine::Object {
  OneContainer(boost::asio::io_context& context, const Launch& with, GameRunner::Handlers to,
               ContainerOrder as)
      : Object(context, with, std::move(to),
               {.name = as.name,
                .owner = owner_text(as.labels),
                .looks_when_begun = !with.listen_inside.empty()}),
        order(std::move(as)) {}

  // Listens in the container's own network if the launch requests this and the container has its
  // own network.
  void listen(const Container& container) {
    if (launch.listen_inside.empty() || listens || !life.runs()) return;
    listens = true;
    auto sockets = listen_inside(container, launch.listen_inside);
    if (!sockets) {
      obs::log_warning("cannot listen in the network of a container: its game has no SDK",
                       {{"container", container.name}, {"reason", sockets.error().message()}});
    } else if (handlers.listens) {
      handlers.listens(std::move(*sockets));
    }
  }

  ContainerOrder order;
  bool listens = false;  // listening in its own network was tried
};

const OneContainer& our_object(const engine::Object& object) {
  return static_cast<const OneContainer&>(object);
}

class ContainerEngine final : public engine::Engine, public LocalRooms {
 public:
  ContainerEngine(boost::asio::io_context& context, const RunnerOptions& options,
                  const Dialect& dialect)
      : context_(context),
        place_(options.engine_socket.empty() ? dialect.usual_socket : options.engine_socket,
               dialect),
        owner_{options.cluster, options.worker.text()},
        address_(options.address),
        log_bytes_(options.output.file_bytes),
        wanted_images_(options.images),
        found_(place_, owner_),
        client_(std::make_unique<EngineClient>(context, place_)),
        images_(*client_, [this] { news_.changed(); }),
        watch_(context, *client_, owner_,
               {.listed = [this](const auto& all) { listed(all); },
                .happened = [this](const EngineEvent& event) { happened(event); },
                .away = [this](const std::string& why) { news_.away(why); },
                .back = [this] { news_.back(); }}) {}

  [[nodiscard]] Traits traits() override {
    return {.wants_ports = true,
            .local = this,
            .starts_at_once = std::max(2U, 2 * std::thread::hardware_concurrency())};
  }
  std::string open(News news) override {
    news_ = std::move(news);
    if (auto refused = found_.look(); !refused.empty()) return refused;
    sdk_.look(place_);
    for (const std::string& image : wanted_images_) images_.want(image);
    watch_.begin();
    return {};
  }
  std::vector<std::string> earlier() override {
    if (const auto refused = found_.look(); !refused.empty()) obs::log_warning(refused, {});
    return found_.names();
  }
  void close() override {
    watch_.end();
    client_.reset();
  }

  Order order(const Launch& launch, GameRunner::Handlers handlers) override {
    auto order = container_order(launch, owner_, log_bytes_, address_);
    images_.want(order.image);
    return {
        std::make_shared<OneContainer>(context_, launch, std::move(handlers), std::move(order))};
  }
  Order adopt(const Launch& launch, GameRunner::Handlers handlers) override {
    auto order = container_order(launch, owner_, log_bytes_, address_);
    // If the game has ended meanwhile, only the room's name is known. The container is then found
    // by that name.
    if (const Container* const known = found_.of_room(launch.name);
        known != nullptr && launch.object.empty()) {
      order.name = known->name;
      order.labels = known->labels;
    }
    const bool is_gone = order.name.empty();
    Order adopted{
        std::make_shared<OneContainer>(context_, launch, std::move(handlers), std::move(order))};
    if (is_gone) adopted.end = GameEnd{.how = "it has no container any more"};
    return adopted;
  }
  [[nodiscard]] Readiness readiness(const engine::Object& object) const override {
    const std::string& image = our_object(object).order.image;
    const auto problem = images_.problem_of(image);
    return {.is_coming = images_.is_coming(image),
            .problem = problem.empty() ? "" : "there is no image " + image + ": " + problem};
  }

  void ask(const ObjectPtr& object, const Call& call,
           std::function<void(const Answer& answer)> done) override {
    const auto ours = std::static_pointer_cast<OneContainer>(object);
    ask_of(*client_, call, ours->life.sight().state, ours->order, ours->launch, std::move(done),
           [this, ours](const Heard& heard) {
             if (heard.created != 0) images_.used(ours->order.image, heard);
             if (heard.container) ours->listen(*heard.container);
           });
  }
  void stream(const ObjectPtr& object, std::function<bool(const std::string& piece)> piece,
              std::function<void()> done) override {
    net::HttpCall call;
    call.target = logs_target(object->name, log_lines, true);
    const auto reader = std::make_shared<LogReader>(our_object(*object).order.terminal);
    EngineClient::Stream stream;
    stream.piece = [reader, piece = std::move(piece)](const std::string& bytes) {
      return piece(reader->put(bytes));
    };
    stream.done = [done = std::move(done)](const EngineClient::Answer&) { done(); };
    client_->stream(std::move(call), stream_limit, net::HttpClient::no_limit, std::move(stream));
  }
  void remove_stray(const Shown& object) override {
    const std::string& name = object.name;
    if (!strays_.insert(name).second) return;
    net::HttpCall call;
    call.method = "DELETE";
    call.target = place_.dialect.remove_target(name);
    client_->ask(std::move(call), removal_limit, [this, name](const EngineClient::Answer& answer) {
      strays_.erase(name);
      if (answer.status < 200 || answer.status >= 300) return;
      obs::log_warning("a container of this worker that it did not know is removed",
                       {{"container", name}});
    });
  }
  std::size_t remove_and_wait(const std::vector<std::string>& names, bool) override {
    return containers::remove_and_wait(place_, names, removal_limit);
  }

  [[nodiscard]] std::string problem() const override {
    return watch_.is_away() ? "the container engine does not answer: " + watch_.why_away() : "";
  }

  [[nodiscard]] SdkPlace sdk_place(const ContainerOptions& container,
                                   const wire::RoomPlace& place) const override {
    if (container.network == ContainerNetwork::host) return {};
    return sdk_.place_for(published_ports(container, place));
  }
  std::optional<std::vector<process::Descriptor>> listeners_of(const std::string& name) override {
    return found_.listeners_of(name);
  }
  [[nodiscard]] std::string folder_of(const std::string&) const override {
    return std::string{room_folder};
  }

 private:
  void listed(const std::vector<Container>& all) {
    std::vector<Shown> shown;
    shown.reserve(all.size());
    for (const Container& each : all) shown.push_back({each.name, sight_in_list(each)});
    news_.listed(shown);
  }
  void happened(const EngineEvent& event) {
    if (event.labels.cluster != owner_.cluster || event.labels.worker != owner_.worker) return;
    if (event.action == "create" || event.action == "start") {
      news_.appeared({event.name, {.state = Sight::State::made}});
    } else if (event.action == "die" || event.action == "destroy") {
      news_.ended({event.name, sight_of(event)});
    }
  }

  boost::asio::io_context& context_;
  EnginePlace place_;
  Owner owner_;
  std::string address_;
  std::uint32_t log_bytes_;
  std::vector<std::string> wanted_images_;
  News news_;
  FoundContainers found_;
  ContainerSdk sdk_;
  std::unique_ptr<EngineClient> client_;
  Images images_;
  EngineWatch watch_;
  std::set<std::string> strays_;  // containers that are being removed
};

}  // namespace

std::shared_ptr<GameRunner> make_container_runner(boost::asio::io_context& context,
                                                  const RunnerOptions& options,
                                                  const Dialect& dialect) {
  return engine::make_engine_runner(context, options,
                                    std::make_unique<ContainerEngine>(context, options, dialect));
}

}  // namespace fixkeep::worker::containers
