#include "client-sim/cluster/containers.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <thread>

#include "common/base/percent.hpp"
#include "common/net/coroutines.hpp"
#include "common/net/http/client.hpp"
#include "common/process/child_process.hpp"
#include "common/process/program.hpp"

namespace fixkeep::client_sim {

namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::string_view unix_scheme = "unix://";
constexpr const char* repository = "localhost/fixkeep-demo-game";  // no registry has it
constexpr std::chrono::minutes archive_limit{1};
constexpr milliseconds look_again{100};
constexpr std::size_t most_answer = 16U << 20U;
constexpr std::size_t hash_digits = 16;

struct Answer {
  unsigned status = 0;  // HTTP status; 0: no answer, and `body` has the reason
  std::string body;
};

Answer ask(const std::string& socket, net::HttpCall call, milliseconds limit) {
  asio::io_context context{1};
  net::HttpClient client{context.get_executor(),
                         {.host = "localhost", .path = socket, .body_bytes = most_answer}};
  Answer answer;
  const auto asking = [&]() -> asio::awaitable<void> {
    auto reply = co_await client.ask(std::move(call), limit);
    if (reply) {
      answer = {.status = reply->status, .body = std::move(reply->body)};
    } else {
      answer.body = reply.error().message();
    }
  };
  asio::co_spawn(context, asking(), net::rethrow);
  context.run();
  return answer;
}

std::string encoded(std::string_view text) {
  std::string result;
  append_percent_encoded(text, "", result);
  return result;
}

struct EngineWords {
  const char* variable;  // the environment variable that names a place
  const char* remedy;
};

EngineWords words_of(const std::string& runner) {
  if (runner == "podman") {
    return {"CONTAINER_HOST",
            "Install Podman (apt-get install podman) and run: systemctl --user enable --now "
            "podman.socket (as root: without --user)"};
  }
  return {"DOCKER_HOST",
          "Install one (apt-get install docker.io), run as root or in the group docker"};
}

std::string usual_socket(const std::string& runner, const char* runtime_folder) {
  if (runner == "docker") return "/var/run/docker.sock";
  const bool is_users = ::geteuid() != 0 && runtime_folder != nullptr;
  return (is_users ? std::string{runtime_folder} : "/run") + "/podman/podman.sock";
}

std::string no_engine(const EnginePlace& place, const std::string& why) {
  const auto words = words_of(place.runner);
  return fmt::format(
      "--runner {} needs its engine; nothing answers at {} ({}). {}, or set {}=unix:///PATH",
      place.runner, place.socket, why, words.remedy, words.variable);
}

std::string contents(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

struct Ran {
  bool fine = false;
  std::string text;  // output, or the reason of the failure
};

Ran run(const std::string& name, std::vector<std::string> arguments, const fs::path& log) {
  const auto found = process::find_program(name, process::program_folders());
  if (found.path.empty()) return {.text = name + " is " + found.problem};
  arguments.insert(arguments.begin(), found.path);
  auto started = process::ChildProcess::start(arguments, log);
  if (!started) return {.text = started.error().message()};
  if (!started->wait(archive_limit)) return {.text = name + " took too long"};
  return {.fine = started->how_it_ended() == "exit code 0", .text = contents(log)};
}

struct Packed {
  std::string archive;
  std::string hash;
  std::string failure;
};

// Packs the program and its libraries. The same files always make the same archive.
Packed pack(const fs::path& program, const fs::path& scratch) {
  // If ldd fails, the program is statically linked: it needs no libraries.
  const auto linked = run("ldd", {program.string()}, scratch / "ldd.log");
  const auto file = scratch / "image.tar";
  std::vector<std::string> arguments{"--create",      "--dereference", "--hard-dereference",
                                     "--owner=0",     "--group=0",     "--numeric-owner",
                                     "--mtime=@0",    "--file",        file.string(),
                                     program.string()};
  for (auto& library : libraries_in(linked.text)) arguments.push_back(std::move(library));
  const auto made = run("tar", std::move(arguments), scratch / "tar.log");
  const auto hashed = made.fine ? run("sha256sum", {file.string()}, scratch / "hash.log") : made;
  Packed packed;
  if (hashed.fine) {
    packed.archive = contents(file);
    packed.hash = hashed.text.substr(0, hash_digits);
  } else {
    packed.failure = "cannot pack " + program.string() + ": " + hashed.text;
  }
  std::error_code ignored;  // the folder is removed after the run
  fs::remove(file, ignored);
  return packed;
}

// Returns the ids of the cluster's containers. No value: the engine did not list them, and
// `failure` has the reason.
std::optional<std::vector<std::string>> rooms_of(const std::string& socket,
                                                 const std::string& cluster, std::string& failure) {
  const json filters = {{"label", {"fixkeep.cluster=" + cluster}}};
  const auto answer =
      ask(socket, {.target = "/containers/json?all=1&filters=" + encoded(filters.dump())},
          ContainerEngine::answer_limit);
  const auto list = json::parse(answer.body, nullptr, /*allow_exceptions=*/false);
  if (answer.status != 200 || !list.is_array()) {
    failure = answer.body;
    return {};
  }
  std::vector<std::string> ids;
  for (const auto& each : list) {
    if (each.is_object() && each.contains("Id")) ids.push_back(each.value("Id", ""));
  }
  return ids;
}

// Removes unused images of earlier builds. The engine keeps an image while a container of this
// image exists. A later run then removes the image.
void remove_older_images(const std::string& socket, const std::string& newest) {
  const json filters = {{"reference", {repository}}};
  const auto answer = ask(socket, {.target = "/images/json?filters=" + encoded(filters.dump())},
                          ContainerEngine::answer_limit);
  const auto list = json::parse(answer.body, nullptr, /*allow_exceptions=*/false);
  if (answer.status != 200 || !list.is_array()) return;
  for (const auto& image : list) {
    if (!image.is_object() || !image.contains("RepoTags") || !image["RepoTags"].is_array())
      continue;
    for (const auto& tag : image["RepoTags"]) {
      if (!tag.is_string() || tag == newest) continue;
      (void)ask(socket,
                {.method = "DELETE", .target = "/images/" + encoded(tag.get<std::string>())},
                ContainerEngine::answer_limit);
    }
  }
}

}  // namespace

EnginePlace engine_of_this_machine(const std::string& runner,
                                   const std::function<const char*(const char*)>& variable) {
  const char* const name = words_of(runner).variable;
  const char* const given = variable(name);
  const std::string_view host = given == nullptr ? "" : given;
  const auto usual = usual_socket(runner, variable("XDG_RUNTIME_DIR"));
  if (host.empty()) return {.runner = runner, .socket = usual, .problem = {}};
  if (host.starts_with(unix_scheme) && host.size() > unix_scheme.size()) {
    return {
        .runner = runner, .socket = std::string{host.substr(unix_scheme.size())}, .problem = {}};
  }
  return {.runner = runner,
          .socket = {},
          .problem = fmt::format("{} is \"{}\": --runner {} takes an engine of this machine, for "
                                 "example {}=unix://{}",
                                 name, host, runner, name, usual)};
}

std::vector<std::string> libraries_in(std::string_view printed) {
  std::vector<std::string> paths;
  std::istringstream words{std::string{printed}};
  for (std::string word; words >> word;) {
    const bool is_path = word.front() == '/' && word.back() != ':';
    const bool is_new = std::find(paths.begin(), paths.end(), word) == paths.end();
    if (is_path && is_new) paths.push_back(std::move(word));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

ContainerEngine::Image ContainerEngine::image_of(const fs::path& program,
                                                 const fs::path& scratch) const {
  const auto version = ask(place_.socket, {.target = "/_ping"}, answer_limit);
  if (version.status != 200) return {.name = {}, .failure = no_engine(place_, version.body)};
  auto packed = pack(program, scratch);
  Image image{.name = std::string{repository} + ":" + packed.hash, .failure = packed.failure};
  if (!image.failure.empty()) return image;
  const net::HttpCall look{.target = "/images/" + image.name + "/json"};
  if (ask(place_.socket, look, answer_limit).status == 200) return image;
  const auto made = ask(place_.socket,
                        {.method = "POST",
                         .target = "/images/create?fromSrc=-&repo=" + image.name,
                         .fields = {{"Content-Type", "application/x-tar"}},
                         .body = std::move(packed.archive)},
                        import_limit);
  // The engine answers 200 before it imports the image. A second lookup shows whether the import
  // succeeded. If not, the answer's body has the reason.
  if (ask(place_.socket, look, answer_limit).status == 200) {
    remove_older_images(place_.socket, image.name);
    return image;
  }
  image.failure = "the engine cannot make the image " + image.name + ": " + made.body;
  return image;
}

ContainerEngine::Removed ContainerEngine::remove_rooms_of(const std::string& cluster,
                                                          milliseconds grace) const {
  const auto until = steady_clock::now() + grace;
  Removed removed;
  std::string why;
  auto rooms = rooms_of(place_.socket, cluster, why);
  while (rooms && !rooms->empty() && steady_clock::now() < until) {
    std::this_thread::sleep_for(look_again);
    rooms = rooms_of(place_.socket, cluster, why);
  }
  if (rooms) removed.containers = rooms->size();
  for (int round = 0; round < most_removals && rooms && !rooms->empty(); ++round) {
    for (const auto& id : *rooms) {
      const auto gone =
          ask(place_.socket, {.method = "DELETE", .target = "/containers/" + id + "?force=1&v=1"},
              answer_limit);
      if (gone.status >= 300 || gone.status == 0) why = gone.body;
    }
    rooms = rooms_of(place_.socket, cluster, why);
  }
  if (rooms && rooms->empty()) return removed;
  removed.failure = fmt::format(
      "containers of this run may be left ({0}); this removes them: {1} rm -fv $({1} ps -aq "
      "--filter label=fixkeep.cluster={2})",
      why, place_.runner, cluster);
  return removed;
}

}  // namespace fixkeep::client_sim
