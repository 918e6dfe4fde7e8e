// JsonObject.h and JsonSerializer.h, by nlohmann's parser: no depth of an answer ends its stack.
#include <nlohmann/json.hpp>

#include <Serialization/JsonSerializer.h>
#include <Texts.h>

namespace {

using Json = nlohmann::json;

TSharedPtr<FJsonValue> ValueOf(const Json& From) {
  const TSharedRef<FJsonValue> Value = MakeShared<FJsonValue>();
  if (From.is_string()) {
    Value->Type = EJson::String;
    Value->Text = Wide(From.get<std::string>());
  } else if (From.is_number()) {
    Value->Type = EJson::Number;
    Value->Number = From.get<double>();
  } else if (From.is_boolean()) {
    Value->Type = EJson::Boolean;
    Value->bValue = From.get<bool>();
  } else if (From.is_array()) {
    Value->Type = EJson::Array;
    for (const auto& Element : From) Value->Elements.Add(ValueOf(Element));
  } else if (From.is_object()) {
    Value->Type = EJson::Object;
    const TSharedRef<FJsonObject> Object = MakeShared<FJsonObject>();
    for (const auto& [Name, Member] : From.items()) Object->Values[Wide(Name)] = ValueOf(Member);
    Value->Object = Object;
  }
  return Value;
}

Json JsonOf(const FJsonObject& From);

Json JsonOf(const FJsonValue& From) {
  switch (From.Type) {
    case EJson::String: return Narrow(From.Text);
    case EJson::Number:
      if (From.Number == std::floor(From.Number)) return static_cast<int64>(From.Number);
      return From.Number;
    case EJson::Boolean: return From.bValue;
    case EJson::Array: {
      Json Made = Json::array();
      for (const auto& Element : From.Elements) Made.push_back(JsonOf(*Element));
      return Made;
    }
    case EJson::Object: return JsonOf(*From.Object);
    case EJson::None:
    case EJson::Null: break;
  }
  return nullptr;
}

Json JsonOf(const FJsonObject& From) {
  Json Made = Json::object();
  for (const auto& [Name, Value] : From.Values) Made[Narrow(Name)] = JsonOf(*Value);
  return Made;
}

TSharedRef<FJsonValue> Typed(EJson Type) {
  const TSharedRef<FJsonValue> Value = MakeShared<FJsonValue>();
  Value->Type = Type;
  return Value;
}

}  // namespace

FString FJsonValue::AsString() const {
  return Type == EJson::Number ? Wide(JsonOf(*this).dump()) : Text;
}

bool FJsonValue::TryGetNumber(double& Found) const {
  const Json Read = Json::parse(Narrow(Text), nullptr, false);
  const bool bText = Type == EJson::String && Read.is_number();
  if (Type == EJson::Number || bText) Found = bText ? Read.get<double>() : Number;
  return Type == EJson::Number || bText;
}

TSharedPtr<FJsonValue> FJsonObject::TryGetField(const FString& Name) const {
  const auto Found = Values.find(Name);
  return Found == Values.end() ? nullptr : Found->second;
}

FString FJsonObject::GetStringField(const FString& Name) const {
  const auto Value = TryGetField(Name);
  return Value.IsValid() ? Value->AsString() : FString();
}

double FJsonObject::GetNumberField(const FString& Name) const {
  double Found = 0;
  TryGetNumberField(Name, Found);
  return Found;
}

bool FJsonObject::TryGetNumberField(const FString& Name, double& Found) const {
  const auto Value = TryGetField(Name);
  return Value.IsValid() && Value->TryGetNumber(Found);
}

bool FJsonObject::TryGetNumberField(const FString& Name, int32& Found) const {
  double Number = 0;
  const bool bFound = TryGetNumberField(Name, Number);
  if (bFound) Found = static_cast<int32>(Number);
  return bFound;
}

bool FJsonObject::TryGetObjectField(const FString& Name,
                                    const TSharedPtr<FJsonObject>*& Found) const {
  const auto Value = TryGetField(Name);
  if (!Value.IsValid() || Value->Type != EJson::Object) return false;
  Found = &Value->Object;
  return true;
}

void FJsonObject::SetStringField(const FString& Name, const FString& Value) {
  const auto Made = Typed(EJson::String);
  Made->Text = Value;
  Values[Name] = Made;
}

void FJsonObject::SetNumberField(const FString& Name, double Value) {
  const auto Made = Typed(EJson::Number);
  Made->Number = Value;
  Values[Name] = Made;
}

void FJsonObject::SetObjectField(const FString& Name, const TSharedPtr<FJsonObject>& Value) {
  const auto Made = Typed(EJson::Object);
  Made->Object = Value;
  Values[Name] = Made;
}

void FJsonObject::SetArrayField(const FString& Name, const TArray<TSharedPtr<FJsonValue>>& Value) {
  const auto Made = Typed(EJson::Array);
  Made->Elements = Value;
  Values[Name] = Made;
}

bool FJsonSerializer::Deserialize(const TSharedRef<TJsonReader<>>& Reader,
                                  TSharedPtr<FJsonObject>& Object) {
  const Json Read = Json::parse(Narrow(Reader->Text), nullptr, false);
  if (!Read.is_object()) return false;
  Object = ValueOf(Read)->Object;
  return true;
}

bool FJsonSerializer::Serialize(const TSharedRef<FJsonObject>& Object,
                                const TSharedRef<TJsonWriter<>>& Writer) {
  *Writer->Text = Wide(JsonOf(*Object).dump());
  return true;
}
