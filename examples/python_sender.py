"""Sends a handoff with an operation in doubt to `handspan serve`, as OTLP/JSON log records. Python 3, nothing to install."""
import json, os, sys, time, urllib.error, urllib.request, uuid

URL = os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318") + "/v1/logs"
RUN, WRITER, seq = "py-" + uuid.uuid4().hex[:12], f"python-{os.getpid()}", 0

def event(kind, **fields):
    """One event of the run log; `writer` and `seq` make its line unique, so that sent twice it is stored once."""
    global seq
    seq += 1
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return {"run": RUN, "seq": seq, "at": at, "writer": WRITER, "kind": kind, **fields}

def send(events):
    """Delivers a batch, and does not give up before the server has it on disk."""
    records = [{"eventName": "handspan." + e["kind"], "body": {"stringValue": json.dumps(e)}} for e in events]
    body = json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}).encode()
    headers = {"Content-Type": "application/json"}
    if token := os.environ.get("HANDSPAN_TOKEN"):
        headers["Authorization"] = "Bearer " + token
    pause = 0.2
    while True:
        try:
            with urllib.request.urlopen(urllib.request.Request(URL, body, headers), timeout=10) as answer:
                refused = json.load(answer).get("partialSuccess")
                return print("refused:", refused["errorMessage"], file=sys.stderr) if refused else None
        except urllib.error.HTTPError as error:
            if error.code not in (429, 502, 503, 504):
                raise  # the batch itself is wrong: sending it again would not help
            pause = float(error.headers.get("Retry-After", pause))
        except (OSError, ValueError):
            pause = min(pause * 2, 30)  # nobody there, or gone in the middle: it comes back
        time.sleep(pause)

record = {"constraints": [{"id": "k1", "text": "invoice only what is reserved"}]}  # the open key is missing
send([event("run.start", principal={"kind": "human", "id": "u-17"}, agents=[{"name": "orders"}, {"name": "billing"}]),
      event("operation", agent="orders", op="op-1", tool="reserve_stock", args={"sku": "A-7"}, effect="write", state="sent", key="o7:2")])
send([event("handoff.sent", handoff="h1", mode="transfer", **{"from": "orders"}, to="billing", items_before=[{"role": "user", "content": "Forty of A-7."}], record=record),
      event("handoff.received", handoff="h1", by="billing", items=[{"role": "user", "content": "Forty of A-7."}], record=record)])
print(RUN)
