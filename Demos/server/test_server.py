#!/usr/bin/env python3
"""Tests of the reference server, which runs in its own process on a free port.

Every response is checked against `openapi.json`: its status, its type and its schema. Instead of waiting, tests
change times in the server's data file. They need only the standard library; `python3 test_server.py` runs all.
"""

import base64
import concurrent.futures
import contextlib
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
sys.dont_write_bytecode = True
import server  # noqa: E402

DESCRIPTION = json.loads((FOLDER / "openapi.json").read_text())
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
LINES = "application/x-ndjson"
DATE = "Date"


# --- A validator for the part of JSON Schema that the description uses --------------------------------------

TYPES = {
    "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int,
    "number": (int, float),
}
CHECKED = {
    "type", "enum", "const", "properties", "required", "additionalProperties", "items", "pattern", "minimum",
    "maximum", "minLength", "maxLength", "minItems", "maxItems", "anyOf", "allOf", "oneOf", "$ref",
}
NOTES = {"description", "default", "examples", "format"}


def resolve(part):
    """The part of the description that a reference points to."""
    while "$ref" in part:
        value = DESCRIPTION
        for name in part["$ref"].removeprefix("#/").split("/"):
            value = value[name]
        part = value
    return part


def problems(value, schema, place="answer"):
    """A message for each rule of a schema that a value violates."""
    schema = resolve(schema)
    unknown = set(schema) - CHECKED - NOTES
    if unknown:
        return [f"{place}: the validator does not know {sorted(unknown)}"]
    found = []
    types = schema.get("type")
    if types:
        names = types if isinstance(types, list) else [types]
        is_number = isinstance(value, bool) and "boolean" not in names
        if is_number or not any(isinstance(value, TYPES[name]) for name in names):
            return [f"{place}: {value!r} is not {names}"]
    if "const" in schema and value != schema["const"]:
        found.append(f"{place}: {value!r} is not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{place}: {value!r} is none of {schema['enum']}")
    for part in schema.get("allOf", []):
        found += problems(value, part, place)
    for kind, wanted in [("anyOf", range(1, 1000)), ("oneOf", [1])]:
        if kind in schema:
            fitting = sum(not problems(value, part, place) for part in schema[kind])
            found += [] if fitting in wanted else [f"{place}: {fitting} of {kind} fit"]
    return found + bound_problems(value, schema, place) + member_problems(value, schema, place)


def bound_problems(value, schema, place):
    bounds = []
    if isinstance(value, (int, float)):
        bounds = [(value, "minimum", "maximum")]
    elif isinstance(value, str):
        bounds = [(len(value), "minLength", "maxLength")]
        if "pattern" in schema and not re.search(schema["pattern"], value):
            return [f"{place}: {value!r} does not match {schema['pattern']}"]
    elif isinstance(value, list):
        bounds = [(len(value), "minItems", "maxItems")]
    return [
        f"{place}: {size} is out of bounds" for size, low, high in bounds
        if size < schema.get(low, size) or size > schema.get(high, size)]


def member_problems(value, schema, place):
    found = []
    if isinstance(value, dict):
        known = schema.get("properties", {})
        found += [f"{place}: {name} is missing" for name in schema.get("required", []) if name not in value]
        if schema.get("additionalProperties") is False:
            found += [f"{place}: {name} is not described" for name in value if name not in known]
        for name in known.keys() & value.keys():
            found += problems(value[name], known[name], f"{place}.{name}")
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            found += problems(item, schema["items"], f"{place}[{index}]")
    return found


def operation(method, path):
    """The description of a request; None if it has no such path."""
    router = server.Router(server.ROUTES)
    routes, _ = router.find(path.partition("?")[0])
    route = routes.get("GET" if method == "HEAD" else method)
    return DESCRIPTION["paths"].get(route.pattern, {}).get(route.method.lower()) if route else None


def description_problems(method, path, answer):
    """The parts of a response that the description does not allow."""
    described = operation(method, path)
    if described is None:
        return []
    found = described["responses"].get(str(answer.status))
    if found is None:
        if answer.status < 400:
            return [f"{method} {path}: the status {answer.status} is not described"]
        found = described["responses"]["default"]
    found = resolve(found)
    result = [
        f"{method} {path}: the header {name} is missing" for name, header in found.get("headers", {}).items()
        if header.get("required", True) and name not in answer.headers]
    if "content" not in found or method == "HEAD":
        return result + ([f"{method} {path}: there is a body"] if answer.data else [])
    type = answer.headers["Content-Type"].partition(";")[0]
    if type not in found["content"]:
        return [f"{method} {path}: the type {type} is not described"]
    schema = found["content"][type]["schema"]
    value = answer.data.decode() if type == LINES else answer.json
    return result + [f"{method} {path} {answer.status}: {text}" for text in problems(value, schema)]


# --- The server as a process, and a client ------------------------------------------------------------------


class Process:
    """A running server."""

    def __init__(self, *arguments):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [sys.executable, str(FOLDER / "server.py"), "--port", "0", "--quiet", *arguments],
            stdout=subprocess.PIPE, stderr=self.errors, text=True)
        line = self.process.stdout.readline()
        self.address = line.removeprefix("Listening on ").strip()
        self.port = int(self.address.rpartition(":")[2]) if self.address else None

    def end(self, number=signal.SIGTERM):
        """Ends the server; returns its exit status and its error output."""
        self.process.send_signal(number)
        status = self.process.wait(10)
        self.process.stdout.close()
        with self.errors as errors:
            errors.seek(0)
            return status, errors.read().decode()


class Answer:
    """A response of the server."""

    def __init__(self, response):
        self.status, self.headers = response.status, response.headers
        self.data = response.read()

    @property
    def json(self):
        return json.loads(self.data)


class Client:
    """Sends requests over persistent connections, one for each thread."""

    def __init__(self, port):
        self.port = port
        self.token = None
        self._connections = threading.local()

    def connection(self):
        if not hasattr(self._connections, "value"):
            self._connections.value = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        return self._connections.value

    def call(self, method, path, body=None, *, headers=None, type=None, token="own", checked=True):
        """A response, which is checked against the description unless `checked` is false."""
        headers = dict(headers or {})
        if isinstance(body, dict | list):
            body, type = json.dumps(body).encode(), type or JSON
        if type:
            headers["Content-Type"] = type
        token = self.token if token == "own" else token
        if token:
            headers["Authorization"] = f"Bearer {token}"
        connection = self.connection()
        try:
            connection.request(method, path, body=body, headers=headers)
            answer = Answer(connection.getresponse())
        except BaseException:
            connection.close()
            raise
        if checked and (found := description_problems(method, path, answer)):
            raise AssertionError("\n".join(found))
        return answer

    def grant(self, **form):
        return self.call("POST", "/oauth/token", urllib.parse.urlencode(form), type=FORM, token=None)

    def sign_in(self, name="ada", password="correct horse"):
        """Starts a session; returns the response of the token endpoint."""
        tokens = self.grant(grant_type="password", username=f"{name}@example.com", password=password).json
        self.token = tokens["access_token"]
        return tokens

    def close(self):
        """Closes the connection of this thread."""
        self.connection().close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def raw(port, data, *, ends=True):
    """The server's complete output for some bytes, until it closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        # The server may have closed the connection already.
        with contextlib.suppress(OSError):
            connection.sendall(data)
            if ends:
                connection.shutdown(socket.SHUT_WR)
        answer = b""
        with contextlib.suppress(ConnectionResetError):
            while more := connection.recv(65536):
                answer += more
        return answer


def entity(name="Thing", **members):
    return {"name": name, **members}


class ServerTestCase(unittest.TestCase):
    """Tests that share one server; each starts without a sign-in and without faults."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="atrium-server-")
        cls.data = os.path.join(cls.folder, "data.sqlite")
        cls.server = Process("--faults", "--seed", "--data", cls.data)

    @classmethod
    def tearDownClass(cls):
        ending = cls.server.end()
        shutil.rmtree(cls.folder)
        assert ending == (0, ""), ending

    def setUp(self):
        self.client = Client(self.server.port)
        self.call = self.client.call
        self.addCleanup(self.client.close)
        self.call("DELETE", "/_faults")

    def change_data(self, statement, *values):
        """Changes the data file directly, so that no test has to wait."""
        with contextlib.closing(sqlite3.connect(self.data, timeout=10)) as database, database:
            return database.execute(statement, values).fetchall()

    def assert_problem(self, answer, status, name, field=None):
        self.assertEqual(answer.status, status, answer.data)
        self.assertEqual(answer.headers["Content-Type"], "application/problem+json")
        self.assertEqual(answer.json["type"], f"/problems/{name}")
        self.assertEqual(answer.json["status"], status)
        if field:
            self.assertIn(field, [error["field"] for error in answer.json["errors"]])

    def total(self):
        return self.call("GET", "/v1/entities?size=1").json["total"]

    def fault(self, name, **members):
        answer = self.call("POST", "/_faults", {"fault": name, **members})
        self.assertEqual(answer.status, 201, answer.data)


# --- Tests --------------------------------------------------------------------------------------------------


