// What UnityTransport.cs names of Unity, so that it compiles where there is none. Nothing runs.

using System;

namespace UnityEngine
{
  public static class Time
  {
    public static double realtimeSinceStartupAsDouble => throw new NotSupportedException();
  }
}

namespace UnityEngine.Networking
{
  public class UploadHandler { }
  public class UploadHandlerRaw : UploadHandler { public UploadHandlerRaw(byte[] data) { } }
  public class DownloadHandler { }
  public class DownloadHandlerScript : DownloadHandler
  {
    protected virtual bool ReceiveData(byte[] data, int length) { return false; }
  }

  public class UnityWebRequest : IDisposable
  {
    public enum Result { InProgress, Success, ConnectionError, ProtocolError, DataProcessingError }
    public UnityWebRequest(string url, string method) { }
    public UploadHandler uploadHandler { get; set; }
    public DownloadHandler downloadHandler { get; set; }
    public int redirectLimit { get; set; }
    public bool isDone => throw new NotSupportedException();
    public Result result => throw new NotSupportedException();
    public string error => throw new NotSupportedException();
    public long responseCode => throw new NotSupportedException();
    public void SetRequestHeader(string name, string value) { }
    public string GetResponseHeader(string name) => throw new NotSupportedException();
    public object SendWebRequest() => throw new NotSupportedException();
    public void Abort() { }
    public void Dispose() { }
  }
}
