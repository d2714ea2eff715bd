"""Lists the tools of a personal access token, runs an action, and waits for the user's approval where it needs one.

    STEWARD_TOKEN=stw_pat_… python3 steward.py mail.send '{"to": ["demo@example.com"], "subject": "Hello", "body": "From Python"}'
"""

import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

URL = os.environ.get("STEWARD_URL", "http://127.0.0.1:8080")
TOKEN = os.environ["STEWARD_TOKEN"]


def request(method, path, body=None, headers={}):
    """Returns the status and the JSON of a response, of an error, too."""
    sent = urllib.request.Request(URL + path, method=method, data=body and json.dumps(body).encode())
    for name, value in {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json", **headers}.items():
        sent.add_header(name, value)
    try:
        with urllib.request.urlopen(sent) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def call(action, arguments):
    """Runs an action. A change runs once, however often it is sent with the same key."""
    path = f"/agents/{urllib.parse.quote(action)}"
    status, body = request("POST", path, arguments, {"Idempotency-Key": str(uuid.uuid4())})
    if body.get("code") == "approval_required":
        print("Approve it at", body["details"]["url"], file=sys.stderr, flush=True)
        return wait(body["details"]["approvalId"])
    if status != 200:
        sys.exit(f"{body['code']}: {body['message']}")
    return body


def wait(approval):
    """The result of a call, once the user has approved it."""
    while True:
        status, outcome = request("GET", f"/approvals/{approval}/result")
        if outcome["status"] == "done":
            return outcome["result"]
        if status != 200 or outcome["status"] not in ("pending", "running"):
            sys.exit(f"{outcome['status']}: {outcome.get('error') or outcome.get('message') or 'it was not run'}")
        time.sleep(1)


if len(sys.argv) < 3:
    for tool in request("GET", "/tools?format=openai")[1]["tools"]:
        print(tool["function"]["name"], "-", tool["function"]["description"])
else:
    print(json.dumps(call(sys.argv[1], json.loads(sys.argv[2])), indent=2))