class DescriptionTests(ServerTestCase):
    def test_the_description_has_every_public_route_and_no_other(self):
        routes = {route.name for route in server.ROUTES if route.access != server.CONTROL}
        described = {
            f"{method.upper()} {path}" for path, item in DESCRIPTION["paths"].items() for method in item}
        self.assertEqual(routes, described)

    def test_the_description_says_of_each_route_whether_it_needs_a_token(self):
        wanted = {
            server.OPEN: [], server.OPTIONAL: [{}, {"bearer": []}], server.SIGNED_IN: [{"bearer": []}]}
        for route in server.ROUTES:
            if route.access != server.CONTROL:
                described = DESCRIPTION["paths"][route.pattern][route.method.lower()]
                self.assertEqual(described["security"], wanted[route.access], route.name)

    def test_every_reference_of_the_description_leads_somewhere(self):
        for name in re.findall(r'"#/[^"]+"', json.dumps(DESCRIPTION)):
            resolve({"$ref": name.strip('"')})

    def test_the_description_is_served(self):
        self.assertEqual(self.call("GET", "/openapi.json").json, DESCRIPTION)

    def test_the_operations_that_take_an_idempotency_key_are_those_described_with_it(self):
        self.client.sign_in("grace")
        bodies = {
            "createUser": {"email": "keyless@example.com", "password": "correct horse"},
            "putProfile": {"firstName": "Grace", "lastName": "Hopper"},
            "createNotification": {"kind": "profileUpdated"},
            "createEntity": entity(), "changeEntity": {"name": "Lamp"}, "importEntities": '{"name": "Lamp"}',
        }
        taking, described, end_sessions = set(), set(), ("DELETE", "/v1/users/me/sessions")
        changes = [
            (method.upper(), path, operation) for path, item in DESCRIPTION["paths"].items()
            for method, operation in item.items() if method != "get" and not path.startswith("/oauth/")]
        for method, path, found in sorted(changes, key=lambda change: change[:2] == end_sessions):
            name = f"{method} {path}"
            if {"$ref": "#/components/parameters/idempotencyKey"} in found.get("parameters", []):
                described.add(name)
            id = "ugrace" if path.startswith("/v1/users") else "1"
            body = bodies.get(found["operationId"])
            answer = self.call(
                method, path.replace("{id}", id), body, type=LINES if isinstance(body, str) else None,
                headers={"Idempotency-Key": "not visible"})
            if answer.status == 400 and "Idempotency-Key" in answer.json["detail"]:
                taking.add(name)
            else:
                self.assertIn(answer.status, (201, 204), (name, answer.data))
        self.assertEqual(described, taking)

    def test_the_endpoints_of_the_bundled_modules_are_those_described(self):
        sources = FOLDER.parent.parent / "Plugins"
        found = {
            (method, re.sub(r":(\w+)", r"{\1}", f"/{path}"))
            for module in ("Session", "UserProfile", "Entities") for file in (sources / module).rglob("*.swift")
            for method, path in re.findall(r'Endpoint\(\s*\.(\w+),\s*"([^"]+)"', file.read_text())}
        # Entities is a record: the endpoints are those of the kit, at its path.
        resource = sources.parent / "Sources/AtriumKit/Sources/AtriumKit/Records/Services/ResourceRecordService.swift"
        found |= {
            (method, re.sub(r":(\w+)", r"{\1}", f"/v1/entities{end}"))
            for method, end in re.findall(
                r'Endpoint\(\s*\.(\w+), (?:path|"\\\(path\)([^"]*)")', resource.read_text())}
        # What configuration may choose in place of PATCH.
        found.discard(("put", "/v1/entities/{id}"))
        found |= {
            ("get", f"/{path}")
            for path in re.findall(r'"category": "([^"]+)"', (sources / "Entities/EntitiesModule.swift").read_text())}
        described = {
            (method, path) for path, item in DESCRIPTION["paths"].items() for method in item
            if path.startswith("/v1/")}
        self.assertEqual(found, described)

    def test_the_page_about_backends_has_the_endpoints_as_described(self):
        page = (FOLDER.parent.parent / "Docs" / "backend.md").read_text()
        rows = re.findall(r"^\| `(\w+) (/[^`]+)` \| (\w+) \| (\w*) ?\|[^\n]*?\| (20\d)\b", page, re.M)
        keys = {"idempotencyKey": "yes", "ignoredKey": "ignored"}
        tokens = {"[]": "none", "[{}]": "none", "[{'bearer': []}]": "needed", "[{}, {'bearer': []}]": "optional"}
        described = set()
        for path, item in DESCRIPTION["paths"].items():
            for method, found in item.items():
                names = [part.get("$ref", "").rpartition("/")[2] for part in found.get("parameters", [])]
                key = next((keys[name] for name in names if name in keys), "")
                # Signing up is for nobody, although the server takes a token.
                token = "none" if found["operationId"] == "createUser" else tokens[str(found["security"])]
                status = next(status for status in found["responses"] if status.startswith("2"))
                described.add((method.upper(), path, token, key, status))
        others = {("GET", path, "none", "", "200") for path in ("/openapi.json", "/_health")}
        self.assertEqual(set(rows), described - others)

    def test_options_and_head_are_answered_as_described(self):
        self.client.sign_in()
        for path, item in DESCRIPTION["paths"].items():
            if "get" in item:
                get, head = (self.call(method, path.replace("{id}", "uada")) for method in ("GET", "HEAD"))
                self.assertEqual((head.status, head.data), (get.status, b""), path)
                self.assertEqual(head.headers.items(), [
                    (name, head.headers[name] if name == DATE else value) for name, value in get.headers.items()])
            allowed = {method.upper() for method in item} | {"OPTIONS"} | ({"HEAD"} if "get" in item else set())
            answer = self.call("OPTIONS", path.replace("{id}", "1"), checked=False)
            self.assertEqual((answer.status, set(answer.headers["Allow"].split(", "))), (204, allowed), path)

    def test_the_validator_finds_what_is_wrong(self):
        schema = {"$ref": "#/components/schemas/Entity"}
        good = self.call("GET", "/v1/entities/1").json
        self.assertEqual(problems(good, schema), [])
        for name, value in [("id", "1"), ("id", 0), ("id", True), ("name", None), ("createdAt", "today")]:
            self.assertTrue(problems({**good, name: value}, schema), (name, value))
        del good["notes"]
        self.assertTrue(problems(good, schema))


class TextTests(unittest.TestCase):
    """The results of Swift 6.3.1 for the same strings (`lowercased`, `count`, and the modules' `trimmed`)."""

    def test_folding_is_that_of_swift(self):
        for text, folded in [
            ("Żółta ŁÓDŹ", "żółta łódź"), ("ΣΊΣΥΦΟΣ", "σίσυφοσ"), ("İI", "i\u0307i"), ("ẞß", "ßß"),
            ("e\u0301É", "e\u0301é"),
            ("\u1C89\uA7DC\U00010D50\U00016EA0", "\u1C8A\u019B\U00010D70\U00016EBB"),
        ]:
            self.assertEqual(server.fold(text), folded)

    def test_characters_are_counted_as_swift_does_where_no_tables_are_needed(self):
        for text, count in [
            ("", 0), ("a\r\nb", 3), ("e\u0301", 1), ("Łódź", 4), ("\n\r\n", 2),
            ("👩‍👩‍👧‍👦 🏳️‍🌈", None), ("각", None), ("क्षि", None),
        ]:
            self.assertEqual(server.character_count(text), count, ascii(text))

    def test_a_text_that_needs_tables_is_bounded_by_its_bytes(self):
        self.assertEqual(server.NAME_RULE.problems("👩‍👩‍👧‍👦" * 200), [])
        self.assertEqual(
            server.NAME_RULE.problems("👩‍👩‍👧‍👦" * 300), ["The name may take at most 6400 bytes, not 7500."])
        self.assertEqual(
            server.NAME_RULE.problems("ż" * 201), ["The name may have at most 200 characters, not 201."])

    def test_texts_are_trimmed_as_swift_does(self):
        for text, kept in [
            ("  a b\t\n", "a b"), ("\u3000x\u00A0", "x"), (" \u0301x \u0301", "x"), ("\u001Fx", "\u001Fx"),
            ("\u200Bx", "\u200Bx"), (" \n ", ""), ("", ""), ("é \u2028", "é"),
        ]:
            self.assertEqual(server.trimmed(text), kept, ascii(text))


