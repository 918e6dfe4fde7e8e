#include "lock/engines/zookeeper/request.hpp"

#include <utility>

namespace fixkeep::engine {
namespace {

ZookeeperRequest& of(const void* data) {
  return *const_cast<ZookeeperRequest*>(static_cast<const ZookeeperRequest*>(data));
}

}  // namespace

ZookeeperRequest* ZookeeperRequests::make(ZookeeperClient::Handler handler) {
  auto& request = outstanding.emplace_back(std::make_unique<ZookeeperRequest>());
  request->book = this;
  request->place = std::prev(outstanding.end());
  request->handler = std::move(handler);
  request->sent = std::chrono::steady_clock::now();
  return request.get();
}

std::chrono::steady_clock::time_point ZookeeperRequests::oldest() const {
  return outstanding.empty() ? std::chrono::steady_clock::time_point::max()
                             : outstanding.front()->sent;
}

void ZookeeperRequests::clear() {
  done.clear();
  outstanding.clear();
}

void ZookeeperRequest::finish(int code) {
  reply.code = code;
  book->done.push_back(std::move(*place));
  book->outstanding.erase(place);
}

void ZookeeperRequest::void_done(int code, const void* data) {
  of(data).finish(code);
}

void ZookeeperRequest::stat_done(int code, const Stat*, const void* data) {
  of(data).finish(code);
}

void ZookeeperRequest::data_done(int code, const char* value, int size, const Stat*,
                                 const void* data) {
  if (code == ZOK && size > 0) of(data).reply.text.assign(value, static_cast<std::size_t>(size));
  of(data).finish(code);
}

void ZookeeperRequest::list_done(int code, const String_vector* names, const void* data) {
  for (int i = 0; code == ZOK && i < names->count; ++i) {
    of(data).reply.children.emplace_back(names->data[i]);
  }
  of(data).finish(code);
}

void ZookeeperRequest::create_done(int code, const char* path, const Stat* stat, const void* data) {
  if (code == ZOK) {
    of(data).reply.text = path;
    of(data).reply.created = static_cast<std::uint64_t>(stat->czxid);
  }
  of(data).finish(code);
}

int count(int code, EngineStatistics& statistics) {
  // Does not count the end of a session: tell() counts it when it reads the session's state.
  const bool known = code == ZOK || code == ZNOTHING || code == ZCLOSING ||
                     code == ZSESSIONEXPIRED || code == ZAUTHFAILED;
  if (known) return code;
  const auto kind = code == ZOPERATIONTIMEOUT ? Failure::timeout : Failure::unreachable;
  statistics.failed(kind, {}, zerror(code));
  return code;
}

std::string_view why_over(int state) {
  return state == ZOO_AUTH_FAILED_STATE ? "authentication failed" : "the server has ended it";
}

}  // namespace fixkeep::engine
