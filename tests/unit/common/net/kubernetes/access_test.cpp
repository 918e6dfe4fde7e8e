// What a kubeconfig comes to, and what is refused in one.
//
//   server URL             where a kubeconfig with this server leads
//   cluster JSON           … with these keys in its cluster, beside a server and an authority
//   user JSON              … with these keys in its user
#include "common/net/kubernetes/access.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "common/net/kubernetes/core/json.hpp"
#include "tests/support/scripts.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fixkeep::kubernetes {
namespace {

using testing::HasSubstr;

constexpr auto access_file = "tests/unit/common/net/kubernetes/access.txt";

Json kubeconfig(const std::string& server, const Json& cluster, const Json& user) {
  Json of_cluster{{"server", server}, {"certificate-authority-data", "QQ=="}};
  of_cluster.update(cluster);
  return {
      {"current-context", "x"},
      {"contexts",
       {{{"name", "other"}, {"context", {{"cluster", "none"}}}},
        {{"name", "x"}, {"context", {{"cluster", "c"}, {"user", "u"}, {"namespace", "games"}}}}}},
      {"clusters", {{{"name", "c"}, {"cluster", of_cluster}}}},
      {"users", {{{"name", "u"}, {"user", user}}}}};
}

std::string shown_text(const std::string& name, const TextOrFile& what) {
  if (what.empty()) return {};
  return " " + name + "=" + (what.text.empty() ? "file " + what.file : what.text);
}

std::string shown_access(const std::variant<Access, std::string>& access) {
  if (const auto* const why = std::get_if<std::string>(&access)) return *why;
  const auto& found = std::get<Access>(access);
  return found.host + " " + std::to_string(found.port) + " " + found.prefix +
         (found.plain ? " plain" : "") + shown_text("authority", found.authority) +
         shown_text("certificate", found.certificate) + shown_text("key", found.key) +
         shown_text("token", found.token) + " in " + found.space;
}

std::string answer(std::string_view command) {
  support::Words words{command};
  const std::string word = words.next();
  const std::string url = "https://k.example";
  if (word == "text") return shown_access(parse_kubeconfig(words.rest(), "/etc/k"));
  Json config;
  if (word == "server") config = kubeconfig(words.rest(), Json::object(), {{"token", "t"}});
  if (word == "cluster") config = kubeconfig(url, Json::parse(words.rest()), {{"token", "t"}});
  if (word == "user") config = kubeconfig(url, Json::object(), Json::parse(words.rest()));
  return shown_access(parse_kubeconfig(config.dump(), "/etc/k"));
}

const bool access_registered = support::register_table(access_file, answer);

void write(const std::string& path, const std::string& text) {
  std::ofstream{path} << text;
}

TEST(Access, reads_its_files_as_they_are_now) {
  const test::TemporaryFolder folder;
  Access access;
  access.authority.text = "an authority";
  access.token.file = folder.string() + "/token";
  write(access.token.file, "one\n");
  EXPECT_EQ(std::get<Credentials>(read_credentials(access)).token, "one");
  write(access.token.file, "two");
  const auto second = std::get<Credentials>(read_credentials(access));
  EXPECT_EQ(second.token, "two");
  EXPECT_EQ(second.tls.authority, "an authority");
  access.key.file = folder.string() + "/nothing";
  EXPECT_THAT(std::get<std::string>(read_credentials(access)), HasSubstr("/nothing: No such file"));
  write(access.key.file, std::string(most_file + 1, 'x'));
  EXPECT_THAT(std::get<std::string>(read_credentials(access)), HasSubstr("too large"));
}

TEST(Access, is_that_of_the_pod_where_no_file_is_named) {
  ::unsetenv("KUBERNETES_SERVICE_HOST");
  EXPECT_THAT(std::get<std::string>(find_access("")), HasSubstr("KUBERNETES_SERVICE_HOST"));
  ::setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
  ::setenv("KUBERNETES_SERVICE_PORT", "6443", 1);
  const auto access = std::get<Access>(find_access(""));
  EXPECT_EQ(access.host, "fd00::1");
  EXPECT_EQ(access.port, 6443);
  EXPECT_EQ(access.token.file, "/var/run/secrets/kubernetes.io/serviceaccount/token");
  EXPECT_FALSE(access.authority.empty());
  ::unsetenv("KUBERNETES_SERVICE_HOST");
}

TEST(Access, a_file_that_cannot_be_read_is_named) {
  const test::TemporaryFolder folder;
  const std::string path = folder.string() + "/k.json";
  EXPECT_THAT(std::get<std::string>(find_access(path)), HasSubstr(path + ": No such file"));
  write(path, "apiVersion: v1\nkind: Config\n");
  EXPECT_THAT(std::get<std::string>(find_access(path)), HasSubstr(path + " is not in JSON"));
  write(path, kubeconfig("https://k", Json::object(), {{"tokenFile", "t"}}).dump());
  EXPECT_EQ(std::get<Access>(find_access(path)).token.file, folder.string() + "/t");
}

}  // namespace
}  // namespace fixkeep::kubernetes