class TokenTests(ServerTestCase):
    def claims(self, token):
        part = token.split(".")[1]
        return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))

    def forged(self, key=None, header=server.Tokens.HEADER, **claims):
        """A token signed with the server's key, unless another is given."""
        key = key or bytes.fromhex(self.change_data("SELECT value FROM settings WHERE name = 'key'")[0][0])
        real = self.claims(self.client.sign_in()["access_token"])
        text = f"{header}.{server._base64url(json.dumps({**real, **claims}).encode())}"
        return f"{text}.{server._base64url(hmac.digest(key, text.encode(), 'sha256'))}"

    def assert_refused(self, token):
        answer = self.call("GET", "/v1/users/me", token=token)
        self.assert_problem(answer, 401, "unauthenticated")
        self.assertRegex(
            answer.headers["WWW-Authenticate"], '^Bearer error="invalid_token", error_description="[^"]+"$')
        self.assertEqual(self.call("GET", "/v1/entities/1", token=token).status, 401)

    def assert_grant_refused(self, error, **form):
        answer = self.client.grant(**form)
        self.assertEqual((answer.status, answer.json["error"]), (400, error))
        self.assertEqual(answer.headers["Cache-Control"], "no-store")

    def test_a_password_begins_a_session(self):
        tokens = self.client.sign_in()
        claims = self.claims(tokens["access_token"])
        self.assertEqual(claims["sub"], "uada")
        self.assertIn(claims["exp"] - claims["iat"] - tokens["expires_in"], (0, 1))
        self.assertEqual(tokens["expires_in"], 60)
        self.assertEqual(self.call("GET", "/v1/users/me").json["displayName"], "Ada Lovelace")

    def test_an_email_is_found_without_regard_to_case(self):
        answer = self.client.grant(
            grant_type="password", username="ADA@Example.COM", password="correct horse")
        self.assertEqual(answer.status, 200)

    def test_wrong_credentials_get_one_answer(self):
        answers = [
            self.client.grant(grant_type="password", username=name, password=password)
            for name, password in [("ada@example.com", "wrong"), ("nobody@example.com", "correct horse")]]
        self.assertEqual(answers[0].data, answers[1].data)
        self.assertEqual((answers[0].status, answers[0].json["error"]), (400, "invalid_grant"))

    def test_a_bad_request_for_tokens_says_what_is_wrong(self):
        self.assert_grant_refused("invalid_request", grant_type="password", username="ada@example.com")
        self.assert_grant_refused("invalid_request", username="ada@example.com", password="x")
        self.assert_grant_refused("unsupported_grant_type", grant_type="client_credentials")
        self.assert_grant_refused("invalid_grant", grant_type="refresh_token", refresh_token="unknown")
        for body, type in [
            (b"grant_type=password&grant_type=password", FORM), (b"grant_type=%zz", FORM),
            (b"grant_type=%ff", FORM), (b"\xff=1", FORM), (b'{"grant_type":"password"}', JSON), (b"", None),
        ]:
            answer = self.call("POST", "/oauth/token", body, type=type)
            self.assertEqual((answer.status, answer.json["error"]), (400, "invalid_request"), body)

    def test_a_missing_token_and_another_scheme_get_a_plain_challenge(self):
        for headers in [{}, {"Authorization": "Basic YTpi"}]:
            answer = self.call("GET", "/v1/users/me", headers=headers)
            self.assert_problem(answer, 401, "unauthenticated")
            self.assertEqual(answer.headers["WWW-Authenticate"], "Bearer")

    def test_a_token_that_is_not_ours_is_refused(self):
        good = self.client.sign_in()["access_token"]
        none = server._base64url(b'{"alg":"none"}')
        for token in [
            "x", "a.b.c", "..", good[:-2], good + "A", "é.é.é", self.forged(key=b"another"),
            f"{none}.{good.split('.')[1]}.", self.forged(header=none)[:-5], self.forged(sid="unknown"),
        ]:
            self.assert_refused(token)

    def test_an_expired_token_is_refused(self):
        self.assertEqual(self.call("GET", "/v1/users/me", token=self.forged()).status, 200)
        self.assert_refused(self.forged(exp=int(time.time()) - 1))

    def test_all_tokens_can_be_made_to_expire(self):
        old = self.client.sign_in()
        self.assertEqual(self.call("POST", "/_expire", token=None).status, 204)
        self.assert_refused(old["access_token"])
        new = self.client.grant(grant_type="refresh_token", refresh_token=old["refresh_token"]).json
        self.assertEqual(self.call("GET", "/v1/users/me", token=new["access_token"]).status, 200)

    def test_refresh_tokens_rotate_and_a_lost_answer_can_be_asked_for_again(self):
        first = self.client.sign_in()
        refresh = {"grant_type": "refresh_token", "refresh_token": first["refresh_token"]}
        second = self.client.grant(**refresh).json
        self.assertNotEqual(second["refresh_token"], first["refresh_token"])
        self.assertEqual(self.client.grant(**refresh).json["refresh_token"], second["refresh_token"])
        third = self.client.grant(grant_type="refresh_token", refresh_token=second["refresh_token"])
        self.assertEqual(third.status, 200)

    def test_a_refresh_token_that_is_used_again_later_ends_the_session(self):
        first = self.client.sign_in()
        refresh = {"grant_type": "refresh_token", "refresh_token": first["refresh_token"]}
        second = self.client.grant(**refresh).json
        digest = hashlib.sha256(first["refresh_token"].encode()).digest()
        self.change_data("UPDATE refreshTokens SET rotatedAt = rotatedAt - 11000000 WHERE digest = ?", digest)
        self.assert_grant_refused("invalid_grant", **refresh)
        self.assert_refused(second["access_token"])
        self.assert_grant_refused(
            "invalid_grant", grant_type="refresh_token", refresh_token=second["refresh_token"])

    def test_a_refresh_token_expires(self):
        refresh = self.client.sign_in()["refresh_token"]
        digest = hashlib.sha256(refresh.encode()).digest()
        self.change_data("UPDATE refreshTokens SET expiresAt = 1 WHERE digest = ?", digest)
        self.assert_grant_refused("invalid_grant", grant_type="refresh_token", refresh_token=refresh)

    def test_concurrent_refreshes_get_one_successor(self):
        refresh = self.client.sign_in()["refresh_token"]

        def ask(_):
            with Client(self.server.port) as client:
                return client.grant(grant_type="refresh_token", refresh_token=refresh).json["refresh_token"]

        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            self.assertEqual(len(set(pool.map(ask, range(20)))), 1)

    def test_a_revoked_session_is_refused_at_once(self):
        for kind in ["refresh_token", "access_token"]:
            tokens = self.client.sign_in()
            answer = self.call("POST", "/oauth/revoke", f"token={tokens[kind]}", type=FORM, token=None)
            self.assertEqual(answer.status, 200)
            self.assert_refused(tokens["access_token"])
            self.assert_grant_refused(
                "invalid_grant", grant_type="refresh_token", refresh_token=tokens["refresh_token"])

    def test_revoking_an_unknown_token_is_no_mistake_but_none_is(self):
        self.assertEqual(self.call("POST", "/oauth/revoke", "token=unknown", type=FORM).status, 200)
        self.assertEqual(self.call("POST", "/oauth/revoke", "", type=FORM).json["error"], "invalid_request")

    def test_sessions_are_listed_and_signing_out_everywhere_ends_them_all(self):
        other = self.client.sign_in("grace")["access_token"]
        here = self.client.sign_in("grace")["access_token"]
        ada = Client(self.server.port)
        ada.sign_in()
        rows = self.call("GET", "/v1/users/me/sessions").json["rows"]
        self.assertEqual([row["isCurrent"] for row in rows[:2]], [True, False])
        self.assertEqual(rows[0]["id"], self.claims(here)["sid"])
        self.assertEqual(self.call("DELETE", "/v1/users/me/sessions").status, 204)
        self.assert_refused(here)
        self.assert_refused(other)
        self.assertEqual(ada.call("GET", "/v1/users/me").status, 200)
        ada.close()


