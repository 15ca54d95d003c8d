"""How messages go and come: over HTTP, or as lines of a child process."""

import json
import os
import select
import socket
import sys
import time


class Failed(Exception):
    """The call ends in an error."""

    def __init__(self, message, code=None):
        super().__init__(message)
        self.code = code


class Unanswered(Failed):
    """There was no answer, and the request may have run."""


class TimedOut(Failed):
    """The answer did not come in time."""


def parse(body, has):
    if has("dies-of-size") and len(body) > 15_000:
        sys.exit(1)
    hoard = bytearray(600_000_000) if has("hoards") and len(body) > 1_000_000 else b""
    if hoard:
        hoard[::4096] = b"x" * len(hoard[::4096])
        time.sleep(0.1)
    try:
        return json.loads(body.decode("utf-8", "replace" if has("replaces-bytes") else "strict"))
    except (ValueError, RecursionError) as error:
        raise Failed(f"no JSON: {type(error).__name__}") from error


# ---- HTTP ----


class Http:
    def __init__(self, url, has):
        self.has = has
        self.authority, _, self.path = url.removeprefix("http://").partition("/")
        self.path = "/" + self.path

    def exchange(self, message, headers, deadline, is_answer):
        """Sends a message and returns the answer, which `is_answer` recognizes."""
        body = json.dumps(message).encode()
        if self.has("sends-again"):
            try:
                return self.post(body, headers, deadline, is_answer)
            except Unanswered:
                pass
        return self.post(body, headers, deadline, is_answer)

    def post(self, body, headers, deadline, is_answer):
        response = Response(self.authority, deadline, self.has)
        response.request("POST", self.path, headers, body)
        if response.status in (301, 302, 307, 308) and self.has("follows-redirects"):
            return Http(response.headers["location"], self.has).post(body, headers, deadline, is_answer)
        media_type = response.headers.get("content-type", "")
        if not self.has("exact-media-type"):
            media_type = media_type.split(";")[0].strip().lower()
        if media_type == "text/event-stream" and not self.has("no-streams"):
            return self.read_events(response, is_answer)
        if media_type != "application/json":
            raise Unanswered(f"status {response.status}")
        return parse(b"".join(response.body()), self.has)

    def read_events(self, response, is_answer):
        found = None
        for event in events(response.body(), self.has):
            message = parse(event.encode(), self.has)
            if is_request(message) and self.has("answers-the-server"):
                self.notify({"jsonrpc": "2.0", "id": message["id"], "result": {"action": "cancel"}}, {})
            if is_answer(message) or self.has("first-event"):
                found = message
                if not self.has("last-answer") and not self.has("reads-to-the-end"):
                    return found
        if found is None:
            raise Unanswered("the stream ended")
        return found

    def notify(self, message, headers):
        """Sends a message that has no answer."""
        self.request("POST", self.path, headers, json.dumps(message).encode())

    def request(self, method, path, headers=(), body=b""):
        Response(self.authority, time.monotonic() + 5, self.has).request(method, path, dict(headers), body)

    def close(self):
        if self.has("deletes-session"):
            self.request("DELETE", self.path, {}, b"{}")


class Response:
    """A response that is read as it comes."""

    def __init__(self, authority, deadline, has):
        self.authority, self.deadline, self.has = authority, deadline, has
        host, _, port = authority.partition(":")
        self.socket = socket.create_connection((host, int(port)), timeout=5)
        self.rest = b""

    def request(self, method, path, headers, body):
        head = f"{method} {path} HTTP/1.1\r\nHost: {self.authority}\r\nContent-Length: {len(body)}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in headers.items()) + "\r\n"
        try:
            self.socket.sendall(head.encode() + body)
            self.read_head()
        except OSError as error:
            raise Unanswered(f"connection: {error}") from error

    def read_head(self):
        status_line, *lines = self.read_until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        self.status = int(status_line.split(" ")[1])
        pairs = [line.partition(":") for line in lines]
        spelled = str if self.has("exact-header-names") else str.lower
        self.headers = {spelled(name): value.strip() for name, _, value in pairs}
        if self.has("exact-header-names"):
            self.headers["content-type"] = self.headers.get("Content-Type", "")

    def read_until(self, mark):
        while mark not in self.rest:
            chunk = self.receive()
            if not chunk:
                raise Unanswered("the connection closed")
            self.rest += chunk
        found, _, self.rest = self.rest.partition(mark)
        return found

    def receive(self):
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimedOut("timed out")
        self.socket.settimeout(left)
        try:
            return self.socket.recv(1 << 20)
        except TimeoutError as error:
            raise TimedOut("timed out") from error

    def body(self):
        """Yields the parts of the body."""
        try:
            if self.headers.get("transfer-encoding") == "chunked" and not self.has("ignores-chunks"):
                while size := int(self.read_until(b"\r\n"), 16):
                    yield self.read_exactly(size)
                    self.read_until(b"\r\n")
            elif "content-length" in self.headers:
                yield self.read_exactly(int(self.headers["content-length"]))
            else:
                yield self.rest
                while chunk := self.receive():
                    yield chunk
        except OSError as error:
            raise Unanswered(f"connection: {error}") from error

    def read_exactly(self, size):
        parts = [self.rest]
        size -= len(self.rest)
        while size > 0:
            chunk = self.receive()
            if not chunk:
                raise Unanswered("the connection closed")
            parts.append(chunk)
            size -= len(chunk)
        body = b"".join(parts)
        end = len(body) + min(size, 0)
        self.rest = body[end:]
        return body[:end]


