// HttpModule.h, by libcurl.
#include <curl/curl.h>

#include <map>

#include <HttpModule.h>
#include <Interfaces/IHttpResponse.h>
#include <Texts.h>

namespace {

constexpr long ConnectSeconds = 30;
constexpr float ActivitySeconds = 30;
constexpr int FrameMs = 10;

class FResponse : public IHttpResponse {
 public:
  [[nodiscard]] int32 GetResponseCode() const override { return Code; }
  [[nodiscard]] FString GetHeader(const FString& Name) const override {
    const auto Found = Headers.find(Name);
    return Found == Headers.end() ? FString() : Found->second;
  }
  [[nodiscard]] const TArray<uint8>& GetContent() const override { return Content; }
  [[nodiscard]] const FString& GetEffectiveURL() const override { return EffectiveUrl; }

  int32 Code = 0;
  std::map<FString, FString> Headers;
  TArray<uint8> Content;
  FString EffectiveUrl;
};

class FRequest;
std::vector<std::shared_ptr<FRequest>> Active;

CURLM* Multi() {
  static CURLM* const Made = curl_multi_init();
  return Made;
}

class FRequest final : public IHttpRequest, public TSharedFromThis<FRequest> {
 public:
  ~FRequest() override { HangUp(); }
  void SetVerb(const FString& InVerb) override { Verb = Narrow(InVerb); }
  void SetURL(const FString& InUrl) override { Url = InUrl; }
  [[nodiscard]] const FString& GetURL() const override { return Url; }
  void SetHeader(const FString& Name, const FString& Value) override {
    Fields = curl_slist_append(Fields, Narrow(Name + TEXT(": ") + Value).c_str());
  }
  void SetContentAsString(const FString& InContent) override { Content = Narrow(InContent); }
  void SetTimeout(float InSeconds) override { Seconds = InSeconds; }
  void SetActivityTimeout(float InSeconds) override { Activity = InSeconds; }
  FHttpRequestCompleteDelegate& OnProcessRequestComplete() override { return Complete; }
  FHttpRequestProgressDelegate64& OnRequestProgress64() override { return Progress; }
  void CancelRequest() override { bCancelled = true; }

  bool ProcessRequest() override {
    Set(CURLOPT_URL, Narrow(Url).c_str());
    Set(CURLOPT_CUSTOMREQUEST, Verb.c_str());
    if (Verb == "POST") {
      Set(CURLOPT_POSTFIELDSIZE, static_cast<long>(Content.size()));
      Set(CURLOPT_COPYPOSTFIELDS, Content.c_str());
    }
    Set(CURLOPT_HTTPHEADER, Fields);
    Set(CURLOPT_FOLLOWLOCATION, 1L);
    Set(CURLOPT_PROXY, "");
    Set(CURLOPT_CONNECTTIMEOUT, ConnectSeconds);
    Set(CURLOPT_TIMEOUT_MS, std::max(1L, std::lround(Seconds * 1000)));
    Set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    Set(CURLOPT_LOW_SPEED_TIME, std::lround(std::ceil(Activity)));
    Set(CURLOPT_HEADERFUNCTION, &TakeLine);
    Set(CURLOPT_HEADERDATA, this);
    Set(CURLOPT_WRITEFUNCTION, &TakeBody);
    Set(CURLOPT_WRITEDATA, this);
    curl_multi_add_handle(Multi(), Easy);
    Active.push_back(AsShared().Share());
    return true;
  }

  // Runs the delegates. Returns false once the request has ended.
  bool Tick() {
    const TSharedRef<IHttpRequest> Self = AsShared();
    const auto Received = static_cast<uint64>(Response->Content.Num());
    if (Received != std::exchange(Told, Received)) {
      Progress.ExecuteIfBound(Self, Content.size(), Received);
    }
    if (!bEnded && !bCancelled) return true;
    HangUp();
    Complete.ExecuteIfBound(Self, Response, bOk && !bCancelled);
    return false;
  }

  void End(CURLcode Code) {
    long Status = 0;
    long Redirects = 0;
    char* Effective = nullptr;
    curl_easy_getinfo(Easy, CURLINFO_RESPONSE_CODE, &Status);
    curl_easy_getinfo(Easy, CURLINFO_REDIRECT_COUNT, &Redirects);
    curl_easy_getinfo(Easy, CURLINFO_EFFECTIVE_URL, &Effective);
    Response->Code = static_cast<int32>(Status);
    Response->EffectiveUrl = Redirects > 0 ? Wide(Effective) : Url;
    bEnded = true;
    bOk = Code == CURLE_OK;
  }

  [[nodiscard]] bool Has(const CURL* Handle) const { return Easy == Handle; }

 private:
  template <typename T>
  void Set(CURLoption Option, T Value) {
    curl_easy_setopt(Easy, Option, Value);
  }

  void HangUp() {
    if (Easy == nullptr) return;
    curl_multi_remove_handle(Multi(), Easy);
    curl_easy_cleanup(Easy);
    curl_slist_free_all(Fields);
    Easy = nullptr;
  }

  // libcurl ends a head that is too long.
  static std::size_t TakeLine(char* Data, std::size_t, std::size_t Size, void* Self) {
    auto& Headers = static_cast<FRequest*>(Self)->Response->Headers;
    std::string Line(Data, Size);
    while (!Line.empty() && (Line.back() == '\r' || Line.back() == '\n')) Line.pop_back();
    const auto Colon = Line.find(':');
    if (Line.starts_with("HTTP/")) {
      Headers.clear();  // the head of a redirect's target begins
    } else if (Colon != std::string::npos) {
      const auto Start = std::min(Line.find_first_not_of(' ', Colon + 1), Line.size());
      Headers[Wide(Line.substr(0, Colon))] = Wide(Line.substr(Start));
    }
    return Size;
  }

  static std::size_t TakeBody(char* Data, std::size_t, std::size_t Size, void* Self) {
    auto& Body = static_cast<FRequest*>(Self)->Response->Content;
    Body.Append(reinterpret_cast<const uint8*>(Data), static_cast<int32>(Size));
    return Size;
  }

  CURL* Easy = curl_easy_init();
  curl_slist* Fields = curl_slist_append(nullptr, "Expect:");
  std::string Verb, Content;
  FString Url;
  float Seconds = 180, Activity = ActivitySeconds;
  FHttpRequestCompleteDelegate Complete;
  FHttpRequestProgressDelegate64 Progress;
  TSharedRef<FResponse> Response = MakeShared<FResponse>();
  uint64 Told = 0;
  bool bEnded = false, bOk = false, bCancelled = false;
};

}  // namespace

FHttpModule& FHttpModule::Get() {
  static FHttpModule Module;
  return Module;
}

FHttpRequestRef FHttpModule::CreateRequest() {
  return MakeShared<FRequest>();
}

void FHttpManager::Tick(float) {
  int Running = 0;
  int Left = 0;
  curl_multi_poll(Multi(), nullptr, 0, FrameMs, nullptr);
  curl_multi_perform(Multi(), &Running);
  while (const CURLMsg* Message = curl_multi_info_read(Multi(), &Left)) {
    if (Message->msg != CURLMSG_DONE) continue;
    for (const auto& Request : Active) {
      if (Request->Has(Message->easy_handle)) Request->End(Message->data.result);
    }
  }
  for (const auto& Request : std::vector(Active)) {
    if (!Request->Tick()) std::erase(Active, Request);
  }
}