class UserTests(ServerTestCase):
    def sign_up(self, name, password="eight characters"):
        body = {"email": f"{name}@example.com", "password": password}
        return self.call("POST", "/v1/users", body, token=None)

    def test_an_account_is_created_once_for_an_email(self):
        answer = self.sign_up("New")
        self.assertEqual(answer.status, 201)
        self.assertEqual((answer.json["email"], answer.json["displayName"]), ("New@example.com", None))
        self.client.sign_in("new", "eight characters")
        self.assertEqual(self.call("GET", answer.headers["Location"]).json, answer.json)
        self.assert_problem(self.sign_up("nEW"), 409, "email-taken")

    def test_concurrent_sign_ups_make_one_account(self):
        def sign_up(_):
            body = {"email": "race@example.com", "password": "eight characters"}
            with Client(self.server.port) as client:
                return client.call("POST", "/v1/users", body).status

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            self.assertEqual(sorted(pool.map(sign_up, range(8))), [201] + [409] * 7)

    def test_bad_emails_and_passwords_break_rules(self):
        for email in ["", "x", "@", "a@", "a b@c", "a@b@c", "a\u0000@b", "a" * 250 + "@b.cd", 1, None]:
            body = {"email": email, "password": "eight characters"}
            self.assert_problem(self.call("POST", "/v1/users", body), 422, "validation", "email")
        for password in ["", "seven77", "x" * 1025, "e\u0301" * 7, ["x"], None]:
            answer = self.call("POST", "/v1/users", {"email": "q@example.com", "password": password})
            self.assert_problem(answer, 422, "validation", "password")
            self.assertNotIn("seven77", answer.data.decode())
        body = {"email": "q@example.com", "password": "eight characters", "isAdmin": True}
        self.assert_problem(self.call("POST", "/v1/users", body), 422, "validation", "isAdmin")

    def test_the_directory_is_searched_filtered_sorted_and_paged(self):
        def names(query):
            answer = self.call("GET", f"/v1/users?search=example.com&{query}").json
            return [row["email"].partition("@")[0] for row in answer["rows"]]

        self.client.sign_in()
        everybody = names("size=500")
        self.assertEqual(names("size=500&sort=-name"), everybody[::-1])
        seeded = ["ada", "alan", "grace"]
        self.assertEqual([name for name in everybody if name in seeded], seeded)
        self.assertEqual(names("size=1&page=2"), everybody[1:2])
        self.assertEqual(names("status=inactive"), ["alan"])
        self.assertNotIn("alan", names("status=active&size=500"))
        found = self.call("GET", "/v1/users?search=LOVELACE").json
        self.assertEqual([row["id"] for row in found["rows"]], ["uada"])
        for query in ["search=%1f", "status=", "status=gone", "sort="]:
            self.assertEqual(self.call("GET", f"/v1/users?{query}").status, 422, query)
        self.assertEqual(self.call("GET", "/v1/users?search=lovelaceada").json["total"], 0)

    def test_users_need_a_token(self):
        for path in ["/v1/users", "/v1/users/me", "/v1/users/uada", "/v1/users/uada/profile"]:
            self.assert_problem(self.call("GET", path), 401, "unauthenticated")

    def test_a_profile_is_submitted_and_sets_the_display_name(self):
        user = self.sign_up("prof").json
        self.client.sign_in("prof", "eight characters")
        path = f"/v1/users/{user['id']}/profile"
        self.assert_problem(self.call("GET", path), 404, "not-found")
        profile = {"firstName": " Pro ", "lastName": "File", "age": 30, "bio": None}
        for version in (1, 2):
            answer = self.call("PUT", path, profile)
            self.assertEqual(answer.json, {"isAccepted": True, "reason": None, "version": version})
        self.assertEqual(self.call("GET", path).json, {**profile, "firstName": "Pro", "version": 2})
        self.assertEqual(self.call("GET", "/v1/users/me").json["displayName"], "Pro File")
        self.assertEqual(self.call("GET", "/v1/users?search=pro%20file").json["total"], 1)

    def test_a_bio_with_a_forbidden_word_is_refused_and_nothing_is_stored(self):
        self.client.sign_in("grace")
        before = self.call("GET", "/v1/users/ugrace/profile").data
        profile = {"firstName": "G", "lastName": "H", "age": 85, "bio": "A Forbidden word"}
        answer = self.call("PUT", "/v1/users/ugrace/profile", profile).json
        reason = "The bio has a word that is not allowed."
        self.assertEqual(answer, {"isAccepted": False, "reason": reason, "version": None})
        self.assertEqual(self.call("GET", "/v1/users/ugrace/profile").data, before)

    def test_a_profile_is_refused_where_another_is_stored_than_the_client_has(self):
        user = self.sign_up("tags").json
        self.client.sign_in("tags", "eight characters")
        path = f"/v1/users/{user['id']}/profile"
        profile = {"firstName": "A", "lastName": "B", "age": 30, "bio": None}

        def put(age, **headers):
            headers = {name.replace("_", "-"): value for name, value in headers.items()}
            return self.call("PUT", path, {**profile, "age": age}, headers=headers)

        for known in ['"1"', "*"]:
            self.assert_problem(put(31, If_Match=known), 412, "precondition-failed")
        self.assert_problem(self.call("GET", path), 404, "not-found")
        first = put(31, If_None_Match="*")
        self.assertEqual(first.headers["ETag"], '"1"')
        self.assert_problem(put(32, If_None_Match="*"), 412, "precondition-failed")
        second = put(33, If_Match='"x", "1"')
        self.assertEqual((second.json["version"], second.headers["ETag"]), (2, '"2"'))
        for stale in ['"1"', '"3"', 'W/"2"']:
            self.assert_problem(put(34, If_Match=stale), 412, "precondition-failed")
        for name in ["If_Match", "If_None_Match"]:
            self.assert_problem(put(34, **{name: "2"}), 400, "bad-request")
        read = self.call("GET", path)
        self.assertEqual((read.json["age"], read.headers["ETag"]), (33, '"2"'))
        self.assertEqual(put(35, If_Match="*").json["version"], 3)

    def test_a_repeated_submission_gets_the_first_answer_although_its_tag_is_gone(self):
        self.client.sign_in()
        path = "/v1/users/uada/profile"
        profile = {"firstName": "Ada", "lastName": "Lovelace", "age": 36, "bio": None}
        tag = self.call("GET", path).headers["ETag"]
        headers = {"If-Match": tag, "Idempotency-Key": "submission"}
        answers = [self.call("PUT", path, profile, headers=headers) for _ in range(2)]
        self.assertEqual([answer.status for answer in answers], [200, 200])
        self.assertEqual(answers[0].data, answers[1].data)
        self.assertEqual(self.call("GET", path).headers["ETag"], answers[0].headers["ETag"])

    def test_a_profile_breaks_rules(self):
        self.client.sign_in()
        good = {"firstName": "Ada", "lastName": "Lovelace", "age": 36, "bio": None}
        for name, value in [
            ("firstName", ""), ("firstName", None), ("lastName", "x" * 101), ("age", 151), ("age", -1),
            ("age", 1.5), ("age", "36"), ("age", True), ("bio", "\u0007"), ("bio", "x" * 2001), ("bio", 5),
            ("colour", "red"), ("firstName", "Ada\n"), ("lastName", "\tLovelace"), ("bio", "A bio.\r\n"),
        ]:
            answer = self.call("PUT", "/v1/users/uada/profile", {**good, name: value})
            self.assert_problem(answer, 422, "validation", name)

    def test_what_is_somebody_elses_is_forbidden(self):
        self.client.sign_in()
        profile = {"firstName": "A", "lastName": "B", "age": 1, "bio": None}
        self.assert_problem(self.call("PUT", "/v1/users/ugrace/profile", profile), 403, "forbidden")
        self.assert_problem(self.call("GET", "/v1/users/ugrace/notifications"), 403, "forbidden")
        body = {"kind": "profileUpdated"}
        self.assert_problem(self.call("POST", "/v1/users/ugrace/notifications", body), 403, "forbidden")
        self.assertEqual(self.call("GET", "/v1/users/ugrace/profile").json["firstName"], "Grace")
        self.assert_problem(self.call("GET", "/v1/users/nobody"), 404, "not-found")

    def test_notifications_are_listed_the_newest_first_and_sent_once_for_a_key(self):
        self.client.sign_in()
        path, body = "/v1/users/uada/notifications", {"kind": "profileUpdated"}
        first = self.call("POST", path, body, headers={"Idempotency-Key": "n1"})
        again = self.call("POST", path, body, headers={"Idempotency-Key": "n1"})
        self.assertEqual((first.status, first.data), (201, again.data))
        second = self.call("POST", path, body)
        self.assertEqual(self.call("GET", path + "?limit=2").json["rows"], [second.json, first.json])
        self.assert_problem(self.call("POST", path, {"kind": "other"}), 422, "validation", "kind")
        self.assert_problem(self.call("GET", path + "?limit=0"), 422, "validation", "limit")


