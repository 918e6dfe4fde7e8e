// News about tickets in streams, and batches of tickets.
#include "master/http/tickets/streams.hpp"

#include "tests/unit/master/http/tickets/ticket_master.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

struct TicketStreams : testing::Test {
  // The next event, as "id data"; the end of the stream is empty.
  static std::string next(const TicketMaster::Client& stream) {
    for (;;) {
      const std::string text = stream->read_until("\n\n");
      if (text.starts_with(":")) continue;
      const auto data = text.find("\ndata: ");
      if (data == std::string::npos) return text;
      return text.substr(4, data - 4) + " " + text.substr(data + 7, text.size() - data - 9);
    }
  }
  // The stream has arrived when this returns.
  [[nodiscard]] TicketMaster::Client open(const std::string& path, const std::string& credential,
                                          const std::string& last = {}) {
    const auto before = master.answered();
    const std::string id = last.empty() ? "" : "Last-Event-ID: " + last + "\r\n";
    auto client = master.send("GET " + path, credential, {}, "Accept: text/event-stream\r\n" + id);
    EXPECT_TRUE(net::test::eventually([&] { return master.answered() > before; }));
    (void)client->read_until("\r\n\r\n");
    return client;
  }
  [[nodiscard]] TicketMaster::Client of_service() {
    return open("/v1/tickets", TicketMaster::service_key());
  }
  [[nodiscard]] TicketMaster::Client stream(const std::string& ticket,
                                            const std::string& last = {}) {
    return open("/v1/tickets/" + ticket, ann, last);
  }
  std::string make_for(const std::string& player) const {
    return TicketMaster::json_of(master.make(TicketMaster::service_key(),
                                             R"({"mode":"duel","player_id":")" + player + "\"}"))
        .value("ticket_id", "none");
  }
  [[nodiscard]] std::string batch(const std::string& requests, const std::string& who = {}) const {
    return master.ask("POST /v1/tickets:batch", who.empty() ? TicketMaster::service_key() : who,
                      requests);
  }

  const std::string ann = TicketMaster::token_of("ann");
  TicketMaster master;
};

TEST_F(TicketStreams, have_each_state_once_and_end_with_the_ticket) {
  const std::string ticket = master.ticket(ann);
  const auto news = stream(ticket);
  EXPECT_THAT(next(news), StartsWith("waiting {"));
  master.match(TicketId{1});
  EXPECT_THAT(next(news), StartsWith("matched {"));
  master.match(TicketId{1}, false);
  EXPECT_THAT(next(news), StartsWith("waiting {")) << "the room did not come up";
  master.seat(TicketId{1});
  const std::string ready = next(news);
  EXPECT_THAT(ready, StartsWith("ready {"));
  EXPECT_EQ(nlohmann::json::parse(ready.substr(6)),
            TicketMaster::json_of(master.look(ticket, ann)));
  EXPECT_EQ(next(news), "");
}

TEST_F(TicketStreams, go_on_after_the_state_that_the_client_has_seen) {
  const std::string ticket = master.ticket(ann);
  const auto broken = stream(ticket);
  EXPECT_THAT(next(broken), StartsWith("waiting {"));
  const auto again = stream(ticket, "waiting");
  EXPECT_EQ(next(broken), "") << "a newer stream replaces the earlier one";
  master.seat(TicketId{1});
  EXPECT_THAT(next(again), StartsWith("ready {"));
  const auto status =
      master.look(ticket, ann, "Accept: text/event-stream\r\nLast-Event-ID: ready\r\n");
  EXPECT_EQ(TicketMaster::status_of(status), "204") << "it says nothing more";
  EXPECT_THAT(master.requested(), SizeIs(1));
}

TEST_F(TicketStreams, keep_a_ticket_as_long_as_somebody_reads) {
  const std::string ticket = master.ticket(ann);
  auto news = stream(ticket);
  for (int i = 0; i < 10; ++i) master.pass(stream_beat);
  EXPECT_THAT(news->read_until("\n\n"), StartsWith("id: waiting"));
  EXPECT_EQ(news->read_until("\n\n"), ": nothing new\n\n");
  EXPECT_THAT(master.cancelled(), IsEmpty());
  news->reset();
  EXPECT_TRUE(net::test::eventually([&] {
    master.pass(stream_beat);
    return !master.cancelled().empty();
  })) << "nobody is there";
}

