// The HTTP interface of a master over a real server, for tests about tickets. Its core is the test:
// it sees the events, and gives the answers.
//
// Thread rule: the test's thread. Bounds: those of a test. Errors: none.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/auth/api_key.hpp"
#include "common/net/steady_clock.hpp"
#include "master/core/directory/directory.hpp"
#include "master/http/api.hpp"
#include "tests/support/token_issuer.hpp"
#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::master {

struct TicketMaster {
  static constexpr auto wait = std::chrono::milliseconds{30'000};
  static constexpr auto keep = std::chrono::seconds{20};

  explicit TicketMaster(std::string secret = "of the cluster", std::uint16_t id = 1)
      : self(id), desk(options(self, std::move(secret)), [this](Event&& event) { take(event); }) {}

  ~TicketMaster() {
    server.on_thread([&] {
      feed->stop();
      views->stop();
    });
  }
  TicketMaster(const TicketMaster&) = delete;
  TicketMaster& operator=(const TicketMaster&) = delete;
  // --- the callers
  static const support::TokenIssuer& studio() {
    static const auto made =
        support::TokenIssuer::of_secret("a secret of thirty-two bytes or more");
    return made;
  }
  static std::string token_of(const std::string& player) {
    return studio().token(R"({"iss":"studio","aud":"fixkeep","exp":4000000000,"sub":")" + player +
                          R"("})");
  }
  static const std::string& service_key() {
    static const std::string made = auth::make_api_key();
    return made;
  }

  using Client = std::unique_ptr<net::test::Client>;
  [[nodiscard]] Client send(const std::string& line, const std::string& credential,
                            const std::string& body = {}, const std::string& fields = {}) const {
    auto client = std::make_unique<net::test::Client>(server.port());
    const std::string shown =
        credential.empty() ? "" : "Authorization: Bearer " + credential + "\r\n";
    client->send(line + " HTTP/1.1\r\nHost: h\r\n" + shown + fields +
                 "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    return client;
  }
  [[nodiscard]] std::string ask(const std::string& line, const std::string& credential,
                                const std::string& body = {},
                                const std::string& fields = {}) const {
    const auto client = send(line, credential, body, fields);
    return client->read_answer();
  }
  [[nodiscard]] std::string make(const std::string& credential,
                                 const std::string& body = R"({"mode":"duel"})") const {
    return ask("POST /v1/tickets", credential, body);
  }
  [[nodiscard]] std::string ticket(const std::string& credential,
                                   const std::string& body = R"({"mode":"duel"})") const {
    return json_of(make(credential, body)).value("ticket", "no ticket");
  }
  [[nodiscard]] std::string look(const std::string& ticket, const std::string& credential,
                                 const std::string& fields = {}) const {
    return ask("GET /v1/tickets/" + ticket, credential, {}, fields);
  }
  // The poll has arrived when this returns.
  [[nodiscard]] Client poll(const std::string& ticket, const std::string& credential,
                            const std::string& tag = {}) {
    const auto before = answered();
    const std::string tags = tag.empty() ? "" : "If-None-Match: W/\"" + tag + "\"\r\n";
    auto client = send("GET /v1/tickets/" + ticket, credential, {}, "Prefer: wait=10\r\n" + tags);
    EXPECT_TRUE(net::test::eventually([&] { return answered() > before; }));
    return client;
  }
  [[nodiscard]] std::string cancel(const std::string& ticket, const std::string& credential) const {
    return ask("DELETE /v1/tickets/" + ticket, credential);
  }
  static nlohmann::json json_of(const std::string& answer) {
    return nlohmann::json::parse(answer.substr(answer.find("\r\n\r\n")), nullptr, false);
  }
  static std::string status_of(const std::string& answer) { return answer.substr(9, 3); }
  [[nodiscard]] std::vector<MatchRequested> requested() {
    return server.on_thread([&] { return requested_; });
  }
  [[nodiscard]] auto cancelled() {
    return server.on_thread([&] { return cancelled_; });
  }
  [[nodiscard]] auto left() {
    return server.on_thread([&] { return left_; });
  }
  void seat(TicketId request) {
    server.on_thread([&] {
      const auto asked = std::ranges::find(requested_, request, &MatchRequested::ticket);
      Seated seated{.ticket = request,
                    .room = {WorkerId{"w1"}, Incarnation{1}, RoomNumber{3}},
                    .group = asked->group,
                    .place = {"127.0.0.1", {{"default", 20'000}}},
                    .players = {asked->claim.player},
                    .reserved_for = std::chrono::seconds{15}};
      for (const PlayerId& player : asked->claim.party) seated.players.push_back(player);
      desk.answer(seated, now(), auth::WallTime{});
    });
  }
  void give_back() {  // answers the last leave
    server.on_thread([&] { desk.answer({left_.back().ticket}); });
  }
  void match(TicketId request, bool has_seats = true) {
    server.on_thread([&] { tickets.matched({request, has_seats}, now()); });
  }
  void refuse(TicketId request, Refusal reason) {
    server.on_thread([&] {
      desk.answer(Refused{request, reason, std::chrono::seconds{1}}, now(), core.directory());
    });
  }
  void pass(Duration time) {
    passed = passed.load() + time;
    server.on_thread([&] { tickets.tick(now()); });
  }
  [[nodiscard]] TimePoint now() const { return began + passed.load(); }
  [[nodiscard]] std::uint64_t answered() {
    return server.on_thread([&] { return handled_; });
  }

  static MatchDeskOptions options(MasterId self, std::string secret) {
    std::vector<Mode> modes{{.name = ModeName{"duel"}, .capacity = 4},
                            {.name = ModeName{"arena"}, .capacity = 8, .join = {.code = true}}};
    return {.self = self,
            .incarnation = Incarnation{7},
            .intake = {.modes = std::move(modes),
                       .wait = wait,
                       .identity = {.open = true,
                                    .rules = {.issuer = "studio", .audience = "fixkeep"},
                                    .token_keys = studio().keys(),
                                    .keys = {{.name = "backend",
                                              .hash = auth::hash_of_api_key(service_key())}}},
                       .secret = std::move(secret)}};
  }
  static MasterOptions core_options(MasterId self) {
    return {.self = self, .locks = {.self = self}};
  }
  void take(const Event& event) {
    if (const auto* match = std::get_if<MatchRequested>(&event)) requested_.push_back(*match);
    const auto* gone = std::get_if<RequestCancelled>(&event);
    if (gone != nullptr) cancelled_.push_back(gone->ticket);
    if (const auto* seats = std::get_if<SeatsLeft>(&event)) left_.push_back(*seats);
  }

  const MasterId self;
  const TimePoint began = net::steady_now();
  std::atomic<Duration> passed{Duration{}};
  std::vector<MatchRequested> requested_;
  std::vector<TicketId> cancelled_;
  std::vector<SeatsLeft> left_;
  std::uint64_t handled_ = 0;
  MatchDesk desk;
  MasterCore core{core_options(self), began};
  std::vector<std::string> told;  // events for the webhook
  TicketsDesk tickets{desk, core, keep, [this](auto event) { told.push_back(event); }};
  MatchesDesk matches{desk, core};
  boost::asio::io_context idle{1};
  std::shared_ptr<ViewDesk> views = ViewDesk::start(idle);
  events::Journal journal{"m1", 10};
  std::shared_ptr<Feed> feed = Feed::start(idle, {.node = "m1", .cluster = "test", .modes = {}},
                                           *views, [] { return FrameFacts{}; });
  std::shared_ptr<WorkerCalls> calls =
      WorkerCalls::start(idle, [](const WorkerId&, wire::OperatorCall&&) { return false; });
  Api api{{.self = self, .now = [this] { return now(); }, .journal = journal, .feed = *feed},
          core,
          desk,
          *views,
          *calls,
          matches,
          tickets};
  net::test::RunningServer server{
      [this](net::HttpRequest&& request, const net::HttpResponder& responder) {
        api.handle(request, responder, Audience::players);
        ++handled_;
      }};
};

}  // namespace fixkeep::master
