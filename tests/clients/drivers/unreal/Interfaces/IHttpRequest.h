#pragma once

#include <CoreMinimal.h>

class IHttpRequest;
class IHttpResponse;

using FHttpRequestPtr = TSharedPtr<IHttpRequest>;
using FHttpRequestRef = TSharedRef<IHttpRequest>;
using FHttpResponsePtr = TSharedPtr<IHttpResponse>;

template <typename... Arguments>
class TDelegate {
 public:
  template <typename Lambda>
  void BindLambda(Lambda&& Bound) {
    Function = std::forward<Lambda>(Bound);
  }
  void ExecuteIfBound(Arguments... Values) const {
    if (Function) Function(Values...);
  }

 private:
  TFunction<void(Arguments...)> Function;
};

using FHttpRequestCompleteDelegate = TDelegate<FHttpRequestPtr, FHttpResponsePtr, bool>;
using FHttpRequestProgressDelegate64 = TDelegate<FHttpRequestPtr, uint64, uint64>;

// All delegates run in a frame, on the game thread.
class IHttpRequest {
 public:
  virtual ~IHttpRequest() = default;
  virtual void SetVerb(const FString& Verb) = 0;
  virtual void SetURL(const FString& Url) = 0;
  [[nodiscard]] virtual const FString& GetURL() const = 0;
  virtual void SetHeader(const FString& Name, const FString& Value) = 0;
  virtual void SetContentAsString(const FString& Content) = 0;
  virtual void SetTimeout(float Seconds) = 0;
  virtual void SetActivityTimeout(float Seconds) = 0;
  virtual FHttpRequestCompleteDelegate& OnProcessRequestComplete() = 0;
  virtual FHttpRequestProgressDelegate64& OnRequestProgress64() = 0;
  virtual bool ProcessRequest() = 0;
  virtual void CancelRequest() = 0;
};
