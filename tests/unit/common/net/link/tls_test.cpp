// Links over TLS: who may come, who is told what, and what is on the wire.
#include "common/certs/folder.hpp"
#include "tests/unit/common/net/link/test_process.hpp"

#include <openssl/pem.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "common/net/tls/credentials.hpp"
#include "common/net/tls/x509.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fixkeep::net {
namespace {

namespace fs = std::filesystem;
using std::chrono::days;

constexpr days valid{10};

struct TlsLinkTest : LinkHubTest {
  TlsLinkTest() { make_authority("ours"); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder / name).string(); }
  void make_authority(const std::string& name, const std::string& cluster = "test") const {
    EXPECT_EQ(certs::CertificateFolder{path(name)}.init(cluster, days{100}), "");
  }
  // A certificate in the folder of an authority, for whatever cluster.
  void certify(const std::string& authority, const CertifiedNode& node,
               certs::Validity validity) const {
    const auto made = certs::CertificateFolder{path(authority)}.authority();
    const auto pair = std::get<certs::Authority>(made).certify(node, validity);
    const auto file = path(authority) + "/" + node.name;
    std::ofstream{file + ".pem"} << pair.certificate;
    std::ofstream{file + ".key"} << pair.key;
    fs::permissions(file + ".key", fs::perms::owner_read | fs::perms::owner_write);
  }
  [[nodiscard]] static certs::Validity from_now(days from, days until) {
    const auto now =
        std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
    return {now + from, now + until};
  }
  [[nodiscard]] TlsFiles files(const std::string& authority, const std::string& name) const {
    const auto base = path(authority);
    return {base + "/authority.pem", base + "/" + name + ".pem", base + "/" + name + ".key"};
  }
  [[nodiscard]] std::shared_ptr<TlsCredentials> load(const TlsFiles& wanted,
                                                     const CertifiedNode& self) const {
    auto loaded = TlsCredentials::load(wanted, self);
    const auto* const problem = std::get_if<std::string>(&loaded);
    EXPECT_EQ(problem, nullptr) << *problem;
    return problem == nullptr ? std::get<0>(loaded) : nullptr;
  }
  // With a certificate of its own, from the authority.
  LinkOptions secured(LinkOptions options, const std::string& authority = "ours") const {
    const CertifiedNode node{options.cluster, options.self.role, options.self.name};
    if (!fs::exists(files(authority, node.name).certificate)) {
      certify(authority, node, from_now(days{-1}, valid));
    }
    options.tls = load(files(authority, node.name), node);
    options.secret.clear();
    return options;
  }

