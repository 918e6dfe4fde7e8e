#include "lock/engines/etcd/wire.hpp"

#include <charconv>
#include <nlohmann/json.hpp>

#include "common/base/base64.hpp"
#include "common/base/json_bounds.hpp"

namespace fixkeep::engine {
namespace {

using Json = nlohmann::json;

// --- bodies. Base64 and numbers need no escapes, so the bodies are put together as text.

std::string in_quotes(std::string_view text) {
  return '"' + std::string{text} + '"';
}
std::string number(std::uint64_t value) {
  return in_quotes(std::to_string(value));
}
std::string bytes(std::string_view value) {
  return in_quotes(to_base64(value));
}

// Returns the end of the range with all keys that begin with `prefix`.
std::string range_end(std::string prefix) {
  ++prefix.back();  // the last byte is '/', so it does not overflow
  return prefix;
}

std::string revision_is(std::string_view key, std::string_view target, std::string_view member,
                        std::uint64_t revision) {
  return R"({"key":)" + bytes(key) + R"(,"target":)" + in_quotes(target) + R"(,"result":"EQUAL",)" +
         in_quotes(member) + ':' + number(revision) + '}';
}
std::string created_at(std::string_view key, std::uint64_t revision) {
  return revision_is(key, "CREATE", "create_revision", revision);
}
std::string changed_at(std::string_view key, std::uint64_t revision) {
  return revision_is(key, "MOD", "mod_revision", revision);
}

std::string put(std::string_view key, std::string_view value, std::int64_t lease,
                bool previous = false) {
  return R"({"request_put":{"key":)" + bytes(key) + R"(,"value":)" + bytes(value) + R"(,"lease":)" +
         in_quotes(std::to_string(lease)) + (previous ? R"(,"prev_kv":true)" : "") + "}}";
}
std::string erase(std::string_view key) {
  return R"({"request_delete_range":{"key":)" + bytes(key) + "}}";
}
std::string get(std::string_view key) {
  return R"({"request_range":{"key":)" + bytes(key) + "}}";
}
// Returns a request for the `limit` youngest entries in a queue. If `ticket` is not 0, it selects
// only the entries before this ticket.
std::string youngest(const std::string& queue, int limit, std::uint64_t ticket) {
  std::string out = R"({"request_range":{"key":)" + bytes(queue) + R"(,"range_end":)" +
                    bytes(range_end(queue)) + R"(,"keys_only":true,"sort_order":"DESCEND",)" +
                    R"("sort_target":"CREATE","limit":)" + in_quotes(std::to_string(limit));
  if (ticket != 0) out += R"(,"max_create_revision":)" + number(ticket - 1);
  return out + "}}";
}

std::string transaction(const std::string& compare, const std::string& success,
                        const std::string& failure = "") {
  return R"({"compare":[)" + compare + R"(],"success":[)" + success + R"(],"failure":[)" + failure +
         "]}";
}

// --- answers

std::uint64_t parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? value : 0;
}

// Returns a member of an object, or null.
const Json& member(const Json& object, const char* name) {
  static const Json none;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}
std::string_view text(const Json& object, const char* name) {
  const auto& found = member(object, name);
  return found.is_string() ? std::string_view{found.get_ref<const std::string&>()} : "";
}
std::uint64_t count(const Json& object, const char* name) {
  return parse_number(text(object, name));
}
std::string decoded(const Json& object, const char* name) {
  return from_base64(text(object, name)).value_or("");
}
bool flag(const Json& object, const char* name) {
  const auto& found = member(object, name);
  return found.is_boolean() && found.get<bool>();
}
std::uint64_t revision(const Json& answer) {
  return count(member(answer, "header"), "revision");
}

std::optional<Json> parse(std::string_view answer) {
  if (!is_within(answer)) return {};
  auto document = Json::parse(answer, nullptr, false);
  if (!document.is_object()) return {};
  return document;
}

// Returns the answer to a transaction's request at `index`.
const Json& response(const Json& answer, std::size_t index, const char* kind) {
  static const Json none;
  const auto& all = member(answer, "responses");
  return all.is_array() && index < all.size() ? member(all[index], kind) : none;
}
// Returns the entry at `index` in a range.
const Json& found(const Json& range, std::size_t index) {
  static const Json none;
  const auto& all = member(range, "kvs");
  return all.is_array() && index < all.size() ? all[index] : none;
}

std::optional<lock::LockRecord> record_in(const Json& range) {
  const auto& kept = found(range, 0);
  if (!kept.is_object()) return {};
  return lock::decode_record(decoded(kept, "value"));
}

void set_ticket(lock::QueueStanding& standing, std::uint64_t ticket) {
  standing.number = ticket;
  standing.ticket = ticket;
}

void set_ahead(EtcdStanding& out, const Json& entry) {
  out.standing.oldest = !entry.is_object();
  if (entry.is_object()) out.ahead = decoded(entry, "key");
}

}  // namespace

std::string EtcdNames::queue(const GroupKey& group) const {
  return lock_prefix() + lock::path_component(group.text()) + '/';
}
std::string EtcdNames::last(const GroupKey& group) const {
  return prefix + "last/" + lock::path_component(group.text());
}
std::string EtcdNames::value(const GroupKey& group) const {
  return prefix + "value/" + lock::path_component(group.text());
}
std::string EtcdNames::gone(std::string_view entry) const {
  return prefix + "gone/" + std::string{entry};
}

