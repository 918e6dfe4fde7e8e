// SPDX-License-Identifier: MIT
// Requests by UnityWebRequest, for Unity 2020.2 or later, WebGL too. FIX Keep's tests compile this
// file against stand-ins and do not run it: there is no Unity where they run. Thread rule: main
// thread alone.
#if UNITY_2020_2_OR_NEWER
using System;
using System.IO;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using UnityEngine;
using UnityEngine.Networking;
namespace FixKeep
{
  public sealed class UnityTransport : ITransport
  {
    public double NowMs => Time.realtimeSinceStartupAsDouble * 1000;
    public async Task Delay(int ms, CancellationToken cancel)
    {
      for (var end = NowMs + ms; NowMs < end; await Task.Yield())
        cancel.ThrowIfCancellationRequested();
    }

    public async Task<HttpAnswer> Send(Uri url, HttpCall call, int mostBytes, int timeoutMs,
                                       CancellationToken cancel)
    {
      var read = new Bounded { Most = mostBytes };
      using (var request = new UnityWebRequest(url.AbsoluteUri, call.Method)
        { downloadHandler = read, redirectLimit = 0 })
      {
        if (call.Body != null)
        {
          request.uploadHandler = new UploadHandlerRaw(call.Body);
          request.SetRequestHeader("Content-Type", "application/json");
        }
        foreach (var field in call.Fields) request.SetRequestHeader(field.Key, field.Value);
        if (!string.IsNullOrEmpty(call.Token))
          request.SetRequestHeader("Authorization", "Bearer " + call.Token);
        request.SendWebRequest();
        for (var end = NowMs + timeoutMs; !request.isDone; await Task.Yield())
        {
          if (!cancel.IsCancellationRequested && NowMs < end) continue;
          request.Abort();
          throw new IOException("no answer in time");
        }
        var how = request.result;
        if (how == UnityWebRequest.Result.ConnectionError ||
            how == UnityWebRequest.Result.DataProcessingError) throw new IOException(request.error);
        var after = request.GetResponseHeader("Retry-After") ?? "";
        var tag = request.GetResponseHeader("ETag") ?? "";
        var text = new UTF8Encoding(false, true).GetString(read.Bytes.ToArray());
        return new HttpAnswer
          { Status = (int)request.responseCode, RetryAfter = after, ETag = tag, Body = text };
      }
    }

    sealed class Bounded : DownloadHandlerScript
    {
      public int Most;
      public readonly MemoryStream Bytes = new MemoryStream();
      protected override bool ReceiveData(byte[] data, int length)
      {
        Bytes.Write(data, 0, length);
        return Bytes.Length <= Most;  // false ends the request with an error
      }
    }
  }
}
#endif