  // Certificates that certify() has made, as fixkeepctl certs revoke does.
  void revoke(const std::vector<std::string>& names, const std::string& authority = "ours",
              std::chrono::sys_seconds at = std::chrono::floor<std::chrono::seconds>(
                  std::chrono::system_clock::now())) const {
    const auto made = certs::CertificateFolder{path(authority)}.authority();
    std::set<std::string> serials;
    for (const auto& name : names) {
      std::ifstream file{files(authority, name).certificate};
      const std::string pem{std::istreambuf_iterator<char>{file}, {}};
      serials.insert(std::get<certs::CertificateFacts>(certs::facts_of(pem)).serial);
    }
    std::ofstream{path(authority) + "/revoked.crl"}
        << std::get<certs::Authority>(made).revoke("", serials, at).value();
  }
  // As it is when nobody has renewed it.
  void lapse_list(const std::string& authority) const {
    const auto text = [&](const std::string& name) {
      std::ifstream file{path(authority) + "/" + name};
      return std::string{std::istreambuf_iterator<char>{file}, {}};
    };
    std::size_t unread = 0;
    const auto list = std::move(revocation_lists_in(text("revoked.crl"), unread).at(0));
    const auto key = private_key_in(text("authority.key"));
    const std::unique_ptr<ASN1_TIME, FreedBy<ASN1_TIME_free>> yesterday{
        X509_gmtime_adj(nullptr, -86'400)};
    ASSERT_EQ(X509_CRL_set1_nextUpdate(list.get(), yesterday.get()), 1);
    ASSERT_GT(X509_CRL_sign(list.get(), key.get(), EVP_sha256()), 0);
    const Bio file{BIO_new_file((path(authority) + "/revoked.crl").c_str(), "w")};
    ASSERT_EQ(PEM_write_bio_X509_CRL(file.get(), list.get()), 1);
  }
  [[nodiscard]] TlsFiles files_with_list(const std::string& authority,
                                         const std::string& name) const {
    auto with = files(authority, name);
    with.revoked = path(authority) + "/revoked.crl";
    return with;
  }
  [[nodiscard]] std::shared_ptr<TlsCredentials> with_list(
      const std::string& name, Role role, const std::string& authority = "ours") const {
    return load(files_with_list(authority, name), {"test", role, name});
  }

  test::TemporaryFolder folder;
};

TEST_F(TlsLinkTest, comes_up_and_carries_messages_without_a_secret) {
  const auto [listener, dialler] = linked(secured(master()), secured(worker()));
  EXPECT_EQ(listener->ups.back().name, "w1");
  for (std::uint64_t round = 1; round <= 1000; ++round) {
    ASSERT_TRUE(dialler->send(Role::master, "m1", round));
    ASSERT_TRUE(listener->send(Role::worker, "w1", round));
  }
  EXPECT_TRUE(
      until([&] { return listener->rounds.size() == 1000 && dialler->rounds.size() == 1000; }));
  EXPECT_EQ(listener->rounds.back(), 1000U);
}

TEST_F(TlsLinkTest, whoever_has_no_certificate_is_refused_and_both_know_why) {
  const auto listener = start(secured(master()));
  const auto plain = start(worker(), *listener);
  ASSERT_TRUE(until([&] { return listener->was_refused(Errc::not_tls); }));
  ASSERT_TRUE(until([&] { return plain->was_refused(Errc::not_tls); }));
  const auto other = start(master());
  const auto secure = start(secured(worker()), *other);
  ASSERT_TRUE(until([&] { return other->was_refused(Errc::not_tls); }));
  ASSERT_TRUE(until([&] { return secure->was_refused(Errc::not_tls); }));
}

TEST_F(TlsLinkTest, a_certificate_of_another_authority_is_refused_and_both_know_why) {
  make_authority("theirs");
  const auto listener = start(secured(master()));
  const auto dialler = start(secured(worker(), "theirs"), *listener);
  EXPECT_TRUE(until([&] { return dialler->was_refused(Errc::certificate_unknown_authority); }));
  EXPECT_TRUE(until([&] { return listener->was_refused(Errc::certificate_unknown_authority); }));
  EXPECT_TRUE(listener->ups.empty() && dialler->ups.empty());
}

// Those that trust an authority which has signed for another cluster as well.
TEST_F(TlsLinkTest, a_certificate_of_another_cluster_role_or_name_is_refused_and_both_know_why) {
  const auto listener = start(secured(master()));
  for (const CertifiedNode& other :
       {CertifiedNode{"other", Role::worker, "w1"}, CertifiedNode{"test", Role::master, "w1"},
        CertifiedNode{"test", Role::worker, "w2"}}) {
    SCOPED_TRACE(to_uri(other));
    certify("ours", other, from_now(days{-1}, valid));
    listener->refused.clear();
    auto options = worker();
    options.tls = load(files("ours", other.name), other);
    const auto dialler = start(options, *listener);
    EXPECT_TRUE(until([&] { return listener->was_refused(Errc::certificate_of_another); }));
    EXPECT_TRUE(until([&] { return dialler->was_refused(Errc::certificate_of_another); }));
    EXPECT_TRUE(listener->ups.empty());
  }
}

TEST_F(TlsLinkTest, a_master_with_the_certificate_of_another_is_refused) {
  auto options = secured(options_of(Role::master, "m2", 2));
  options.self.name = "m1";
  const auto listener = start(options);
  const auto dialler = start(secured(worker()), *listener);
  EXPECT_TRUE(until([&] { return dialler->was_refused(Errc::certificate_of_another); }));
  EXPECT_TRUE(until([&] { return listener->was_refused(Errc::certificate_of_another); }));
}

// It was good when its node began, and no one has renewed it.
TEST_F(TlsLinkTest, a_certificate_that_expires_meanwhile_is_refused_and_both_know_why) {
  const auto now =
      std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  certify("ours", {"test", Role::worker, "w1"}, {now - days{1}, now + std::chrono::seconds{2}});
  auto options = worker();
  options.tls = load(files("ours", "w1"), {"test", Role::worker, "w1"});
  const auto listener = start(secured(master()));
  std::this_thread::sleep_until(now + std::chrono::milliseconds{3100});
  const auto dialler = start(options, *listener);
  EXPECT_TRUE(until([&] { return listener->was_refused(Errc::certificate_expired); }));
  EXPECT_TRUE(until([&] { return dialler->was_refused(Errc::certificate_expired); }));
}

TEST_F(TlsLinkTest, is_renewed_without_losing_a_link) {
  const auto [listener, dialler] = linked(secured(master()), secured(worker()));
  // All that was there is worth nothing any more: another authority, and a chain of both.
  make_authority("newer");
  listener->hub->renew(secured(master(), "newer").tls);
  ASSERT_TRUE(dialler->send(Role::master, "m1", 1));
  ASSERT_TRUE(until([&] { return listener->rounds.size() == 1; }));
  EXPECT_TRUE(listener->downs.empty());
  // Links that are made from now on need the new one.
  dialler->hub->close(Role::master, "m1", Errc::unexpected_message);
  EXPECT_TRUE(until([&] { return dialler->was_refused(Errc::certificate_unknown_authority); }));
  dialler->hub->renew(secured(worker(), "newer").tls);
  EXPECT_TRUE(until([&] { return dialler->is_up() && listener->is_up(); }));
}

TEST_F(TlsLinkTest, a_revoked_certificate_is_refused_and_both_know_why) {
  auto options = secured(worker());
  auto ours = secured(master());
  revoke({"w1"});
  ours.tls = with_list("m1", Role::master);
  const auto listener = start(ours);
  const auto dialler = start(options, *listener);
  EXPECT_TRUE(until([&] { return listener->was_refused(Errc::certificate_refused); }));
  EXPECT_TRUE(until([&] { return dialler->was_refused(Errc::certificate_refused); }));
}

TEST_F(TlsLinkTest, one_that_is_not_revoked_is_welcome_beside_a_list) {
  auto ours = secured(master());
  auto other = worker();
  other.self.name = "w2";
  other = secured(other);
  (void)secured(worker());
  revoke({"w1"});
  ours.tls = with_list("m1", Role::master);
  const auto listener = start(ours);
  const auto dialler = start(other, *listener);
  EXPECT_TRUE(until([&] { return listener->is_up() && dialler->is_up(); }));
}

// Also where the node has the list that dials.
TEST_F(TlsLinkTest, loses_its_link_when_its_certificate_is_revoked) {
  for (const bool by_listener : {true, false}) {
    make_authority(by_listener ? "first" : "second");
    const std::string authority = by_listener ? "first" : "second";
    const auto listener = start(secured(master(), authority));
    const auto dialler = start(secured(worker(), authority), *listener);
    ASSERT_TRUE(until([&] { return listener->is_up() && dialler->is_up(); }));
    revoke({by_listener ? "w1" : "m1"}, authority);
    const auto& judge = by_listener ? listener : dialler;
    judge->hub->renew(by_listener ? with_list("m1", Role::master, authority)
                                  : with_list("w1", Role::worker, authority));
    EXPECT_TRUE(until([&] { return !judge->downs.empty(); }));
    EXPECT_TRUE(until([&] { return judge->was_refused(Errc::certificate_refused); }));
    EXPECT_FALSE(judge->is_up()) << "nor does it come again";
  }
}

// A relay that passes everything on, and keeps what it saw.
TEST_F(TlsLinkTest, shows_nothing_of_what_it_carries_on_the_wire) {
  const auto listener = start(secured(master()));
  tcp::acceptor relay{io, {asio::ip::address_v4::loopback(), 0}};
  tcp::socket in{io};
  tcp::socket out{io};
  std::string seen;
  std::array<std::array<char, 65536>, 2> buffers{};
  std::function<void(tcp::socket&, tcp::socket&, int)> pass = [&](tcp::socket& from,
                                                                  tcp::socket& to, int side) {
    auto& buffer = buffers.at(static_cast<std::size_t>(side));
    from.async_read_some(asio::buffer(buffer), [&, side](error_code error, std::size_t bytes) {
      if (error) return;
      seen.append(buffer.data(), bytes);
      asio::write(to, asio::buffer(buffer.data(), bytes), error);
      if (!error) pass(from, to, side);
    });
  };
  relay.async_accept(in, [&](error_code error) {
    ASSERT_FALSE(error);
    out.connect({asio::ip::address_v4::loopback(), listener->hub->port()});
    pass(in, out, 0);
    pass(out, in, 1);
  });
  const auto dialler = start(secured(worker()));
  dialler->hub->dial({"m1", "127.0.0.1", relay.local_endpoint().port()});
  ASSERT_TRUE(until([&] { return dialler->is_up(); }));
  ASSERT_TRUE(dialler->send(Role::master, "m1", 7));
  ASSERT_TRUE(until([&] { return listener->rounds.size() == 1; }));
  EXPECT_EQ(seen[0], '\x16') << "a handshake of TLS";
  EXPECT_EQ(seen.find("duel/eu"), std::string::npos);
  EXPECT_EQ(seen.find("fixkeep://"), std::string::npos) << "certificates are not seen either";
  EXPECT_NE(seen.find("fixkeep-link/1"), std::string::npos) << "what it offers is, in TLS 1.3";
  in.close();
  out.close();
}

// --- loading
// ---------------------------------------------------------------------------------------

struct TlsFilesTest : TlsLinkTest {
  TlsFilesTest() {
    certify("ours", self, from_now(days{-1}, valid));
    make_authority("theirs");
    certify("theirs", self, from_now(days{-1}, valid));
  }
  std::string problem(const TlsFiles& wanted, const CertifiedNode& node) const {
    auto loaded = TlsCredentials::load(wanted, node);
    const auto* const text = std::get_if<std::string>(&loaded);
    return text == nullptr
               ? ""
               : text->substr(0, text->find(path(""))) + "…" + text->substr(text->rfind('/') + 1);
  }
  const CertifiedNode self{"test", Role::worker, "w1"};
  const TlsFiles good = files("ours", "w1");
};

TEST_F(TlsFilesTest, that_are_right_are_loaded_and_say_when_they_end) {
  EXPECT_EQ(problem(good, self), "");
  const auto end = load(good, self)->expires_at();
  EXPECT_EQ(std::chrono::round<days>(end - std::chrono::system_clock::now()), valid);
}

TEST_F(TlsFilesTest, that_are_not_say_which_and_what_to_do) {
  EXPECT_EQ(problem({"/no/such", good.certificate, good.key}, self),
            "cannot read /no/such: No such file or directory…such: No such file or directory");
  EXPECT_EQ(problem({good.authority, good.certificate, files("theirs", "w1").key}, self),
            "…w1.pem");
  EXPECT_EQ(problem({files("theirs", "w1").authority, good.certificate, good.key}, self),
            "the certificate …w1.pem cannot be used: it was not signed by the authority");
  EXPECT_EQ(problem({good.authority, good.key, good.key}, self),
            "…w1.key holds no certificate in PEM");
  EXPECT_EQ(problem({good.authority, good.certificate, good.certificate}, self),
            "others may read the key …w1.pem: chmod 600 it");
  EXPECT_EQ(problem(good, {"test", Role::worker, "w2"}),
            "the certificate …w1.pem belongs to worker w1 of cluster \"test\", and this node is "
            "worker w2 of cluster \"test\"");
  certify("ours", self, from_now(days{-9}, days{-2}));
  EXPECT_TRUE(problem(good, self)
                  .starts_with("the certificate …w1.pem cannot be used: it has expired "
                               "on "))
      << problem(good, self);
  certify("ours", self, from_now(days{1}, days{2}));
  EXPECT_EQ(problem(good, self),
            "the certificate …w1.pem cannot be used: it is not valid yet: look at the clock");
}

TEST_F(TlsFilesTest, have_a_list_of_their_authority_in_which_they_are_not) {
  auto with = files_with_list("ours", "w1");
  EXPECT_EQ(problem(with, self), "") << "the empty one of certs init";
  EXPECT_EQ(problem(files_with_list("theirs", "w1"), self), "") << "and theirs of theirs";
  with.revoked = files_with_list("theirs", "w1").revoked;
  EXPECT_EQ(problem(with, self), "…revoked.crl holds a list that the authority has not signed");
  with.revoked = with.certificate;
  EXPECT_EQ(problem(with, self), "…w1.pem holds no list of revoked certificates in PEM");
  with.revoked = "/no/such";
  EXPECT_THAT(problem(with, self), ::testing::HasSubstr("cannot read /no/such"));
  revoke({"w1"});
  EXPECT_EQ(problem(files_with_list("ours", "w1"), self),
            "the certificate …w1.pem cannot be used: it is revoked: make another one with "
            "fixkeepctl certs node");
}

// And so does one of a clock that is ahead.
TEST_F(TlsFilesTest, have_a_list_that_counts_on_when_it_has_lapsed) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const auto other = CertifiedNode{"test", Role::worker, "w2"};
  certify("ours", other, from_now(days{-1}, valid));
  for (const auto lapse : {days{-2}, days{2}}) {
    revoke({"w2"}, "ours", now + lapse);
    if (lapse < days{0}) lapse_list("ours");
    EXPECT_EQ(problem(files_with_list("ours", "w1"), self), "") << lapse.count();
    EXPECT_THAT(problem(files_with_list("ours", "w2"), other),
                ::testing::HasSubstr("it is revoked"))
        << lapse.count();
  }
}

// Kubernetes hands out a key as 0440 or 0640, of a group that the process is given (fsGroup).
TEST_F(TlsFilesTest, have_a_key_that_a_group_of_ours_may_read_and_nobody_else) {
  const std::string refused = "others may read the key …w1.key: chmod 600 it";
  for (const unsigned mode : {0400U, 0600U, 0440U, 0640U}) {
    fs::permissions(good.key, fs::perms{mode});
    EXPECT_EQ(problem(good, self), "") << std::oct << mode;
  }
  for (const unsigned mode : {0644U, 0444U, 0604U, 0660U, 0602U, 0601U, 0620U, 0610U}) {
    fs::permissions(good.key, fs::perms{mode});
    EXPECT_EQ(problem(good, self), refused) << std::oct << mode;
  }
  constexpr gid_t not_ours = 64321;
  if (::chown(good.key.c_str(), ::geteuid(), not_ours) != 0) return;  // only root may do so
  for (const unsigned mode : {0440U, 0640U}) {
    fs::permissions(good.key, fs::perms{mode});
    EXPECT_THAT(problem(good, self), ::testing::HasSubstr("this process is not in its group 64321"))
        << std::oct << mode;
  }
  fs::permissions(good.key, fs::perms{0600U});
  EXPECT_EQ(problem(good, self), "");
}

TEST(NodeUri, is_of_one_cluster_role_and_name) {
  const CertifiedNode node{"test", Role::master, "m1"};
  EXPECT_EQ(to_uri(node), "fixkeep://test/master/m1");
  EXPECT_EQ(parse_uri(to_uri(node)), node);
  for (const char* wrong :
       {"", "fixkeep://", "fixkeep://test", "fixkeep://test/master", "fixkeep://test/master/",
        "fixkeep://test/boss/m1", "http://test/master/m1", "fixkeep:///master/m1",
        "fixkeep://test/master/m1/x"}) {
    EXPECT_FALSE(parse_uri(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace fixkeep::net