std::string enter_body(const EtcdNames& names, const GroupKey& group, const EtcdEntry& entry) {
  const auto queue = names.queue(group);
  const auto key = queue + entry.name;
  return transaction(created_at(key, 0) + ',' + created_at(names.gone(entry.name), 0),
                     put(key, "", entry.lease) + ',' + youngest(queue, 2, 0) + ',' +
                         put(names.last(group), "", entry.record_lease, true) + ',' +
                         get(names.value(group)),
                     get(key));
}

std::string look_body(const EtcdNames& names, const GroupKey& group, const EtcdEntry& entry,
                      std::uint64_t ticket) {
  const auto queue = names.queue(group);
  return transaction(created_at(queue + entry.name, ticket),
                     youngest(queue, 1, ticket) + ',' + get(names.value(group)));
}

std::string leave_body(const EtcdNames& names, const GroupKey& group, const EtcdEntry& entry,
                       std::uint64_t ticket, std::uint64_t before) {
  const auto key = names.queue(group) + entry.name;
  const auto last = names.last(group);
  if (before == 0) return transaction(created_at(key, ticket), erase(key));
  return transaction(created_at(key, ticket) + ',' + changed_at(last, ticket),
                     erase(key) + ',' + put(last, std::to_string(before), entry.record_lease),
                     erase(key));
}

std::string release_body(const EtcdNames& names, const GroupKey& group, const EtcdEntry& entry,
                         const lock::LockRecord& record) {
  const auto key = names.queue(group) + entry.name;
  return transaction(
      created_at(key, record.ticket),
      erase(key) + ',' + put(names.value(group), lock::encode_record(record), entry.record_lease));
}

std::string void_body(const EtcdNames& names, const EtcdEntry& entry) {
  return transaction("", put(names.gone(entry.name), "", entry.lease));
}

std::optional<EtcdStanding> read_entered(std::string_view answer) {
  const auto document = parse(answer);
  if (!document) return {};
  EtcdStanding out;
  out.revision = revision(*document);
  if (out.revision == 0) return {};
  if (!flag(*document, "succeeded")) {
    const auto& kept = found(response(*document, 0, "response_range"), 0);
    out.standing.present = kept.is_object();
    out.look_first = out.standing.present;
    set_ticket(out.standing, count(kept, "create_revision"));
    return out;
  }
  set_ticket(out.standing, out.revision);  // revision of the transaction that made the entry
  set_ahead(out, found(response(*document, 1, "response_range"), 1));
  const auto& previous = member(response(*document, 2, "response_put"), "prev_kv");
  if (previous.is_object()) {
    const auto written = decoded(previous, "value");
    out.standing.before = written.empty() ? count(previous, "mod_revision") : parse_number(written);
  }
  out.standing.record = record_in(response(*document, 3, "response_range"));
  return out;
}

std::optional<EtcdStanding> read_looked(std::string_view answer, std::uint64_t ticket) {
  const auto document = parse(answer);
  if (!document) return {};
  EtcdStanding out;
  out.revision = revision(*document);
  if (out.revision == 0) return {};
  out.standing.present = flag(*document, "succeeded");
  set_ticket(out.standing, ticket);
  set_ahead(out, found(response(*document, 0, "response_range"), 0));
  out.standing.record = record_in(response(*document, 1, "response_range"));
  return out;
}

std::string grant_lease_body(std::int64_t ttl_s) {
  return R"({"TTL":)" + in_quotes(std::to_string(ttl_s)) + '}';
}

std::string lease_body(std::int64_t id) {
  return R"({"ID":)" + in_quotes(std::to_string(id)) + '}';
}

std::optional<EtcdLease> read_lease(std::string_view answer) {
  const auto document = parse(answer);
  if (!document) return {};
  // The answer to keepalive is one message of a stream, wrapped in "result".
  const auto& result = document->contains("result") ? member(*document, "result") : *document;
  const EtcdLease lease{static_cast<std::int64_t>(count(result, "ID")),
                        static_cast<std::int64_t>(count(result, "TTL"))};
  if (lease.id == 0) return {};
  return lease;
}

std::string authenticate_body(std::string_view username, std::string_view password) {
  return Json{{"name", username}, {"password", password}}.dump(-1, ' ', false,
                                                               Json::error_handler_t::replace);
}

std::optional<std::string> read_auth_token(std::string_view answer) {
  const auto document = parse(answer);
  if (!document || text(*document, "token").empty()) return {};
  return std::string{text(*document, "token")};
}

std::string watch_body(const EtcdNames& names) {
  const auto prefix = names.lock_prefix();
  return R"({"create_request":{"key":)" + bytes(prefix) + R"(,"range_end":)" +
         bytes(range_end(prefix)) + R"(,"filters":["NOPUT"]}})";
}

std::optional<EtcdWatchNews> read_watch(std::string_view line) {
  const auto document = parse(line);
  if (!document) return {};
  const auto& result = member(*document, "result");
  if (!result.is_object()) return {};
  EtcdWatchNews news;
  news.opened = flag(result, "created");
  news.cancelled = flag(result, "canceled");
  news.revision = revision(result);
  for (const auto& event : member(result, "events")) {
    news.deleted.push_back(decoded(member(event, "kv"), "key"));
  }
  return news;
}

bool wants_another_token(unsigned status, std::string_view answer) {
  if (status == 200) return false;
  return status == 401 || answer.find("auth store is old") != std::string_view::npos ||
         answer.find("invalid auth token") != std::string_view::npos;
}

bool says_lease_unknown(std::string_view answer) {
  return answer.find("requested lease not found") != std::string_view::npos;
}

}  // namespace fixkeep::engine
