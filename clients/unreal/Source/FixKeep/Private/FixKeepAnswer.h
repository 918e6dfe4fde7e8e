// SPDX-License-Identifier: MIT
// What a master, or a balancer before it, has answered. Thread rule: values.
#pragma once

#include <Interfaces/IHttpResponse.h>
#include <Serialization/JsonSerializer.h>

struct FFixKeepAnswer {
  static constexpr int32 MostBytes = 64 * 1024;
  static constexpr int32 MostValues = 1024;  // arrays and objects, at any depth

  int32 Status = 0;   // 0: no answer
  double After = -1;  // Retry-After in seconds; below 0: none
  FString Tag;        // ETag
  TSharedRef<FJsonObject> Object = MakeShared<FJsonObject>();  // empty: the answer has no object

  void Read(const FString& Url, const IHttpResponse& Response) {
    // Unreal follows redirects: another program has answered then.
    if (Response.GetContent().Num() > MostBytes || Response.GetEffectiveURL() != Url) return;
    Status = Response.GetResponseCode();
    Tag = Response.GetHeader(TEXT("ETag"));
    const FString Pause = Response.GetHeader(TEXT("Retry-After"));
    const bool bNumber = !Pause.IsEmpty() && Pause.Len() < 10 && HasOnly(Pause, TEXT("0123456789"));
    if (bNumber) After = FCString::Atoi(*Pause);
    ReadObject(Response.GetContent());
  }

  // A member that is a text; empty: none. Unreal's TryGetStringField takes numbers too.
  FString Text(const TCHAR* Name) const {
    return Object->HasTypedField<EJson::String>(Name) ? Object->GetStringField(Name) : FString();
  }

  // The type of a master's problem; empty: it is none.
  FString Type() const {
    FString Found = Text(TEXT("type"));
    return Found.RemoveFromStart(TEXT("urn:fixkeep:error:")) ? Found : FString();
  }

  FFixKeepAnswer Member(const TCHAR* Name) const {
    FFixKeepAnswer Part;
    const TSharedPtr<FJsonObject>* Found = nullptr;
    if (Object->TryGetObjectField(Name, Found)) Part.Object = Found->ToSharedRef();
    return Part;
  }

  bool IsSeat() const {
    for (const TCHAR* Name : {TEXT("room_id"), TEXT("address"), TEXT("seat_token")}) {
      if (!Object->HasTypedField<EJson::String>(Name)) return false;
    }
    if (!Object->HasTypedField<EJson::Number>(TEXT("port"))) return false;
    const double Port = Object->GetNumberField(TEXT("port"));
    return Port >= 1 && Port < 65536 && Port == FMath::FloorToDouble(Port);
  }

  static bool HasOnly(const FString& Word, const FString& Allowed) {
    int32 Place = 0;
    for (const TCHAR C : Word) {
      if (!Allowed.FindChar(C, Place)) return false;
    }
    return true;
  }

 private:
  void ReadObject(const TArray<uint8>& Bytes) {
    const FUTF8ToTCHAR Wide(reinterpret_cast<const ANSICHAR*>(Bytes.GetData()), Bytes.Num());
    FString Body;
    Body.AppendChars(Wide.Get(), Wide.Length());
    const FTCHARToUTF8 Back(*Body, Body.Len());
    // Unreal has replaced bytes that are not UTF-8.
    if (Back.Length() != Bytes.Num()) return;
    if (FMemory::Memcmp(Back.Get(), Bytes.GetData(), Bytes.Num()) != 0) return;
    // Unreal frees nested values one inside the other: a deep answer could overflow the stack.
    int32 Values = 0;
    for (const TCHAR C : Body) Values += C == '[' || C == '{';
    TSharedPtr<FJsonObject> Found;
    if (Values > MostValues) return;
    FJsonSerializer::Deserialize(TJsonReaderFactory<>::Create(Body), Found);
    if (Found.IsValid()) Object = Found.ToSharedRef();
  }
};
