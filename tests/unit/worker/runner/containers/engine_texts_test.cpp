// What is told to an engine, and what its answers come to. Long answers are in the text itself, as
// one word of a table: NAME ARGUMENT => what was read.
#include "worker/runner/containers/engine_texts.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "common/process/proc.hpp"
#include "tests/support/scripts.hpp"

namespace fixkeep::worker::containers {
namespace {

constexpr auto texts_file = "tests/unit/worker/runner/containers/engine_texts.txt";

std::string to_text(const Container& container) {
  constexpr std::array<const char*, 5> states{"created", "running", "exited", "removing",
                                              "unknown"};
  const Labels& labels = container.labels;
  return container.name + " " + states.at(static_cast<std::size_t>(container.state)) +
         " id=" + container.id + " pid=" + std::to_string(container.process) +
         " code=" + std::to_string(container.exit_code) + (container.out_of_memory ? " oom" : "") +
         " of " + labels.cluster + "/" + labels.worker + "/" + labels.room + "/" + labels.creation +
         (container.error.empty() ? "" : " error=" + container.error);
}

std::string version_text(std::string_view answer) {
  const auto version = version_to_speak(answer);
  if (const auto* const why = std::get_if<std::string>(&version)) return *why;
  return to_string(std::get<ApiVersion>(version));
}

std::string list_text(std::string_view answer) {
  const auto all = parse_containers(answer);
  if (!all) return "no answer";
  std::string text;
  for (const auto& each : *all) text += (text.empty() ? "" : "\n") + to_text(each);
  return text;
}

std::string sdk_text(std::string_view answer) {
  const auto container = parse_container(answer);
  if (!container) return "no container";
  std::string text = container->has_own_network ? "own network, " : "";
  text += "at " + container->sdk_host;
  for (const std::uint16_t port : container->sdk_ports) text += " " + std::to_string(port);
  return text;
}

std::string event_text(std::string_view line) {
  const auto event = parse_event(line);
  if (!event) return "no event";
  return event->name + " " + event->action +
         (event->exit_code ? " code=" + std::to_string(*event->exit_code) : "") + " at " +
         std::to_string(event->second);
}

std::string pull_text(std::string_view line) {
  const auto news = parse_pull(line);
  if (!news) return "no news";
  return news->status + " layer=" + news->layer + " " + std::to_string(news->bytes) + "/" +
         std::to_string(news->all) + (news->error.empty() ? "" : " error=" + news->error);
}

std::string answer(std::string_view command) {
  support::Words words{command};
  const std::string word = words.next();
  const std::string rest = words.rest();
  if (word == "version") return version_text(rest);
  if (word == "list") return list_text(rest);
  if (word == "subnet") return subnet_of(rest);
  if (word == "sdk") return sdk_text(rest);
  if (word == "event") return event_text(rest);
  if (word == "pull") return pull_text(rest);
  if (word == "error") return error_message(rest);
  if (word == "warns") return "[" + warnings_of(rest) + "]";
  if (word == "registry") return registry_of(rest);
  if (word == "pulls") return pull_target(rest);
  if (word == "lists") return list_target("c 1", rest);
  if (word == "events") return events_target("c1", rest, 7);
  if (word == "container") {
    const auto container = parse_container(rest);
    return container ? to_text(*container) : "no container";
  }
  return "?";
}

const bool texts_registered = support::register_table(texts_file, answer);

ContainerOrder small_order() {
  return {.name = "fixkeep-c-1", .labels = {"c", "w1", "w1-1", "7.m1.0"}, .image = "game:1"};
}

TEST(CreateBody, is_least_privilege_and_stays_until_its_log_was_read) {
  const auto body = create_body(small_order());
  EXPECT_EQ(
      body,
      R"({"Env":[],"HostConfig":{"AutoRemove":false,"CapDrop":["ALL"],"Init":true,"LogConfig":{)"
      R"("Type":"none"},"NetworkMode":"bridge",)"
      R"("ReadonlyRootfs":false,"RestartPolicy":{"Name":"no"},)"
      R"("SecurityOpt":["no-new-privileges"]},"Image":"game:1","Labels":{)"
      R"("fixkeep.cluster":"c","fixkeep.creation":"7.m1.0","fixkeep.room":"w1-1",)"
      R"("fixkeep.worker":"w1"},"Tty":false,"Volumes":{"/fixkeep":{}}})");
}

TEST(CreateBody, has_what_the_order_says) {
  auto order = small_order();
  order.command = {"game", "--port", "7"};
  order.environment = {"A=b"};
  order.user = "1000:1000";
  order.ports = {{20001, 7777}};
  order.limits = {.memory_mib = 64, .processes = 10};
  order.read_only = true;
  order.log_bytes = 4096;
  const auto body = create_body(order);
  for (const auto* part :
       {R"("Cmd":["game","--port","7"])", R"("Env":["A=b"])", R"("User":"1000:1000")",
        R"("7777/tcp":[{"HostIp":"","HostPort":"20001"}])",
        R"("7777/udp":[{"HostIp":"","HostPort":"20001"}])",
        R"("ExposedPorts":{"7777/tcp":{},"7777/udp":{}})", R"("Memory":67108864)",
        R"("MemorySwap":67108864)", R"("PidsLimit":10)", R"("ReadonlyRootfs":true)",
        R"("LogConfig":{"Config":{"max-file":"1","max-size":"4096"},"Type":"json-file"})",
        R"("Tmpfs":{"/tmp":""})"}) {
    EXPECT_NE(body.find(part), std::string::npos) << part << " in " << body;
  }
}

std::string repeated(std::size_t times, const std::string& text) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST(Answers, that_are_nested_or_have_values_without_end_are_none) {
  const auto before = process::peak_memory(::getpid());
  for (const std::string& hostile :
       {repeated(2'000'000, "["), repeated(100'000, "[") + repeated(100'000, "]"),
        "[" + repeated(1'000'000, "[],") + "[]]"}) {
    EXPECT_FALSE(parse_containers(hostile));
  }
  const auto objects = repeated(100'000, R"({"Id":)") + "1" + repeated(100'000, "}");
  EXPECT_FALSE(parse_container(R"({"State":{},"Id":)" + objects + "}"));
  EXPECT_LT(process::peak_memory(::getpid()), before + (100U << 20U));
}

TEST(Answers, lead_to_no_other_call) {
  EXPECT_EQ(begin_exec_target("../containers/a?x=1#"),
            "/exec/..%2Fcontainers%2Fa%3Fx%3D1%23/start");
  const auto shown = parse_container(
      R"({"State":{},"Config":{"Env":["AGONES_SDK_HTTP_PORT=7","AGONES_SDK_HTTP_PORT=8"]}})");
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->sdk_ports, std::vector<std::uint16_t>{7}) << "one port a transport";
}

TEST(Lines, are_cut_wherever_the_pieces_are) {
  const std::string text = "one\r\ntwo\n\nthree\n";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Lines lines;
    auto all = lines.put(std::string_view{text}.substr(0, cut));
    for (auto& line : lines.put(std::string_view{text}.substr(cut))) all.push_back(line);
    EXPECT_EQ(all, (std::vector<std::string>{"one", "two", "", "three"})) << cut;
  }
}

TEST(Lines, one_that_is_too_long_is_left_out) {
  Lines lines;
  const std::string much(Lines::longest, 'x');
  EXPECT_TRUE(lines.put(much).empty());
  EXPECT_TRUE(lines.put("y").empty());
  EXPECT_TRUE(lines.put(much).empty());
  EXPECT_EQ(lines.put("z\nnext\n"), std::vector<std::string>{"next"});
}

TEST(LogReader, takes_the_text_out_of_its_frames_wherever_the_pieces_are) {
  const std::string stream{"\1\0\0\0\0\0\0\6hello\n\2\0\0\0\0\0\0\5oops\n\1\0\0\0\0\0\0\0", 35};
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    LogReader reader{false};
    auto text = reader.put(std::string_view{stream}.substr(0, cut));
    text += reader.put(std::string_view{stream}.substr(cut));
    EXPECT_EQ(text, "hello\noops\n") << cut;
  }
  EXPECT_EQ(LogReader{true}.put("\1\2as it is"), "\1\2as it is");
}

}  // namespace
}  // namespace fixkeep::worker::containers
