// Tickets, from the first request to the seat.
#include "master/http/tickets/desk.hpp"

#include "tests/unit/master/http/tickets/ticket_master.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct TicketsTest : testing::Test {
  static std::string state_of(const std::string& answer) {
    return TicketMaster::json_of(answer).value("state", "none");
  }

  const std::string ann = TicketMaster::token_of("ann");
  TicketMaster master;
};

TEST_F(TicketsTest, are_made_with_all_that_their_owner_needs) {
  const std::string made = master.make(ann, R"({"mode":"duel","wait_ms":5000})");
  EXPECT_EQ(TicketMaster::status_of(made), "201");
  EXPECT_THAT(made, HasSubstr("ETag: W/\"waiting\"\r\n"));
  const auto page = TicketMaster::json_of(made);
  EXPECT_THAT(made, HasSubstr("Location: /v1/tickets/" + page.at("ticket").get<std::string>()));
  EXPECT_EQ(page.at("state"), "waiting");
  EXPECT_EQ(page.at("mode"), "duel");
  EXPECT_TRUE(page.contains("expires_at"));
  const auto requested = master.requested();
  ASSERT_THAT(requested, SizeIs(1));
  EXPECT_EQ(requested[0].claim.player, PlayerId{"ann"});
  EXPECT_EQ(requested[0].deadline, master.now() + seconds{5});
  EXPECT_EQ(requested[0].since, master.now());
}

TEST_F(TicketsTest, have_one_claim_however_often_they_are_polled) {
  const std::string ticket = master.ticket(ann);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(state_of(master.look(ticket, ann)), "waiting");
    const auto polled = master.poll(ticket, ann);
  }
  EXPECT_THAT(master.requested(), SizeIs(1));
}

TEST_F(TicketsTest, of_a_player_are_one_in_each_mode) {
  const std::string ticket = master.ticket(ann);
  const std::string second = master.make(ann);
  EXPECT_EQ(TicketMaster::status_of(second), "409");
  EXPECT_THAT(second, HasSubstr("urn:fixkeep:error:already-waiting"));
  EXPECT_THAT(second, HasSubstr("Retry-After: 20\r\n"));
  EXPECT_EQ(TicketMaster::json_of(second).value("ticket", ""), ticket) << "its answer may be lost";
  const std::string named = R"({"player_id":"ann","mode":"duel"})";
  for (const std::string& other : {std::string{}, TicketMaster::service_key()}) {
    const std::string refused = master.make(other, named);
    EXPECT_EQ(TicketMaster::status_of(refused), "409");
    EXPECT_FALSE(TicketMaster::json_of(refused).contains("ticket"));
  }
  EXPECT_EQ(TicketMaster::status_of(master.make(ann, R"({"mode":"arena","attributes":{}})")),
            "201");
  EXPECT_THAT(master.requested(), SizeIs(2));
}

