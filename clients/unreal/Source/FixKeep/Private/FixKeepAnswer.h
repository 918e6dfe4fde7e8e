// SPDX-License-Identifier: MIT
// What a master, or a balancer before it, has answered. Thread rule: values.
#pragma once

#include "Interfaces/IHttpResponse.h"
#include "Serialization/JsonSerializer.h"

struct FFixKeepAnswer {
  static constexpr int32 MostBytes = 64 * 1024;  // of the head, and of the body
  static constexpr int32 MostDepth = 64;

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

  FString Text(const TCHAR* Name) const { return TextOf(*Object, Name); }

  // The object's member, empty if it has none.
  TSharedRef<FJsonObject> Member(const TCHAR* Name) const {
    const TSharedPtr<FJsonObject>* Found = nullptr;
    if (Object->TryGetObjectField(Name, Found)) return Found->ToSharedRef();
    return MakeShared<FJsonObject>();
  }

  // Texts only: Unreal's TryGetStringField takes numbers too.
  static FString TextOf(const FJsonObject& From, const TCHAR* Name) {
    return From.HasTypedField<EJson::String>(Name) ? From.GetStringField(Name) : FString();
  }

  // The type of a master's problem; empty: it is none.
  static FString TypeOf(const FJsonObject& From) {
    FString Type = TextOf(From, TEXT("type"));
    return Type.RemoveFromStart(TEXT("urn:fixkeep:error:")) ? Type : FString();
  }

  static bool IsSeat(const FJsonObject& From) {
    for (const TCHAR* Name : {TEXT("room_id"), TEXT("address"), TEXT("seat_token")}) {
      if (!From.HasTypedField<EJson::String>(Name)) return false;
    }
    if (!From.HasTypedField<EJson::Number>(TEXT("port"))) return false;
    const double Port = From.GetNumberField(TEXT("port"));
    return Port >= 1 && Port < 65536 && Port == FMath::FloorToDouble(Port);
  }

  static bool HasOnly(const FString& Text, const FString& Allowed) {
    int32 Place = 0;
    for (const TCHAR C : Text) {
      if (!Allowed.FindChar(C, Place)) return false;
    }
    return true;
  }

 private:
  void ReadObject(const TArray<uint8>& Bytes) {
    const FUTF8ToTCHAR Wide(reinterpret_cast<const ANSICHAR*>(Bytes.GetData()), Bytes.Num());
    FString Body;
    Body.AppendChars(Wide.Get(), Wide.Length());
    // Unreal replaces bytes that are not UTF-8.
    const FTCHARToUTF8 Back(*Body, Body.Len());
    if (Back.Length() != Bytes.Num() || IsDeep(Body)) return;
    if (FMemory::Memcmp(Back.Get(), Bytes.GetData(), Bytes.Num()) != 0) return;
    TSharedPtr<FJsonObject> Found;
    const bool bFound = FJsonSerializer::Deserialize(TJsonReaderFactory<>::Create(Body), Found);
    if (bFound && Found.IsValid()) Object = Found.ToSharedRef();
  }

  // Unreal frees nested values one inside the other: a deep answer could overflow the stack.
  static bool IsDeep(const FString& Body) {
    int32 Depth = 0;
    bool bText = false;
    for (int32 I = 0; I < Body.Len() && Depth <= MostDepth; ++I) {
      const TCHAR C = Body[I];
      if (bText && C == '\\') {
        ++I;
      } else if (C == '"') {
        bText = !bText;
      } else if (!bText) {
        Depth += (C == '[' || C == '{') - (C == ']' || C == '}');
      }
    }
    return Depth > MostDepth;
  }
};