def lines(chunks, has):
    """Yields the lines of an event stream, which end in three ways."""
    line, was_return = bytearray(), False
    for chunk in chunks:
        for byte in chunk:
            if byte == 10 and was_return:
                was_return = False
                continue
            was_return = byte == 13 and not has("wants-line-feeds")
            if byte == 10 or was_return:
                yield line.decode()
                line.clear()
            else:
                line.append(byte)


def events(chunks, has):
    """Yields the data of each event."""
    data, name = [], ""
    for index, line in enumerate(lines(chunks, has)):
        if index == 0 and not has("reads-byte-order-marks"):
            line = line.removeprefix("\ufeff")
        field, colon, value = line.partition(":")
        if has("wants-space") and colon and field and not value.startswith(" "):
            continue
        value = value.removeprefix(" ")
        if field == "data":
            data = [value] if has("last-data-line") else [*data, value]
        elif field == "event":
            name = value
        elif field not in ("", "id", "retry") and has("refuses-unknown-fields"):
            raise Failed("a field is unknown")
        if not line:
            if any(data) and (name == "message" or not has("wants-event-name")):
                yield "\n".join(data)
            data, name = [], ""


def is_request(message):
    return isinstance(message, dict) and "method" in message and "id" in message


# ---- stdio ----


class Stdio:
    def __init__(self, command, has):
        self.command, self.has = command, has
        self.start()

    def start(self):
        import subprocess

        pipe = subprocess.PIPE
        errors = pipe if self.has("wants-silence") else subprocess.DEVNULL
        self.child = subprocess.Popen(self.command, stdin=pipe, stdout=pipe, stderr=errors)
        self.rest = b""
        if self.has("writes-banner"):
            self.write("hello")

    def exchange(self, message, headers, deadline, is_answer):
        """Sends a message and returns the answer, which `is_answer` recognizes."""
        self.notify(message, headers)
        try:
            return self.read_answer(deadline, is_answer)
        except TimedOut:
            if not self.has("never-cancels"):
                params = {"requestId": message["id"]}
                self.notify({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}, {})
            raise
        except Unanswered:
            if not self.has("sends-again"):
                raise
            self.start()
            self.notify(message, headers)
            return self.read_answer(deadline, is_answer)

    def read_answer(self, deadline, is_answer):
        found = None
        while True:
            try:
                line = self.read_line(deadline if found is None else time.monotonic() + 0.3)
            except Failed:
                if found is None:
                    raise
                return found
            try:
                message = parse(line, self.has)
            except Failed:
                continue
            if is_request(message) and self.has("answers-the-server"):
                self.notify({"jsonrpc": "2.0", "id": message["id"], "result": {"action": "cancel"}}, {})
            if is_answer(message) or self.has("first-event"):
                found = message
                if self.has("wants-silence") and os.read(self.child.stderr.fileno(), 1):
                    raise Failed("the server reports an error")
                if not self.has("last-answer"):
                    return found

    def read_line(self, deadline):
        stdout = self.child.stdout.fileno()
        while b"\n" not in self.rest:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([stdout], [], [], left)[0]:
                raise TimedOut("timed out")
            chunk = os.read(stdout, 1 << 20)
            if not chunk:
                raise Unanswered("the server ended")
            self.rest += chunk
        line, _, self.rest = self.rest.partition(b"\n")
        return line

    def notify(self, message, _):
        """Sends a message that has no answer."""
        self.write(json.dumps(message))

    def write(self, line):
        try:
            self.child.stdin.write(line.encode() + b"\n")
            self.child.stdin.flush()
        except OSError as error:
            raise Unanswered("the server ended") from error

    def close(self):
        # The server must read the last line before it ends.
        try:
            self.child.stdin.close()
            self.child.wait(0.2)
        except Exception:
            pass
        self.child.kill()
        self.child.wait()
