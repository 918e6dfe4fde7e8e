#pragma once

#include <CoreMinimal.h>

class IHttpResponse {
 public:
  virtual ~IHttpResponse() = default;
  [[nodiscard]] virtual int32 GetResponseCode() const = 0;
  [[nodiscard]] virtual FString GetHeader(const FString& Name) const = 0;
  [[nodiscard]] virtual const TArray<uint8>& GetContent() const = 0;
  [[nodiscard]] virtual const FString& GetEffectiveURL()
      const = 0;  // the request's, or a redirect's
};