TEST_F(TicketStreams, say_that_a_ticket_is_lost_here_and_valid_elsewhere) {
  const std::string ticket = master.ticket(ann);
  const auto news = stream(ticket, "waiting");
  master.refuse(TicketId{1}, Refusal::no_capacity);
  const std::string lost = next(news);
  EXPECT_THAT(lost, StartsWith("lost {"));
  EXPECT_THAT(lost, HasSubstr("urn:fixkeep:error:no-capacity"));
  EXPECT_EQ(next(news), "");
}

TEST_F(TicketStreams, of_a_service_have_its_tickets_alone_and_keep_them_without_polls) {
  const auto service = of_service();
  const std::string of_bob = make_for("bob");
  (void)master.ticket(ann);
  master.seat(TicketId{2});
  for (int i = 0; i < 10; ++i) master.pass(stream_beat);
  EXPECT_THAT(master.cancelled(), IsEmpty());
  master.match(TicketId{1});
  EXPECT_THAT(next(service), StartsWith("matched {\"ticket_id\":\"" + of_bob));
  master.seat(TicketId{1});
  const std::string ready = next(service);
  EXPECT_THAT(ready, StartsWith("ready {\"ticket_id\":\"" + of_bob));
  EXPECT_THAT(ready, HasSubstr("seat_token"));
  make_for("cid");
  master.refuse(TicketId{3}, Refusal::no_capacity);
  EXPECT_THAT(next(service), StartsWith("lost {"));
}

TEST_F(TicketStreams, are_not_needed_for_events_of_the_tickets_of_a_service) {
  (void)master.ticket(ann);
  const auto of_bob = TicketMaster::json_of(
      master.make(TicketMaster::service_key(), R"({"mode":"duel","player_id":"bob"})"));
  const std::string bob = of_bob.at("ticket_id");
  const std::string cid = make_for("cid");
  master.match(TicketId{2});
  master.match(TicketId{2}, false);
  master.seat(TicketId{2});
  master.refuse(TicketId{3}, Refusal::party_too_large);
  master.match(TicketId{1});
  const auto cancels = master.send("DELETE /v1/tickets/" + of_bob.at("ticket").get<std::string>(),
                                   TicketMaster::service_key());
  EXPECT_TRUE(net::test::eventually([&] { return !master.left().empty(); }));
  master.give_back();
  (void)cancels->read_answer();
  const auto told = master.server.on_thread([&] { return master.told; });
  std::vector<std::string> ids;
  for (const std::string& text : told) {
    const auto event = nlohmann::json::parse(text);
    EXPECT_EQ(event.at("event"), "ticket-state");
    const auto& ticket = event.at("ticket");
    ids.push_back(event.at("id"));
    EXPECT_THAT(ids.back(), StartsWith("ticket-state/" + ticket.at("ticket_id").get<std::string>() +
                                       "/" + ticket.at("state").get<std::string>()));
  }
  EXPECT_EQ(nlohmann::json::parse(told.at(1)).at("ticket").at("seat").at("room_id"),
            "w1-0000000000000001-3");
  EXPECT_EQ(ids, (std::vector<std::string>{"ticket-state/" + bob + "/matched",
                                           "ticket-state/" + bob + "/ready/w1-0000000000000001-3",
                                           "ticket-state/" + cid + "/failed",
                                           "ticket-state/" + bob + "/cancelled"}));
}

TEST_F(TicketStreams, of_a_service_that_is_gone_keep_no_ticket) {
  auto service = of_service();
  make_for("bob");
  service->reset();
  EXPECT_TRUE(net::test::eventually([&] {
    master.pass(stream_beat);
    return !master.cancelled().empty();
  }));
}