class EntityTests(ServerTestCase):
    def setUp(self):
        super().setUp()
        self.client.sign_in()

    def create(self, name="Thing", **members):
        answer = self.call("POST", "/v1/entities", entity(name, **members))
        self.assertEqual(answer.status, 201, answer.data)
        return answer

    def names(self, **query):
        answer = self.call("GET", "/v1/entities?" + urllib.parse.urlencode({"size": 500, **query})).json
        return [row["name"] for row in answer["rows"]]

    def test_pages_go_through_the_whole_list_in_every_order(self):
        for sort in ["name", "-name", "newest", "oldest"]:
            whole = self.names(sort=sort)
            total = self.call("GET", "/v1/entities").json["total"]
            paged = []
            for page in range(1, total // 7 + 3):
                paged += self.names(sort=sort, page=page, size=7)
            self.assertEqual(paged, whole, sort)
            self.assertEqual(len(whole), total)
        self.assertEqual(self.names(sort="-name"), self.names()[::-1])
        self.assertEqual(self.names(sort="oldest")[:2], ["Blue lamp", "Desk lamp"])

    def test_names_are_sorted_by_their_folded_scalars(self):
        names = ["Zb", "za", "ZA", "Ża", "żb", "\U00016EA1", "\U00016EBB", "ΣΣ", "σσ", "e\u0301", "é"]
        for name in names:
            self.create(name, category="Sorted")
        wanted = sorted(names, key=server.fold)
        self.assertEqual(self.names(category="SORTED"), wanted)
        self.assertEqual(self.names(category="sorted", sort="-name"), wanted[::-1])

    def test_a_search_looks_at_every_field_without_regard_to_case_and_never_across(self):
        self.create("Żółta Łódź", category="ŁODZIE", notes="100% of_everything\nΣίσυφοΣ")
        for text, count in [
            ("żółta", 1), ("łodzie", 1), ("OF_EVERYTHING", 1), ("σίσυφος", 0), ("σίσυφοσ", 1), ("100%", 1),
            ("o%f", 0), ("ŁÓDŹŁODZIE", 0), ("zolta", 0), ("  żółta ", 1), ("", self.total()),
        ]:
            answer = self.call("GET", "/v1/entities?" + urllib.parse.urlencode({"search": text}))
            self.assertEqual(answer.json["total"], count, text)
        self.assert_problem(self.call("GET", "/v1/entities?search=a%1fb"), 422, "validation", "search")

    def test_bad_values_of_a_query_break_rules(self):
        for query, field in [
            ("page=0", "page"), ("page=x", "page"), ("page=", "page"), ("page=1.5", "page"),
            ("page=1000000001", "page"), ("page=99999999999999999999", "page"), ("page=1&page=2", "page"),
            ("page=%D9%A1", "page"), ("size=0", "size"), ("size=501", "size"), ("sort=colour", "sort"), ("sort=", "sort"),
            ("search=" + "x" * 201, "search"), ("category=" + "x" * 101, "category"),
            ("category=%00", "category"), ("category=%09", "category"), ("search=lamp%0A", "search"),
        ]:
            self.assert_problem(self.call("GET", f"/v1/entities?{query}"), 422, "validation", field)
        for query in ["search=%zz", "search=%ff", "search=%ED%A0%80"]:
            self.assert_problem(self.call("GET", f"/v1/entities?{query}"), 400, "bad-request")
        answer = self.call("GET", "/v1/entities?page=0&size=0&unknown=1").json
        self.assertEqual(
            answer["detail"], "The page must be at least 1, not 0. The size must be at least 1, not 0.")
        self.assertEqual(self.call("GET", "/v1/entities?page=1000000000").json["rows"], [])

    def test_an_entity_is_read_and_what_is_none_is_not_found(self):
        self.assertEqual(self.call("GET", "/v1/entities/1").json["name"], "Blue lamp")
        for id in ["0", "999999", "-1", "x", "1.0", "01", "9" * 30, "%31%00", "%D9%A3", "1/"]:
            self.assertEqual(self.call("GET", f"/v1/entities/{id}").status, 404, id)
        self.assertEqual(self.call("GET", "/v1/entities/%31").json["id"], 1)

    def test_categories_are_counted(self):
        rows = self.call("GET", "/v1/categories?limit=500").json
        self.assertEqual(rows["total"], len(rows["rows"]))
        self.assertIn({"name": "kitchen", "count": 7}, rows["rows"])
        self.create(category="KitcheN")
        self.assertIn({"name": "kitchen", "count": 8}, self.call("GET", "/v1/categories").json["rows"])
        counts = [row["count"] for row in self.call("GET", "/v1/categories?sort=mostUsed").json["rows"]]
        self.assertEqual(counts, sorted(counts, reverse=True))
        self.assertEqual(len(self.call("GET", "/v1/categories?limit=2").json["rows"]), 2)
        self.assert_problem(self.call("GET", "/v1/categories?limit=501"), 422, "validation", "limit")
        self.assert_problem(self.call("GET", "/v1/categories?sort=most-used"), 422, "validation", "sort")

    def test_an_entity_is_created(self):
        answer = self.create("  Näme\u3000", category=" ", notes="\none\n\ttwo \t\n")
        self.assertEqual(
            [answer.json[name] for name in ("name", "category", "notes")], ["Näme", None, "one\n\ttwo"])
        self.assertEqual(answer.json["createdAt"], answer.json["updatedAt"])
        read = self.call("GET", answer.headers["Location"])
        self.assertEqual((read.json, read.headers["ETag"]), (answer.json, answer.headers["ETag"]))

    def test_a_draft_breaks_rules_and_creates_nothing(self):
        total = self.total()
        for document, field in [
            ({}, "name"), ({"name": None}, "name"), ({"name": ""}, "name"),
            ({"name": "\u200B \u2060"}, "name"), ({"name": " \u0301"}, "name"), ({"name": "\n"}, "name"),
            ({"name": "a\u0000b"}, "name"), ({"name": "a\nb"}, "name"), ({"name": "a\u2028b"}, "name"),
            ({"name": 5}, "name"), ({"name": ["a"]}, "name"), ({"name": "x" * 201}, "name"),
            ({"name": "e\u0301" * 201}, "name"),
            ({"name": "a", "category": "x" * 101}, "category"), ({"name": "a", "category": {}}, "category"),
            ({"name": "a", "notes": "x" * 10_001}, "notes"),
            ({"name": "a", "notes": "x\u0008y"}, "notes"), ({"name": "a" + "\u0301" * 6400}, "name"),
            ({"name": "a", "id": 5}, "id"), ({"name": "a", "createdAt": "now"}, "createdAt"),
            ({"name": "a\n"}, "name"), ({"name": "\ta"}, "name"), ({"name": "a\u2029"}, "name"),
            ({"name": "a", "category": "\t"}, "category"), ({"name": "a", "category": "b\u0085"}, "category"),
            ({"name": "a", "notes": "b\r\n"}, "notes"), ({"name": "a", "notes": "\u000B"}, "notes"),
        ]:
            self.assert_problem(self.call("POST", "/v1/entities", document), 422, "validation", field)
        self.assertEqual(self.total(), total)
        both = self.call("POST", "/v1/entities", {"category": "\u0001", "notes": False}).json
        self.assertEqual([error["field"] for error in both["errors"]], ["name", "category", "notes"])

    def test_the_longest_texts_are_taken_as_people_count(self):
        name = "👩‍👩‍👧‍👦" * 200
        self.assertEqual(self.create(name).json["name"], name)
        self.create("e\u0301" * 200, category="क्ष" * 100, notes="x" * 10_000)

    def test_a_patch_changes_what_it_names_and_null_removes(self):
        made = self.create("Patched", category="a", notes="b").json
        path = f"/v1/entities/{made['id']}"
        changed = self.call("PATCH", path, {"notes": None}, type="application/merge-patch+json").json
        self.assertEqual((changed["name"], changed["category"], changed["notes"]), ("Patched", "a", None))
        self.assertGreater(changed["updatedAt"], made["updatedAt"])
        self.assertEqual(changed["createdAt"], made["createdAt"])
        changed = self.call("PATCH", path, {"name": " New ", "category": ""}).json
        self.assertEqual((changed["name"], changed["category"]), ("New", None))
        for patch, field in [
            ({"name": None}, "name"), ({"id": 1}, "id"), ({"name": 1}, "name"), ({"name": "New\t"}, "name"),
            ({"notes": "\u000C"}, "notes"),
        ]:
            self.assert_problem(self.call("PATCH", path, patch), 422, "validation", field)
        self.assert_problem(self.call("PATCH", path, ["x"]), 422, "validation")
        self.assertEqual(self.call("GET", path).json, changed)
        self.assert_problem(self.call("PATCH", "/v1/entities/999999", {"name": "x"}), 404, "not-found")

    def test_a_change_is_refused_where_the_entity_is_another_than_the_client_has(self):
        made = self.create("Matched")
        path, tag = made.headers["Location"], made.headers["ETag"]
        changed = self.call("PATCH", path, {"notes": "1"}, headers={"If-Match": f'"x", {tag}'})
        self.assertEqual(changed.status, 200)
        for stale in [tag, '"x"', "W/" + changed.headers["ETag"]]:
            answer = self.call("PATCH", path, {"notes": "2"}, headers={"If-Match": stale})
            self.assert_problem(answer, 412, "precondition-failed")
            answer = self.call("DELETE", path, headers={"If-Match": stale})
            self.assert_problem(answer, 412, "precondition-failed")
        for method, body in [("PATCH", {"notes": "2"}), ("DELETE", None)]:
            answer = self.call(method, path, body, headers={"If-Match": "1"})
            self.assert_problem(answer, 400, "bad-request")
        self.assertEqual(self.call("GET", path).json["notes"], "1")
        self.assertEqual(self.call("PATCH", path, {"notes": "3"}, headers={"If-Match": "*"}).status, 200)

    def test_a_deleted_entity_is_answered_once_and_its_id_is_not_given_again(self):
        made = self.create("Gone").json
        path = f"/v1/entities/{made['id']}"
        self.assertEqual(self.call("DELETE", path).json, made)
        self.assert_problem(self.call("DELETE", path), 404, "not-found")
        self.assert_problem(self.call("GET", path), 404, "not-found")
        self.assertGreater(self.create().json["id"], made["id"])

    def test_changes_need_a_token(self):
        for method, path in [
            ("POST", "/v1/entities"), ("PATCH", "/v1/entities/1"), ("DELETE", "/v1/entities/1"),
            ("POST", "/v1/entities/import"),
        ]:
            self.assert_problem(self.call(method, path, {}, token=None), 401, "unauthenticated")

    def test_what_the_client_has_is_not_sent_again(self):
        for path in ["/v1/entities?size=3", "/v1/entities/2", "/v1/categories", "/openapi.json"]:
            first = self.call("GET", path)
            tag = first.headers["ETag"]
            for header in [tag, f'"x", W/{tag}', "*"]:
                again = self.call("GET", path, headers={"If-None-Match": header})
                self.assertEqual((again.status, again.data, again.headers["ETag"]), (304, b"", tag))
                self.assertEqual(again.headers["Cache-Control"], first.headers["Cache-Control"])
            self.assertEqual(self.call("GET", path, headers={"If-None-Match": '"x"'}).data, first.data)
            for header in ["", "0", tag[:-1], f"{tag} {tag}", f"*, {tag}", '"a b"', f"{tag},"]:
                refused = self.call("GET", path, headers={"If-None-Match": header})
                self.assert_problem(refused, 400, "bad-request")
        tag = self.call("GET", "/v1/entities?size=500").headers["ETag"]
        self.create("Later")
        again = self.call("GET", "/v1/entities?size=500", headers={"If-None-Match": tag})
        self.assertEqual(again.status, 200)
        self.assertEqual(
            self.call("GET", "/v1/entities").headers["Cache-Control"], "private, max-age=0, must-revalidate")
        self.assertEqual(self.call("GET", "/v1/entities/1").headers["Cache-Control"], "private, max-age=5")


class IdempotencyTests(ServerTestCase):
    def setUp(self):
        super().setUp()
        self.client.sign_in()

    def keyed(self, method, path, body=None, key="k", **options):
        return self.call(method, path, body, headers={"Idempotency-Key": key}, **options)

    def test_a_repeated_create_gets_the_first_answer(self):
        first = self.keyed("POST", "/v1/entities", entity("Once"), "create")
        total = self.total()
        again = self.keyed("POST", "/v1/entities", entity("Once"), "create")
        self.assertEqual((again.status, again.data), (201, first.data))
        for name in ["Location", "ETag", "Content-Type"]:
            self.assertEqual(again.headers[name], first.headers[name])
        self.assertEqual(self.total(), total)

    def test_a_key_is_for_one_request_of_one_user(self):
        first = self.keyed("POST", "/v1/entities", entity("Mine"), "shared").json
        for method, path, body in [
            ("POST", "/v1/entities", entity("Other")), ("PATCH", "/v1/entities/1", entity("Mine")),
            ("DELETE", "/v1/entities/1", None),
        ]:
            answer = self.keyed(method, path, body, "shared")
            self.assert_problem(answer, 422, "validation", "Idempotency-Key")
        self.client.sign_in("grace")
        hers = self.keyed("POST", "/v1/entities", entity("Mine"), "shared").json
        self.assertNotEqual(hers["id"], first["id"])

    def test_a_key_is_forgotten_after_a_day(self):
        first = self.keyed("POST", "/v1/entities", entity("Day"), "day").json
        self.change_data("UPDATE answers SET createdAt = createdAt - 86400000000 WHERE key = 'day'")
        self.assertNotEqual(self.keyed("POST", "/v1/entities", entity("Day"), "day").json["id"], first["id"])

    def test_a_refused_request_does_not_use_up_its_key(self):
        self.assertEqual(self.keyed("POST", "/v1/entities", {"name": ""}, "again").status, 422)
        self.assertEqual(self.keyed("POST", "/v1/entities", entity("Good"), "again").status, 201)

    def test_repeated_deletes_patches_and_imports_get_the_first_answer(self):
        path = self.call("POST", "/v1/entities", entity("Keyed")).headers["Location"]
        for method, body in [("PATCH", {"notes": "x"}), ("DELETE", None)]:
            first = self.keyed(method, path, body, method)
            again = self.keyed(method, path, body, method)
            self.assertEqual((first.status, first.data), (200, again.data))
            self.assertEqual(again.status, 200)
        total = self.total()
        for _ in range(2):
            lines = b'{"name":"a"}\n{"name":"b"}'
            answer = self.keyed("POST", "/v1/entities/import", lines, "import", type=LINES)
            self.assertEqual(answer.json, {"created": 2})
        self.assertEqual(self.total(), total + 2)
        answer = self.keyed("POST", "/v1/entities/import", b'{"name":"a"}', "import", type=LINES)
        self.assert_problem(answer, 422, "validation", "Idempotency-Key")

    def test_concurrent_requests_with_one_key_are_carried_out_once(self):
        total, token = self.total(), self.client.token

        def create(_):
            with Client(self.server.port) as client:
                client.token = token
                return client.call(
                    "POST", "/v1/entities", entity("Race"), headers={"Idempotency-Key": "race"}).data

        with concurrent.futures.ThreadPoolExecutor(40) as pool:
            answers = set(pool.map(create, range(40)))
        self.assertEqual((len(answers), self.total()), (1, total + 1))

    def test_a_bad_key_is_refused(self):
        for key in ["x" * 256, "a b", "é", ""]:
            answer = self.keyed("POST", "/v1/entities", entity(), key)
            self.assert_problem(answer, 400, "bad-request")


class ImportTests(ServerTestCase):
    def setUp(self):
        super().setUp()
        self.client.sign_in()

    def send(self, body, type=LINES, **options):
        return self.call("POST", "/v1/entities/import", body, type=type, **options)

    def test_all_lines_become_entities(self):
        total = self.total()
        lines = [json.dumps(entity(f"Line {number}", category="imp", notes=None)) for number in range(2500)]
        answer = self.send("\n".join(lines).encode() + b"\r\n\n")
        self.assertEqual((answer.json, self.total()), ({"created": 2500}, total + 2500))
        self.assertEqual(self.call("GET", "/v1/entities?category=IMP").json["total"], 2500)
        self.assertEqual(self.send(b"").json, {"created": 0})

    def test_one_bad_line_and_nothing_is_imported(self):
        total = self.total()
        good = b'{"name":"good"}\n'
        bad = [
            (b"{", None), (b"[]", None), (b"\xff", None), (b'{"name":""}', "name"), (b'{"name":5}', "name"),
            (b'{"name":"a","x":1}', "x"), (b'{"name":"a\\t"}', "name"),
            (b'{"name":"a","notes":"\\ud800"}', None), (b'{"name":NaN}', None),
        ]
        for line, field in bad:
            answer = self.send(good * 1500 + line + b"\n" + good)
            self.assert_problem(answer, 422, "validation")
            error, = answer.json["errors"]
            self.assertEqual((error["line"], error["field"]), (1501, field), line)
        self.assertEqual(self.total(), total)

    def test_at_most_a_hundred_errors_are_told(self):
        answer = self.send(b'{"name":""}\n' * 500)
        self.assertEqual([error["line"] for error in answer.json["errors"]], list(range(1, 101)))

    def test_a_chunked_body_is_taken(self):
        def chunks():
            for number in range(100):
                yield b'{"name":"chunk %d"}\n' % number

        self.assertEqual(self.send(chunks()).json, {"created": 100})

    def test_a_body_of_another_type_or_size_is_refused(self):
        self.assert_problem(self.send(b"[]", type=JSON), 415, "unsupported-media-type")
        head = (
            b"POST /v1/entities/import HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n"
            b"Authorization: Bearer %b\r\n" % self.client.token.encode())
        answer = raw(self.server.port, head + b"Content-Length: 67108865\r\n\r\n" + b"x" * 100_000)
        self.assertIn(b" 413 ", answer.splitlines()[0])
        answer = raw(self.server.port, head + b"Expect: 100-continue\r\nContent-Length: 67108865\r\n\r\n")
        self.assertIn(b" 413 ", answer.splitlines()[0])
        total = self.total()
        raw(self.server.port, head + b'Content-Length: 999\r\n\r\n{"name":"half"}\n')
        self.assertEqual(self.total(), total)

    def test_what_is_exported_can_be_imported(self):
        self.call("POST", "/v1/entities", entity("Żółta \"quoted\" \\ 👩‍👩‍👧‍👦", notes="a\n\tb"))
        answer = self.call("GET", "/v1/entities/export")
        self.assertEqual(answer.headers["Transfer-Encoding"], "chunked")
        rows = [json.loads(line) for line in answer.data.decode().splitlines()]
        self.assertEqual([row["id"] for row in rows], sorted(row["id"] for row in rows))
        self.assertEqual(len(rows), self.total())
        for row in rows[-50:]:
            self.assertEqual(problems(row, {"$ref": "#/components/schemas/Entity"}), [])
        drafts = [{name: row[name] for name in ("name", "category", "notes")} for row in rows]
        lines = "\n".join(json.dumps(draft, ensure_ascii=False) for draft in drafts)
        self.assertEqual(self.send(lines.encode()).json, {"created": len(rows)})


class ProtocolTests(ServerTestCase):
    def status(self, data, **options):
        answer = raw(self.server.port, data, **options)
        return int(answer.split(b" ", 2)[1]) if answer else None

    def test_a_head_has_the_headers_of_a_get(self):
        for path in [
            "/v1/entities", "/v1/entities/1", "/v1/categories", "/_health", "/v1/entities/export", "/nothing",
        ]:
            get, head = self.call("GET", path), self.call("HEAD", path)
            self.assertEqual((head.status, head.data), (get.status, b""))
            for name in set(get.headers) - {DATE}:
                self.assertEqual(head.headers[name], get.headers[name], (path, name))

    def test_options_and_a_wrong_method_tell_the_methods(self):
        for path, allowed in [
            ("/v1/entities", "GET, HEAD, POST, OPTIONS"),
            ("/v1/entities/1", "GET, HEAD, PATCH, DELETE, OPTIONS"),
            ("/oauth/token", "POST, OPTIONS"),
        ]:
            answer = self.call("OPTIONS", path)
            self.assertEqual((answer.status, answer.headers["Allow"]), (204, allowed))
            answer = self.call("TRACE", path)
            self.assert_problem(answer, 405, "method-not-allowed")
            self.assertEqual(answer.headers["Allow"], allowed)
        self.assertEqual(self.status(b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"), 204)
        self.assert_problem(self.call("GET", "/oauth/token"), 405, "method-not-allowed")

    def test_an_unknown_path_is_not_found(self):
        for path in [
            "/", "/v1", "/v2/entities", "/v1/entities/", "//v1/entities", "/v1/entities/1/2", "/V1/entities",
        ]:
            self.assert_problem(self.call("GET", path), 404, "not-found")

    def test_a_body_must_be_json_in_utf8(self):
        self.client.sign_in()
        for body in [
            b"", b"{", b"{}x", b'{"name":NaN}', b'{"name":"\\ud800"}', b'{"name":"\xff"}', b"[" * 1_000_000,
            b'{"name":' + b"9" * 5000 + b"}", "{}".encode("utf-16"), b"\xef\xbb\xbf{}", b"{'name':1}",
        ]:
            self.assert_problem(self.call("POST", "/v1/entities", body, type=JSON), 400, "bad-request")
        for body in [b"[]", b"null", b"1", b'"x"', b"true"]:
            self.assert_problem(self.call("POST", "/v1/entities", body, type=JSON), 422, "validation")
        for type in [None, "text/plain", FORM, JSON + "; charset=iso-8859-1", "application/jsonx"]:
            answer = self.call("POST", "/v1/entities", b'{"name":"x"}', type=type)
            self.assert_problem(answer, 415, "unsupported-media-type")
        answer = self.call(
            "POST", "/v1/entities", b"x", type=JSON, headers={"Content-Encoding": "gzip"})
        self.assert_problem(answer, 415, "unsupported-media-type")
        brackets = '{"name":"' + "[{" * 60 + '"}'
        self.assertEqual(self.call("POST", "/v1/entities", brackets.encode(), type=JSON).status, 201)
        type = 'Application/JSON; Charset="UTF-8"'
        answer = self.call("POST", "/v1/entities", b'{"name":"x"}', type=type)
        self.assertEqual(answer.status, 201)

    def test_a_body_that_is_too_large_is_refused_with_an_answer(self):
        self.client.sign_in()
        for body in [b"x" * 1_048_577, b"x" * 20_000_000]:
            answer = self.call("POST", "/v1/entities", body, type=JSON)
            self.assert_problem(answer, 413, "too-large")
        self.client.close()

    def test_requests_that_are_not_http_are_refused(self):
        for data in [
            b"hello\r\n\r\n", b"GET / HTTP/2.0\r\nHost: x\r\n\r\n", b"GET  / HTTP/1.1\r\nHost: x\r\n\r\n",
            b"GET x HTTP/1.1\r\nHost: x\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", b"GET / HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n", b"GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n", b"GET / HTTP/1.1\r\nHost: \0\r\n\r\n",
            b"GET /\xc3\xa9 HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /#x HTTP/1.1\r\nHost: x\r\n\r\n",
            b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
            b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
            b"POST /v1/users HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
        ]:
            self.assertEqual(self.status(data), 400, data)
        self.assertEqual(self.status(b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"x" * 70_000 + b"\r\n\r\n"), 431)
        self.assertIsNone(self.status(b""))
        self.assertIsNone(self.status(b"GET /_health HT"))

    def test_requests_in_one_packet_are_answered_in_order(self):
        requests = b"".join(
            b"\r\nGET /v1/entities/%d HTTP/1.1\r\nHost: x\r\n\r\n" % id for id in (1, 2, 3))
        answer = raw(self.server.port, requests)
        self.assertEqual(re.findall(rb'{"id":(\d)', answer), [b"1", b"2", b"3"])

    def test_a_connection_is_kept_or_closed_as_asked(self):
        answer = raw(self.server.port, b"GET /_health HTTP/1.0\r\n\r\n", ends=False)
        self.assertIn(b"Connection: close", answer)
        data = b"GET /_health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        self.assertIn(b"Connection: close", raw(self.server.port, data, ends=False))
        old = b"GET /_health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
        self.assertEqual(raw(self.server.port, old * 2).count(b"Connection: keep-alive"), 2)
        self.assertNotIn(b"chunked", raw(self.server.port, b"GET /v1/entities/export HTTP/1.0\r\n\r\n"))

    def test_a_connection_goes_on_after_an_error(self):
        self.call("DELETE", "/_stats")
        before = self.call("GET", "/_stats").json["connections"]
        for _ in range(3):
            self.call("POST", "/v1/entities", b'{"name":"unread"}', type=JSON, token=None)
            self.call("GET", "/nothing")
            self.call("POST", "/v1/users", b"{", type=JSON)
        self.assertEqual(self.call("GET", "/_stats").json["connections"], before)

    def test_a_client_that_expects_to_be_told_to_continue_is(self):
        head = (
            b"POST /v1/users HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=10) as connection:
            connection.sendall(head)
            self.assertEqual(connection.recv(1000), b"HTTP/1.1 100 Continue\r\n\r\n")
            connection.sendall(b"{}")
            self.assertIn(b" 422 ", connection.recv(1000))

    def test_an_absolute_target_is_taken(self):
        self.assertEqual(self.status(b"GET http://x/_health?a=b HTTP/1.1\r\nHost: x\r\n\r\n"), 200)


class FaultTests(ServerTestCase):
    def test_a_slow_answer_waits(self):
        self.fault("slow", seconds=0.3)
        start = time.monotonic()
        self.assertEqual(self.call("GET", "/v1/entities").status, 200)
        self.assertGreaterEqual(time.monotonic() - start, 0.3)

    def test_faults_that_refuse_do_not_carry_out_the_request(self):
        self.client.sign_in()
        total = self.total()
        for name, status, header in [
            ("unauthorized", 401, "WWW-Authenticate"), ("rateLimit", 429, "Retry-After"),
            ("serverError", 500, None), ("unavailable", 503, "Retry-After"), ("errorCode", 200, None),
            ("wrongType", 200, None),
        ]:
            self.fault(name, method="POST", seconds=3)
            answer = self.call("POST", "/v1/entities", entity("Faulty"), checked=False)
            self.assertEqual(answer.status, status, name)
            if header:
                self.assertIn(answer.headers[header], ("3", server.unauthenticated(
                    "The access token has expired.", is_invalid=True).headers[0][1]))
            if status >= 400:
                self.assertEqual(answer.headers["Content-Type"], "application/problem+json")
        self.assertEqual(self.total(), total)
        self.fault("errorCode")
        self.assertEqual(self.call("GET", "/v1/entities", checked=False).json["errorCode"], 4711)
        self.fault("wrongType")
        self.assertIn("text/html", self.call("GET", "/v1/entities", checked=False).headers["Content-Type"])

    def test_broken_json_is_half_of_the_answer_with_its_length(self):
        whole = self.call("GET", "/v1/entities").data
        self.fault("brokenJSON")
        answer = self.call("GET", "/v1/entities", checked=False)
        self.assertEqual((answer.status, answer.data), (200, whole[:len(whole) // 2]))
        self.assertEqual(self.call("GET", "/v1/entities").data, whole)

    def test_half_an_answer_ends_with_the_connection(self):
        whole = self.call("GET", "/v1/entities").data
        self.fault("half")
        with self.assertRaises(http.client.IncompleteRead) as caught:
            self.call("GET", "/v1/entities")
        self.assertEqual(caught.exception.partial, whole[:len(whole) // 2])
        self.fault("half")
        with self.assertRaises(http.client.IncompleteRead):
            self.call("GET", "/v1/entities/export")

    def test_a_closed_connection_has_no_answer_and_a_lost_answer_was_carried_out(self):
        self.client.sign_in()
        total = self.total()
        for name, created in [("close", 0), ("lost", 1)]:
            self.fault(name, path="/v1/entities", method="POST")
            with self.assertRaises((http.client.RemoteDisconnected, ConnectionResetError)):
                self.call("POST", "/v1/entities", entity("Lost"), headers={"Idempotency-Key": "lost"})
            self.assertEqual(self.total(), total + created, name)
        answer = self.call("POST", "/v1/entities", entity("Lost"), headers={"Idempotency-Key": "lost"})
        self.assertEqual((answer.status, self.total()), (201, total + 1))

    def test_a_huge_answer_is_streamed(self):
        self.fault("huge")
        connection = self.client.connection()
        connection.request("GET", "/v1/entities")
        response = connection.getresponse()
        self.assertEqual(response.headers["Transfer-Encoding"], "chunked")
        size = 0
        while data := response.read(1 << 20):
            size += len(data)
        self.assertGreater(size, 99_000_000)
        self.fault("huge")
        connection.request("GET", "/v1/entities")
        connection.getresponse().read(1000)
        connection.close()

    def test_faults_have_a_place_a_method_a_count_and_requests_that_they_spare(self):
        self.fault("serverError", path="/v1/cat", method="GET", count=2, skip=1)
        self.assertEqual(self.call("GET", "/v1/entities").status, 200)
        self.assertEqual(self.call("HEAD", "/v1/categories").status, 200)
        statuses = [self.call("GET", "/v1/categories", checked=False).status for _ in range(4)]
        self.assertEqual(statuses, [200, 500, 500, 200])
        self.assertEqual(self.call("GET", "/_faults").json["rows"], [])
        self.fault("serverError", count=None)
        self.fault("rateLimit", path="/oauth")
        self.assertEqual(len(self.call("GET", "/_faults").json["rows"]), 2)
        for _ in range(3):
            self.assertEqual(self.call("GET", "/v1/entities", checked=False).status, 500)
        self.assertEqual(self.call("GET", "/_health").status, 200)
        self.assertEqual(self.call("POST", "/oauth/token", checked=False).status, 500)
        self.assertEqual(self.call("DELETE", "/_faults").status, 204)
        self.assertEqual(self.call("GET", "/v1/entities").status, 200)

    def test_a_fault_concerns_the_token_endpoint_too(self):
        self.fault("unavailable", path="/oauth/token")
        self.assertEqual(self.call("POST", "/oauth/token", checked=False).status, 503)

    def test_a_fault_that_is_none_is_refused(self):
        for members, field in [
            ({"fault": "fire"}, "fault"), ({}, "fault"), ({"fault": "slow", "count": 0}, "count"),
            ({"fault": "slow", "skip": -1}, "skip"), ({"fault": "slow", "seconds": "2"}, "seconds"),
            ({"fault": "slow", "path": 1}, "path"), ({"fault": "slow", "until": 1}, "until"),
        ]:
            self.assert_problem(self.call("POST", "/_faults", members), 422, "validation", field)

    def test_requests_and_tokens_are_counted_by_pattern(self):
        self.call("DELETE", "/_stats")
        refresh = self.client.sign_in()["refresh_token"]
        self.client.grant(grant_type="refresh_token", refresh_token=refresh)
        self.client.grant(grant_type="refresh_token", refresh_token="unknown")
        self.call("GET", "/v1/entities/1")
        self.call("HEAD", "/v1/entities/2")
        self.call("GET", "/nothing")
        self.fault("serverError")
        self.call("GET", "/v1/entities", checked=False)
        answer = self.call("GET", "/_stats").json
        self.assertEqual(answer["tokens"], {"password": 1, "refresh": 1})
        self.assertEqual(answer["requests"], {
            "POST /oauth/token": 3, "GET /v1/entities/{id}": 2, "GET unknown": 1, "GET /v1/entities": 1})
        self.assertIsInstance(answer["connections"], int)


class LoadTests(ServerTestCase):
    @classmethod
    def setUpClass(cls):
        server.allow_many_connections()
        super().setUpClass()

    def test_five_hundred_requests_at_once_are_answered(self):
        self.client.sign_in()
        barrier, token, total = threading.Barrier(500), self.client.token, self.total()

        def ask(number):
            with Client(self.server.port) as client:
                client.token = token
                barrier.wait(20)
                if number % 10:
                    return client.call("GET", f"/v1/entities?size={number % 50 + 1}", checked=False).status
                return client.call("POST", "/v1/entities", entity(f"Load {number}"), checked=False).status

        with concurrent.futures.ThreadPoolExecutor(500) as pool:
            statuses = list(pool.map(ask, range(500)))
        self.assertEqual((statuses.count(200), statuses.count(201)), (450, 50))
        self.assertEqual(self.total(), total + 50)

    def test_a_thousand_open_connections_keep_nobody_out(self):
        with contextlib.ExitStack() as stack:
            connections = [
                stack.enter_context(socket.create_connection(("127.0.0.1", self.server.port), timeout=20))
                for _ in range(1000)]
            for connection in connections:
                connection.sendall(b"GET /_health HTTP/1.1\r\nHost: x\r\n\r\n")
            for connection in connections:
                self.assertTrue(connection.recv(1000).startswith(b"HTTP/1.1 200 "))
            self.assertEqual(self.call("GET", "/v1/entities/1").status, 200)


class ProcessTests(unittest.TestCase):
    """Starting and ending the process, and data that survives it."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="atrium-server-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.data = os.path.join(self.folder, "data.sqlite")

    def start(self, *arguments, **options):
        running = Process(*arguments, **options)
        self.addCleanup(lambda: running.process.poll() is None and running.end(signal.SIGKILL))
        return running

    def client(self, running):
        client = Client(running.port)
        self.addCleanup(client.close)
        return client

    def refused(self, *arguments):
        """The exit status and error output of a server that does not start."""
        run = subprocess.run(
            [sys.executable, str(FOLDER / "server.py"), *arguments], capture_output=True, text=True,
            timeout=10)
        self.assertNotIn("Traceback", run.stderr)
        return run.returncode, run.stderr

    def test_what_was_acknowledged_outlives_a_kill(self):
        acknowledged = {}
        token = None
        for round in range(3):
            running = self.start("--seed", "--data", self.data)
            client = self.client(running)
            client.token = token
            read = {id: client.call("GET", f"/v1/entities/{id}").json for id in acknowledged}
            self.assertEqual(read, acknowledged)
            if not token:
                client.sign_in()
                token = client.token
            self.create_until_killed(running, token, acknowledged, 60 * (round + 1))
        self.assertGreaterEqual(len(acknowledged), 60)
        with contextlib.closing(sqlite3.connect(self.data)) as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            counted = database.execute("SELECT count FROM entityTotal").fetchone()
            self.assertEqual(database.execute("SELECT count(*) FROM entities").fetchone(), counted)

    def create_until_killed(self, running, token, acknowledged, target):
        """Creates entities from four threads and kills the server meanwhile."""
        enough = threading.Event()

        def create():
            with Client(running.port) as client, contextlib.suppress(OSError, http.client.HTTPException):
                client.token = token
                for _ in range(5000):
                    made = client.call("POST", "/v1/entities", entity("Kept"), checked=False).json
                    acknowledged[made["id"]] = made
                    if len(acknowledged) >= target:
                        enough.set()

        threads = [threading.Thread(target=create) for _ in range(4)]
        for thread in threads:
            thread.start()
        self.assertTrue(enough.wait(20))
        running.end(signal.SIGKILL)
        for thread in threads:
            thread.join(20)

    def test_sessions_keys_and_data_outlive_a_restart_and_the_seed_comes_once(self):
        running = self.start("--seed", "--data", self.data)
        client = self.client(running)
        tokens = client.sign_in()
        key = {"Idempotency-Key": "k"}
        made = client.call("POST", "/v1/entities", entity("Kept"), headers=key).json
        client.call("DELETE", "/v1/entities/1")
        self.assertEqual(running.end(signal.SIGTERM), (0, ""))

        running = self.start("--seed", "--rows", "60", "--data", self.data)
        client = self.client(running)
        client.token = tokens["access_token"]
        self.assertEqual(client.call("GET", "/v1/users/me").json["id"], "uada")
        self.assertEqual(client.call("POST", "/v1/entities", entity("Kept"), headers=key).json, made)
        self.assertEqual(client.call("GET", "/v1/entities/1").status, 404)
        self.assertEqual(client.call("GET", "/v1/entities").json["total"], 60)
        self.assertEqual(client.call("GET", "/v1/users").json["total"], 3)
        answer = client.grant(grant_type="refresh_token", refresh_token=tokens["refresh_token"])
        self.assertEqual(answer.status, 200)
        self.assertEqual(running.end(signal.SIGINT), (0, ""))

    def test_a_file_of_the_version_before_is_taken_over(self):
        self.start("--seed", "--data", self.data).end(signal.SIGTERM)
        with contextlib.closing(sqlite3.connect(self.data)) as database:
            database.execute("ALTER TABLE profiles DROP COLUMN version")
            database.execute("PRAGMA user_version = 1")

        running = self.start("--data", self.data)
        client = self.client(running)
        client.sign_in()
        profile = client.call("GET", "/v1/users/uada/profile").json
        self.assertEqual((profile["firstName"], profile["version"]), ("Ada", 1))

    def test_without_data_everything_is_in_memory(self):
        running = self.start("--seed", "--access-life", "7", "--refresh-life", "9")
        client = self.client(running)
        tokens = client.sign_in()
        self.assertEqual((tokens["expires_in"], tokens["refresh_expires_in"]), (7, 9))
        self.assertEqual(client.call("POST", "/v1/entities", entity()).status, 201)
        self.assertEqual(client.call("GET", "/v1/entities/export").data.count(b"\n"), 47)
        self.assertEqual(client.call("GET", "/_faults", checked=False).status, 404)
        self.assertEqual(client.call("POST", "/_expire", checked=False).status, 404)
        self.assertEqual(client.call("GET", "/_health").json, {"status": "ok"})
        self.assertEqual(running.end(), (0, ""))

    def test_without_grace_a_refresh_token_works_once(self):
        running = self.start("--seed", "--refresh-grace", "0")
        client = self.client(running)
        first = client.sign_in()
        refresh = {"grant_type": "refresh_token", "refresh_token": first["refresh_token"]}
        second = client.grant(**refresh).json
        self.assertEqual(client.call("GET", "/v1/users/me", token=second["access_token"]).status, 200)
        for spent in [first, second]:
            refused = client.grant(grant_type="refresh_token", refresh_token=spent["refresh_token"])
            self.assertEqual((refused.status, refused.json["error"]), (400, "invalid_grant"))
        self.assertEqual(client.call("GET", "/v1/users/me", token=second["access_token"]).status, 401)
        self.assertEqual(running.end(), (0, ""))
        self.assertIn("must not be negative", self.refused("--refresh-grace", "-1")[1])

    def test_a_running_request_is_answered_before_the_server_ends(self):
        running = self.start("--faults", "--data", self.data)
        client = self.client(running)
        client.call("POST", "/_faults", {"fault": "slow", "seconds": 60})
        idle = socket.create_connection(("127.0.0.1", running.port), timeout=10)
        connection = client.connection()
        connection.request("GET", "/v1/entities")
        with Client(running.port) as other:
            while not other.call("GET", "/_stats").json["requests"]:
                pass
        self.assertEqual(running.end(), (0, ""))
        response = connection.getresponse()
        self.assertEqual((response.status, response.headers["Connection"]), (200, "close"))
        self.assertEqual(idle.recv(10), b"")
        idle.close()
        connection.close()

    def test_a_server_that_cannot_start_says_why(self):
        running = self.start("--data", self.data)
        status, errors = self.refused("--port", str(running.port))
        self.assertEqual(status, 1)
        self.assertIn("can't be used: Address already in use.", errors)
        other = os.path.join(self.folder, "other")
        pathlib.Path(other).write_text("no database, but long enough to be looked at as one " * 50)
        for path in [other, os.path.join(self.folder, "missing", "x"), self.folder]:
            status, errors = self.refused("--port", "0", "--data", path)
            self.assertEqual(status, 1)
            self.assertIn(f"The data file '{path}' can't be used", errors)
        foreign = os.path.join(self.folder, "foreign.sqlite")
        with contextlib.closing(sqlite3.connect(foreign)) as database:
            database.execute("CREATE TABLE t (a)")
        status, errors = self.refused("--port", "0", "--data", foreign)
        self.assertIn("is not one of this server's version", errors)
        for arguments in [["--port", "x"], ["--port", "70000"], ["--access-life", "0"], ["--what"]]:
            self.assertEqual(self.refused(*arguments)[0], 2)
        self.assertEqual(self.refused("--port", "0", "--tls", other, other)[0], 1)

    @unittest.skipUnless(shutil.which("openssl"), "makes its certificate with openssl")
    def test_https_is_served(self):
        certificate, key = (os.path.join(self.folder, name) for name in ("cert.pem", "key.pem"))
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost",
             "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)
        running = self.start("--seed", "--tls", certificate, key)
        self.assertTrue(running.address.startswith("https://127.0.0.1:"))
        context = ssl.create_default_context(cafile=certificate)
        connection = http.client.HTTPSConnection("127.0.0.1", running.port, timeout=10, context=context)
        for _ in range(2):
            connection.request("GET", "/v1/entities?size=500")
            self.assertEqual(len(json.loads(connection.getresponse().read())["rows"]), 46)
        connection.close()
        raw(running.port, b"GET /_health HTTP/1.1\r\nHost: x\r\n\r\n")
        self.assertEqual(running.end(), (0, ""))


if __name__ == "__main__":
    unittest.main()