TEST_F(TicketsTest, answer_a_poll_as_soon_as_there_is_a_seat) {
  const std::string ticket = master.ticket(ann);
  const auto polled = master.poll(ticket, ann, "waiting");
  master.seat(TicketId{1});
  const std::string answer = polled->read_answer();
  EXPECT_THAT(answer, HasSubstr("ETag: W/\"ready\"\r\n"));
  const auto page = TicketMaster::json_of(answer);
  EXPECT_EQ(page.at("state"), "ready");
  EXPECT_EQ(page.at("seat").at("port"), 20'000);
  EXPECT_TRUE(page.at("seat").contains("seat_token"));
  EXPECT_EQ(TicketMaster::json_of(master.look(ticket, ann)), page) << "an answer may be lost";
  const std::string again = master.look(ticket, ann, "If-None-Match: W/\"ready\"\r\n");
  EXPECT_EQ(TicketMaster::status_of(again), "304");
}

TEST_F(TicketsTest, tell_that_the_room_starts_only_those_who_follow_the_states) {
  const std::string ticket = master.ticket(ann);
  auto polled = master.poll(ticket, ann, "waiting");
  master.match(TicketId{1});
  EXPECT_EQ(state_of(polled->read_answer()), "matched");
  polled = master.poll(ticket, ann, "matched");
  master.match(TicketId{1}, false);
  EXPECT_EQ(state_of(polled->read_answer()), "waiting") << "the room did not come up";
  polled = master.poll(ticket, ann);
  master.match(TicketId{1});
  master.seat(TicketId{1});
  EXPECT_EQ(state_of(polled->read_answer()), "ready");
}

TEST_F(TicketsTest, answer_a_poll_whose_wait_is_over_with_the_present_state) {
  const std::string ticket = master.ticket(ann);
  const auto plain = master.poll(ticket, ann);
  master.pass(seconds{10});
  EXPECT_EQ(state_of(plain->read_answer()), "waiting");
  const auto tagged = master.poll(ticket, ann, "waiting");
  master.pass(seconds{10});
  const std::string unchanged = tagged->read_until("\r\n\r\n");
  EXPECT_EQ(TicketMaster::status_of(unchanged), "304");
  EXPECT_THAT(unchanged, HasSubstr("ETag: W/\"waiting\"\r\n"));
}

TEST_F(TicketsTest, answer_an_earlier_poll_when_a_later_one_comes) {
  const std::string ticket = master.ticket(ann);
  const auto earlier = master.poll(ticket, ann);
  const auto later = master.poll(ticket, ann);
  const std::string displaced = earlier->read_answer();
  EXPECT_EQ(state_of(displaced), "waiting");
  EXPECT_THAT(displaced, HasSubstr("Retry-After: 1\r\n")) << "or two clients poll without a pause";
  master.seat(TicketId{1});
  EXPECT_EQ(state_of(later->read_answer()), "ready");
}

TEST_F(TicketsTest, that_are_not_polled_are_not_matched) {
  const std::string ticket = master.ticket(ann);
  master.pass(TicketMaster::keep - milliseconds{1});
  EXPECT_THAT(master.cancelled(), IsEmpty());
  master.pass(milliseconds{1});
  EXPECT_THAT(master.cancelled(), ElementsAre(TicketId{1}));
  EXPECT_EQ(TicketMaster::status_of(master.look(ticket, ann)), "200");
  EXPECT_THAT(master.requested(), SizeIs(2)) << "the next poll goes on";
}

TEST_F(TicketsTest, are_kept_for_a_client_whose_connection_broke) {
  const std::string ticket = master.ticket(ann);
  auto broken = master.poll(ticket, ann);
  master.pass(seconds{9});
  broken->close();
  EXPECT_TRUE(net::test::eventually([&] {
    return master.server.on_thread([&] { return master.tickets.next_tick(); }) >
           master.now() + seconds{5};
  })) << "the time to keep begins when the client has left";
  master.pass(seconds{10});
  EXPECT_THAT(master.cancelled(), IsEmpty());
  master.pass(seconds{20});
  EXPECT_THAT(master.cancelled(), SizeIs(1));
}

TEST_F(TicketsTest, that_are_cancelled_wait_no_more) {
  const std::string ticket = master.ticket(ann);
  const auto polled = master.poll(ticket, ann);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(TicketMaster::status_of(master.cancel(ticket, ann)), "204");
  EXPECT_EQ(state_of(polled->read_answer()), "cancelled");
  EXPECT_THAT(master.cancelled(), ElementsAre(TicketId{1}));
  master.pass(TicketMaster::keep + seconds{1});
  EXPECT_EQ(state_of(master.look(ticket, ann)), "cancelled");
  EXPECT_THAT(master.requested(), SizeIs(1));
  EXPECT_EQ(TicketMaster::status_of(master.make(ann)), "201") << "another one may be made";
}

TEST_F(TicketsTest, that_are_cancelled_give_the_seats_of_all_players_back) {
  const std::string& key = TicketMaster::service_key();
  const std::string ticket =
      master.ticket(key, R"({"player_id":"ann","party":["bob"],"mode":"duel"})");
  master.seat(TicketId{1});
  const auto cancels = master.send("DELETE /v1/tickets/" + ticket, key);
  EXPECT_TRUE(net::test::eventually([&] { return !master.left().empty(); }));
  EXPECT_THAT(master.left().back().players, ElementsAre(PlayerId{"ann"}, PlayerId{"bob"}));
  EXPECT_EQ(state_of(master.look(ticket, key)), "ready");
  master.give_back();
  EXPECT_EQ(TicketMaster::status_of(cancels->read_answer()), "204");
  EXPECT_EQ(state_of(master.look(ticket, key)), "cancelled");
}

TEST_F(TicketsTest, are_polled_as_long_as_possible_by_who_prefers_longer_than_any_number) {
  const std::string ticket = master.ticket(ann);
  const auto before = master.answered();
  const auto polled =
      master.send("GET /v1/tickets/" + ticket, ann, {}, "Prefer: wait=99999999999\r\n");
  EXPECT_TRUE(net::test::eventually([&] { return master.answered() > before; }));
  master.seat(TicketId{1});
  EXPECT_EQ(state_of(polled->read_answer()), "ready");
}

TEST_F(TicketsTest, whose_seats_the_worker_does_not_give_back_are_cancelled_by_the_next_call) {
  const std::string ticket = master.ticket(ann);
  master.seat(TicketId{1});
  auto cancels = master.send("DELETE /v1/tickets/" + ticket, ann);
  EXPECT_TRUE(net::test::eventually([&] { return master.left().size() == 1; }));
  master.refuse(master.left().back().ticket, Refusal::worker_away);
  const std::string refused = cancels->read_answer();
  EXPECT_EQ(TicketMaster::status_of(refused), "503");
  EXPECT_THAT(refused, HasSubstr("urn:fixkeep:error:worker-away"));
  EXPECT_EQ(state_of(master.look(ticket, ann)), "ready");
  cancels = master.send("DELETE /v1/tickets/" + ticket, ann);
  EXPECT_TRUE(net::test::eventually([&] { return master.left().size() == 2; }));
  master.give_back();
  EXPECT_EQ(TicketMaster::status_of(cancels->read_answer()), "204");
}

TEST_F(TicketsTest, give_seats_back_although_the_client_hangs_up_before_the_answer) {
  const std::string ticket = master.ticket(ann);
  master.seat(TicketId{1});
  auto cancels = master.send("DELETE /v1/tickets/" + ticket, ann);
  EXPECT_TRUE(net::test::eventually([&] { return master.left().size() == 1; }));
  cancels->close();
  EXPECT_EQ(state_of(master.look(ticket, ann)), "ready");
  master.give_back();
  EXPECT_EQ(state_of(master.look(ticket, ann)), "cancelled");
}

TEST_F(TicketsTest, go_on_after_a_refusal_that_may_pass) {
  const std::string ticket = master.ticket(ann);
  const auto polled = master.poll(ticket, ann);
  master.refuse(TicketId{1}, Refusal::no_capacity);
  const std::string answer = polled->read_answer();
  EXPECT_EQ(TicketMaster::status_of(answer), "503");
  EXPECT_THAT(answer, HasSubstr("urn:fixkeep:error:no-capacity"));
  EXPECT_EQ(state_of(master.look(ticket, ann)), "waiting");
  EXPECT_THAT(master.requested(), SizeIs(2));
}

TEST_F(TicketsTest, go_on_when_their_mode_has_changed) {
  const std::string ticket = master.ticket(ann);
  const auto polled = master.poll(ticket, ann);
  master.server.on_thread([&] {
    std::vector<Mode> modes = master.desk.intake().modes();
    modes[0].capacity = 6;
    master.desk.renew(std::move(modes), master.now());
  });
  EXPECT_THAT(polled->read_answer(), HasSubstr("urn:fixkeep:error:modes-changed"));
  EXPECT_EQ(state_of(master.look(ticket, ann)), "waiting");
  EXPECT_EQ(master.requested().at(1).capacity, 6U);
}

TEST_F(TicketsTest, end_with_a_refusal_that_stays) {
  const std::string ticket = master.ticket(ann);
  master.refuse(TicketId{1}, Refusal::already_seated);
  const auto page = TicketMaster::json_of(master.look(ticket, ann));
  EXPECT_EQ(page.at("state"), "failed");
  EXPECT_EQ(page.at("problem").at("type"), "urn:fixkeep:error:already-seated");
  EXPECT_THAT(master.requested(), SizeIs(1));
}

TEST_F(TicketsTest, expire_with_the_reason) {
  const std::string ticket = master.ticket(ann);
  const auto polled = master.poll(ticket, ann);
  master.passed = TicketMaster::wait;
  master.refuse(TicketId{1}, Refusal::wait_timeout);
  const auto page = TicketMaster::json_of(polled->read_answer());
  EXPECT_EQ(page.at("state"), "expired");
  EXPECT_EQ(page.at("problem").at("type"), "urn:fixkeep:error:wait-timeout");
}

TEST_F(TicketsTest, tell_the_expected_wait_when_it_is_known) {
  EXPECT_FALSE(TicketMaster::json_of(master.make(ann)).contains("estimate"));
  master.passed = seconds{2};
  master.seat(TicketId{1});
  const auto page = TicketMaster::json_of(master.make(TicketMaster::token_of("bob")));
  EXPECT_GE(page.at("estimate").at("p50_ms"), 2'000);
}

TEST_F(TicketsTest, that_are_too_long_are_refused) {
  const std::string made = master.make(
      ann, R"({"mode":"duel","attributes":{"a":")" + std::string(4'000, 'a') + R"("}})");
  EXPECT_THAT(made, HasSubstr("urn:fixkeep:error:ticket-too-long"));
  EXPECT_THAT(master.requested(), IsEmpty());
}

// --- at other masters

struct TicketAtTwoMasters : TicketsTest {
  // A ticket as the first master would have made it.
  [[nodiscard]] std::string ticket_since(milliseconds ago, milliseconds left,
                                         const std::string& mode = "duel") const {
    const auto wall = std::chrono::time_point_cast<milliseconds>(std::chrono::system_clock::now());
    TicketTexts texts{"of the cluster"};
    return texts
        .sign({"m1-7-1", "player ann", wall - ago, wall + left,
               R"({"player_id":"ann","mode":")" + mode + R"("})"})
        .value();
  }
  [[nodiscard]] Duration age_at_other() {
    const auto requested = other.requested();
    return requested.empty() ? Duration::max() : other.now() - requested.back().since.value();
  }

  TicketMaster other{"of the cluster", 2};
};

TEST_F(TicketAtTwoMasters, go_on_with_the_age_of_their_player) {
  EXPECT_EQ(state_of(other.look(ticket_since(seconds{6}, seconds{24}), ann)), "waiting");
  EXPECT_GE(age_at_other(), seconds{6});
  EXPECT_LT(age_at_other(), seconds{8});
  const auto requested = other.requested();
  EXPECT_LE(requested.at(0).deadline, other.now() + seconds{24});
  EXPECT_GT(requested.at(0).deadline, other.now() + seconds{22});
  EXPECT_EQ(requested.at(0).claim.context.request_id, "m1-7-1") << "logs have its short id";
}

TEST_F(TicketAtTwoMasters, are_at_most_as_old_as_the_longest_wait) {
  (void)other.look(ticket_since(std::chrono::hours{9}, seconds{5}), ann);
  EXPECT_EQ(age_at_other(), TicketMaster::wait);
}

TEST_F(TicketAtTwoMasters, begin_in_no_future_and_wait_no_longer_than_allowed) {
  (void)other.look(ticket_since(-std::chrono::hours{9}, std::chrono::hours{10}), ann);
  EXPECT_EQ(age_at_other(), Duration{0});
  EXPECT_EQ(other.requested().at(0).deadline, other.now() + TicketMaster::wait);
}

TEST_F(TicketAtTwoMasters, are_expired_everywhere) {
  const std::string answer = other.look(ticket_since(seconds{30}, milliseconds{-1}), ann);
  EXPECT_EQ(TicketMaster::status_of(answer), "410");
  EXPECT_THAT(answer, HasSubstr("urn:fixkeep:error:ticket-expired"));
  EXPECT_THAT(other.requested(), IsEmpty());
}

TEST_F(TicketAtTwoMasters, are_expired_when_their_mode_has_gone) {
  const std::string answer = other.look(ticket_since(seconds{1}, seconds{9}, "chess"), ann);
  EXPECT_EQ(TicketMaster::status_of(answer), "410");
  EXPECT_THAT(answer, HasSubstr("urn:fixkeep:error:ticket-expired"));
  EXPECT_THAT(answer, HasSubstr("mode must be one of: duel, arena"));
}

TEST_F(TicketAtTwoMasters, are_shown_in_a_match_request) {
  const std::string ticket = ticket_since(seconds{6}, seconds{24});
  const auto waits = other.send("POST /v1/match", ann, R"({"ticket":")" + ticket + R"("})");
  ASSERT_TRUE(net::test::eventually([&] { return !other.requested().empty(); }));
  EXPECT_GE(age_at_other(), seconds{6});
  other.seat(other.requested().at(0).ticket);
  EXPECT_EQ(TicketMaster::status_of(waits->read_answer()), "200");
  for (const std::string& body :
       {R"({"ticket":")" + ticket + R"(","mode":"duel"})", std::string{R"({"ticket":7})"},
        std::string{R"({"ticket":""})"}}) {
    EXPECT_EQ(TicketMaster::status_of(other.ask("POST /v1/match", ann, body)), "400") << body;
  }
  EXPECT_EQ(TicketMaster::status_of(other.make(ann, R"({"ticket":")" + ticket + R"("})")), "400");
}

TEST_F(TicketAtTwoMasters, name_a_party_whose_invitations_were_shown_to_the_first) {
  const auto invited = [&](const std::string& member) {
    return TicketMaster::json_of(master.ask("POST /v1/invitations", TicketMaster::token_of(member),
                                            R"({"leader":"ann","mode":"duel"})"))
        .at("invitation");
  };
  const nlohmann::json body{{"mode", "duel"}, {"invitations", {invited("bob"), invited("cid")}}};
  const std::string ticket = master.ticket(ann, body.dump());
  EXPECT_EQ(state_of(other.look(ticket, ann)), "waiting");
  EXPECT_THAT(other.requested().at(0).claim.party, ElementsAre(PlayerId{"bob"}, PlayerId{"cid"}));
  const std::string bob = TicketMaster::token_of("bob");
  EXPECT_EQ(TicketMaster::status_of(other.make(bob)), "409") << "its leader waits for it";
}

TEST_F(TicketAtTwoMasters, keep_the_code_of_their_room) {
  const std::string ticket = master.ticket(ann, R"({"mode":"arena","create":"word"})");
  (void)other.look(ticket, ann);
  EXPECT_EQ(other.requested().at(0).group, master.requested().at(0).group);
  EXPECT_THAT(other.requested().at(0).group.text(), HasSubstr("/*code="));
}

TEST_F(TicketAtTwoMasters, are_gone_where_they_are_not_held) {
  EXPECT_EQ(TicketMaster::status_of(other.cancel(master.ticket(ann), ann)), "204");
  EXPECT_THAT(other.requested(), IsEmpty());
}

// --- strangers

TEST_F(TicketAtTwoMasters, are_of_no_use_to_another_caller) {
  const std::string ticket = master.ticket(ann);
  const std::string of_service =
      master.ticket(TicketMaster::service_key(), R"({"player_id":"bob","mode":"duel"})");
  const std::string of_anybody = master.ticket("", R"({"player_id":"cid","mode":"duel"})");
  const std::string bob = TicketMaster::token_of("bob");
  const auto refused = [&](const std::string& shown, const std::string& credential) {
    for (TicketMaster* at : {&master, &other}) {
      EXPECT_THAT(at->look(shown, credential), HasSubstr("urn:fixkeep:error:wrong-ticket"));
      EXPECT_THAT(at->cancel(shown, credential), HasSubstr("urn:fixkeep:error:wrong-ticket"));
      EXPECT_THAT(at->ask("POST /v1/match", credential, R"({"ticket":")" + shown + R"("})"),
                  HasSubstr("urn:fixkeep:error:wrong-ticket"));
    }
  };
  refused(ticket, bob);
  refused(ticket, TicketMaster::service_key());
  refused(ticket, "");
  refused(of_service, bob);
  refused(of_anybody, bob);
  EXPECT_THAT(master.requested(), SizeIs(3));
  EXPECT_THAT(master.cancelled(), IsEmpty());
  EXPECT_THAT(other.requested(), IsEmpty());
}

TEST_F(TicketAtTwoMasters, that_the_cluster_has_not_signed_do_not_count) {
  const std::string ticket = master.ticket(ann);
  TicketMaster stranger{"of another cluster"};
  TicketMaster without{""};
  std::string forged = ticket;
  forged[forged.find('.') - 2] ^= 1;
  const std::string invitation =
      TicketMaster::json_of(master.ask("POST /v1/invitations", TicketMaster::token_of("bob"),
                                       R"({"leader":"ann","mode":"duel"})"))
          .at("invitation");
  for (const std::string& text :
       {forged, ticket + "A", ticket.substr(1), ticket.substr(0, ticket.find('.')), invitation,
        stranger.ticket(ann), without.ticket(ann), std::string(4'001, 'a'), std::string{"."},
        std::string{"%2e"}}) {
    const std::string answer = other.look(text, ann);
    EXPECT_EQ(TicketMaster::status_of(answer), "403") << text;
    EXPECT_THAT(answer, HasSubstr("urn:fixkeep:error:wrong-ticket")) << text;
  }
  EXPECT_EQ(TicketMaster::status_of(other.look("", ann)), "403");
  EXPECT_THAT(other.requested(), IsEmpty());
}

}  // namespace
}  // namespace fixkeep::master