TEST_F(TicketStreams, of_a_service_are_four_at_most) {
  const auto first = of_service();
  std::vector<TicketMaster::Client> more;
  for (std::size_t i = 0; i < OwnerStreams::most_of_owner; ++i) { more.push_back(of_service()); }
  EXPECT_EQ(next(first), "") << "the oldest has ended";
  make_for("bob");
  master.match(TicketId{1});
  for (const auto& each : more) EXPECT_THAT(next(each), StartsWith("matched {"));
}

TEST_F(TicketStreams, of_all_tickets_are_for_services_that_accept_them) {
  const std::string key = TicketMaster::service_key();
  EXPECT_THAT(master.ask("GET /v1/tickets", ann), HasSubstr("urn:fixkeep:error:key-needed"));
  EXPECT_THAT(master.ask("GET /v1/tickets", {}), HasSubstr("urn:fixkeep:error:key-needed"));
  EXPECT_THAT(master.ask("GET /v1/tickets", key), HasSubstr("Accept: text/event-stream"));
  const auto head = master.send("HEAD /v1/tickets", key, {}, "Accept: text/event-stream\r\n");
  EXPECT_THAT(head->read_until("\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
}

TEST_F(TicketStreams, of_a_service_end_when_keys_change) {
  const auto service = of_service();
  master.server.on_thread([&] { master.tickets.keys_changed(); });
  EXPECT_EQ(next(service), "");
}

TEST_F(TicketStreams, that_are_closed_are_not_among_the_four) {
  const auto first = of_service();
  for (std::size_t i = 1; i < OwnerStreams::most_of_owner; ++i) of_service()->reset();
  std::vector<TicketMaster::Client> more;
  EXPECT_TRUE(net::test::eventually([&] {
    return master.server.on_thread([&] { return master.server.server().connections(); }) == 1;
  }));
  more.push_back(of_service());
  make_for("bob");
  master.match(TicketId{1});
  EXPECT_THAT(next(first), StartsWith("matched {"));
}

TEST_F(TicketStreams, batches_have_an_answer_for_each_request) {
  const auto page = TicketMaster::json_of(batch(R"({"requests":[
      {"mode":"duel","player_id":"ann"}, {"mode":"duel","player_id":"ann"},
      {"mode":"golf","player_id":"bob"}, 7, {"mode":"arena","player_id":"ann"}]})"));
  std::vector<int> statuses;
  for (const auto& each : page.at("answers")) statuses.push_back(each.at("status"));
  EXPECT_THAT(statuses, ElementsAre(201, 409, 400, 400, 201));
  const std::string ticket = page.at("answers")[0].at("body").at("ticket");
  EXPECT_EQ(TicketMaster::status_of(master.look(ticket, TicketMaster::service_key())), "200");
  EXPECT_THAT(page.at("answers")[1].at("body").at("type"), "urn:fixkeep:error:already-waiting");
  EXPECT_GT(page.at("answers")[1].at("retry_after_s"), 0);
  EXPECT_THAT(master.requested(), SizeIs(2));
}

TEST_F(TicketStreams, batches_of_another_shape_are_refused_and_make_nothing) {
  std::string many = R"({"requests":[)";
  for (int i = 0; i < 101; ++i) many += i == 0 ? "{}" : ",{}";
  for (const std::string& wrong :
       {std::string{R"({"requests":[]})"}, std::string{R"({"requests":{"mode":"duel"}})"},
        std::string{R"([{"mode":"duel"}])"}, std::string{R"({"requests":[{}],"mode":"duel"})"},
        many + "]}"}) {
    EXPECT_THAT(batch(wrong), HasSubstr("urn:fixkeep:error:invalid-request")) << wrong;
  }
  EXPECT_THAT(batch("{"), HasSubstr("urn:fixkeep:error:invalid-json"));
  EXPECT_THAT(batch("{\"requests\":[" + std::string(40, '[') + std::string(40, ']') + "]}"),
              HasSubstr("at most 32 levels"));
  EXPECT_THAT(batch("{", ann), HasSubstr("urn:fixkeep:error:key-needed"));
  EXPECT_THAT(batch("{", "a.wrong.key"), HasSubstr("WWW-Authenticate")) << "before it is read";
  EXPECT_THAT(master.requested(), IsEmpty());
}

}  // namespace
}  // namespace fixkeep::master
