#!/usr/bin/env python3
"""The reference server of Atrium: users, sessions, profiles, notifications and entities over HTTP.

A single file that uses only the standard library of Python 3.11. `openapi.json` describes the routes, `README.md`
how to start it. Sections, in order: strings, values and errors, HTTP, the store, passwords and tokens, faults
and statistics, idempotent changes, documents, the routes (users, entities, control), the server, its initial
data, the command line.

The standard library's `http.server` accepts connections, with a thread for each, and parses requests; `Handler`
refuses requests that it would parse too leniently, and sends faults. Readers take a database connection from a
pool; changes use a single one, with a transaction per request that is committed before the response.
"""

from __future__ import annotations

import argparse
import base64
import collections
import contextlib
import dataclasses
import functools
import hashlib
import hmac
import http.server
import io
import json
import os
import pathlib
import random
import re
import resource
import secrets
import signal
import socket
import socketserver
import sqlite3
import ssl
import sys
import tempfile
import threading
import time
import traceback
import unicodedata
import urllib.parse
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Iterable, Iterator

KIB, MIB = 1 << 10, 1 << 20
MAXIMUM_HEAD = 64 * KIB
MAXIMUM_JSON = 1 * MIB
MAXIMUM_IMPORT = 64 * MIB
MAXIMUM_LINE = 4 * MIB
MAXIMUM_IMPORT_ERRORS = 100
MAXIMUM_DEPTH = 100
IDLE_SECONDS = 120
GRACE_SECONDS = 5
DAY = 24 * 60 * 60
HUGE_BYTES = 100_000_000

# --- Strings ------------------------------------------------------------------------------------------------
# Strings are folded, trimmed and counted as in the Swift modules, so that limits and orders are the same.

# Capital letters in Swift 6.3 (Unicode 17) that Python 3.11 (Unicode 14) lacks.
_LATER_CAPITALS = {
    0x1C89: 0x1C8A, 0xA7CB: 0x264, 0xA7CC: 0xA7CD, 0xA7CE: 0xA7CF, 0xA7D2: 0xA7D3, 0xA7D4: 0xA7D5,
    0xA7DA: 0xA7DB, 0xA7DC: 0x19B,
    **{capital: capital + 0x20 for capital in range(0x10D50, 0x10D66)},
    **{capital: capital + 0x1B for capital in range(0x16EA0, 0x16EB9)},
}


def fold(text: str) -> str:
    """The form in which strings are compared, sorted and searched: Unicode's lower-case mapping.

    Swift maps scalar by scalar. Python's `lower` does too, except for a capital sigma, which becomes a final one
    at the end of a word; and it lacks newer capital letters.
    """
    if text.isascii():
        return text.lower()
    return text.translate(_LATER_CAPITALS).replace("Σ", "σ").lower()


# A condition for the forms of a searched text.
SEARCH = "EXISTS (SELECT 1 FROM json_each(?) WHERE instr(searchKey, value) > 0)"


def forms(text: str) -> list[str]:
    """The folded forms in which a given text may be stored: in Unicode's form C, as it is, and decomposed."""
    return list(dict.fromkeys(fold(form) for form in (
        unicodedata.normalize("NFC", text), text, unicodedata.normalize("NFD", text))))


# White space by Unicode's property, as in Swift; `isspace` includes U+001C to U+001F.
_WHITE_SPACE = frozenset(map(chr, [
    *range(0x9, 0xE), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F,
    0x3000]))
_ASCII_WHITE_SPACE = "\t\n\v\f\r "


def is_mark(character: str) -> bool:
    """Whether a scalar continues the preceding character."""
    return character == "\u200D" or unicodedata.category(character)[0] == "M"


def character_count(text: str) -> int | None:
    """The number of user-perceived characters; None if counting them needs Unicode's segmentation tables.

    Below U+0300 every scalar is a character, except for CRLF; U+0300 to U+036F are combining marks.
    """
    if any(character > "\u036F" for character in text):
        return None
    return sum(character < "\u0300" for character in text) - text.count("\r\n")


def trimmed(text: str) -> str:
    """The string without surrounding white space, and without combining marks on it."""
    if text.isascii():
        return text.strip(_ASCII_WHITE_SPACE)
    start, end = 0, len(text)
    while start < end and text[start] in _WHITE_SPACE:
        start += 1
        while start < end and is_mark(text[start]):
            start += 1
    while end > start:
        base = end - 1
        while base > start and is_mark(text[base]):
            base -= 1
        if text[base] not in _WHITE_SPACE:
            break
        end = base
    return text[start:end]


@dataclasses.dataclass(frozen=True)
class TextRule:
    """The rule for a text field; the messages are those of AtriumKit's TextRule.

    White space around a text is removed and not counted; control characters are refused there as anywhere else.

    The modules count user-perceived characters. If that needs Unicode's tables, the server leaves it to them,
    and refuses strings of more than 32 bytes per character, as they do.
    """

    subject: str
    maximum: int
    is_required: bool = True
    allows_lines: bool = False

    def problems(self, text: str) -> list[str]:
        """A message for each part of the rule that a string violates, which is not trimmed yet."""
        if text.isascii() and text.isprintable() and len(text) <= self.maximum and text.strip():
            return []
        problems = []
        if any(map(self._is_forbidden, text)):
            problems.append(f"{self.subject} must not contain control characters.")
        text = trimmed(text)
        if self.is_required and all(map(_is_invisible, text)):
            return [f"{self.subject} is empty."]
        count = character_count(text) or 0
        maximum_bytes = self.maximum * 32
        if count > self.maximum:
            problems.append(f"{self.subject} may have at most {self.maximum} characters, not {count}.")
        elif len(text) * 4 > maximum_bytes and (size := len(text.encode())) > maximum_bytes:
            problems.append(f"{self.subject} may take at most {maximum_bytes} bytes, not {size}.")
        return problems

    def _is_forbidden(self, character: str) -> bool:
        if character.isprintable():
            return False
        if self.allows_lines and character in "\n\t":
            return False
        return unicodedata.category(character) in ("Cc", "Zl", "Zp")


def _is_invisible(character: str) -> bool:
    return character in _WHITE_SPACE or unicodedata.category(character) == "Cf"


EMAIL_BYTES = 254
PASSWORD_CHARACTERS = 8
PASSWORD_BYTES = 1024
NAME_RULE = TextRule("The name", 200)
CATEGORY_RULE = TextRule("The category", 100, is_required=False)
NOTES_RULE = TextRule("The notes", 10_000, is_required=False, allows_lines=True)
SEARCH_RULE = TextRule("The search text", 200, is_required=False)
FIRST_NAME_RULE = TextRule("The first name", 100)
LAST_NAME_RULE = TextRule("The last name", 100)
BIO_RULE = TextRule("The bio", 2_000, is_required=False, allows_lines=True)


def email_problems(email: str) -> list[str]:
    """The violations of a new account's email."""
    if not email:
        return ["The email is empty."]
    problems = []
    if any(character in _WHITE_SPACE or unicodedata.category(character) == "Cc" for character in email):
        problems.append("The email must not contain spaces or control characters.")
    parts = email.split("@")
    if len(parts) != 2 or not all(parts):
        problems.append("The email needs exactly one '@' with text on both sides.")
    if (size := len(email.encode())) > EMAIL_BYTES:
        problems.append(f"The email takes {size} bytes; at most {EMAIL_BYTES} are allowed.")
    return problems


def password_problems(password: str) -> list[str]:
    """The violations of a new account's password; the messages do not contain it."""
    problems = []
    if (count := sum(not is_mark(character) for character in password)) < PASSWORD_CHARACTERS:
        has = "1 character" if count == 1 else f"{count} characters"
        problems.append(f"The password has {has}; at least {PASSWORD_CHARACTERS} are needed.")
    if (size := len(password.encode())) > PASSWORD_BYTES:
        problems.append(f"The password takes {size} bytes; at most {PASSWORD_BYTES} are allowed.")
    return problems


# --- Values and errors --------------------------------------------------------------------------------------


def now() -> int:
    """The current time in microseconds since 1970."""
    return time.time_ns() // 1000


@functools.lru_cache(65536)
def timestamp(microseconds: int) -> str:
    """A time in RFC 3339: `2026-11-22T02:50:20.123456Z`."""
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=microseconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%f") + "Z"


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


def to_json(value: Any) -> bytes:
    return _encode(value).encode()


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def from_json(data: bytes | str) -> Any:
    """Parses JSON.

    Raises: ValueError if it is invalid, including NaN and lone surrogates, which Python would accept.
    """
    text = data.decode() if isinstance(data, bytes) else data
    _require_shallow(text)
    value = json.loads(text, parse_constant=_refuse_constant)
    if "\\u" in text:
        _encode(value).encode()
    return value


_BRACKET_OR_STRING = re.compile(r'[\[{]|[\]}]|"(?:[^"\\]|\\.)*"')


def _require_shallow(text: str) -> None:
    """Raises ValueError if JSON is nested too deeply for the parser, which could overflow its stack."""
    if text.count("[") + text.count("{") <= MAXIMUM_DEPTH:
        return
    depth = 0
    for found in _BRACKET_OR_STRING.finditer(text):
        bracket = found.group()
        depth += 1 if bracket in "[{" else -1 if bracket in "]}" else 0
        if depth > MAXIMUM_DEPTH:
            raise ValueError("it is nested too deeply")


class Problem(Exception):
    """An error response (RFC 9457)."""

    TITLES = {
        "bad-request": (400, "Bad request"),
        "unauthenticated": (401, "Not signed in"),
        "forbidden": (403, "Forbidden"),
        "not-found": (404, "Not found"),
        "method-not-allowed": (405, "Method not allowed"),
        "email-taken": (409, "Email taken"),
        "precondition-failed": (412, "Precondition failed"),
        "too-large": (413, "Too large"),
        "unsupported-media-type": (415, "Unsupported media type"),
        "validation": (422, "Validation failed"),
        "too-many-requests": (429, "Too many requests"),
        "headers-too-large": (431, "Headers too large"),
        "internal": (500, "Internal error"),
        "unavailable": (503, "Unavailable"),
    }

    def __init__(
            self, name: str, detail: str, *, headers: Iterable[tuple[str, str]] = (),
            errors: list[dict] | None = None, closes: bool = False):
        super().__init__(detail)
        self.name, self.detail, self.errors = name, detail, errors
        self.headers = tuple(headers)
        self.closes = closes

    @classmethod
    def validation(cls, errors: list[dict]) -> Problem:
        sentences = [error["detail"] for error in errors]
        more = f" And {len(sentences) - 10} more." if len(sentences) > 10 else ""
        return cls("validation", " ".join(sentences[:10]) + more, errors=errors)

    def response(self) -> Response:
        status, title = self.TITLES[self.name]
        body = {"type": f"/problems/{self.name}", "title": title, "status": status, "detail": self.detail}
        if self.errors is not None:
            body["errors"] = self.errors
        return Response(
            status, to_json(body), (("Content-Type", "application/problem+json"), *self.headers),
            closes=self.closes)


def finding(field: str | None, detail: str) -> dict:
    return {"field": field, "detail": detail}


def check(errors: list[dict]) -> None:
    """Raises a validation problem if there are errors."""
    if errors:
        raise Problem.validation(errors)


# --- HTTP ---------------------------------------------------------------------------------------------------

JSON_TYPE = ("Content-Type", "application/json; charset=utf-8")
NO_STORE = ("Cache-Control", "no-store")
# A client may keep it for when the server can't be reached.
NO_CACHE = ("Cache-Control", "private, no-cache")
REVALIDATE = "private, max-age=0, must-revalidate"


@dataclasses.dataclass(slots=True)
class Response:
    """A response with a complete or a streamed body."""

    status: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    stream: Iterator[bytes] | None = None
    #: Whether the connection is closed after the response.
    closes: bool = False
    #: How many bytes of the body are sent before the connection is closed; None for all.
    cut: int | None = None
    #: Whether the connection is closed without a response.
    is_silent: bool = False

    @staticmethod
    def json(value: Any, status: int = 200, headers: Iterable[tuple[str, str]] = ()) -> Response:
        return Response(status, to_json(value), (JSON_TYPE, *headers))


class ConnectionEnded(Exception):
    """The client closed the connection during a request."""


_REQUEST_LINE = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+ [\x21-\x7E]+ HTTP/1\.[01]\r\n")
_HEADER_LINE = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[^\0\r\n]*\r\n")
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SINGLE_HEADERS = ["content-length", "host", "authorization", "content-type", "idempotency-key"]


def unescape(text: str, what: str, plus: bool = False) -> str:
    """Decodes percent-encoding; raises Problem if it is invalid or not UTF-8."""
    if plus:
        text = text.replace("+", " ")
    if "%" not in text:
        return text
    if _BROKEN_ESCAPE.search(text):
        raise Problem("bad-request", f"The {what} has a broken percent-encoding.")
    try:
        return urllib.parse.unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        raise Problem("bad-request", f"The {what} is not UTF-8.") from None


class Request:
    """A request: its parsed head, and its body."""

    def __init__(self, handler: Handler):
        self.handler = handler
        self.method, self.version, self.headers = handler.command, handler.request_version, handler.headers
        self.parameters: tuple[str, ...] = ()
        self.user: str | None = None
        self.session: str | None = None
        # The library removes a second slash at the beginning of a path.
        self._parse_target(handler.raw_requestline.split(b" ")[1].decode("ascii"))
        self._check_headers()
        self._parse_framing()

    def _parse_target(self, target: str) -> None:
        if target[:7].lower() == "http://" or target[:8].lower() == "https://":
            rest = target.partition("://")[2]
            target = "/" + rest.partition("/")[2]
        if "#" in target or not (target.startswith("/") or (target == "*" and self.method == "OPTIONS")):
            raise Problem("bad-request", "The target of the request is not a path.", closes=True)
        self.path, _, self.query_text = target.partition("?")

    def _check_headers(self) -> None:
        for name in _SINGLE_HEADERS:
            if len(self.headers.get_all(name, [])) > 1:
                raise Problem("bad-request", f"The header '{name}' is given twice.", closes=True)
        if "host" not in self.headers and self.version == "HTTP/1.1":
            raise Problem("bad-request", "The header 'host' is missing.", closes=True)

    def _parse_framing(self) -> None:
        """The length of the body (RFC 9112, 6); ambiguous lengths are refused."""
        self.remaining = 0
        self.is_chunked = False
        self.expects_continue = self.headers.get("expect", "").lower() == "100-continue"
        length = self.headers.get("content-length")
        coding = self.headers.get("transfer-encoding")
        if coding is not None:
            if length is not None or coding.lower() != "chunked" or self.version == "HTTP/1.0":
                raise Problem("bad-request", "The length of the body is not clear.", closes=True)
            self.is_chunked = True
        elif length is not None:
            if not (length.isascii() and length.isdigit() and len(length) <= 18):
                raise Problem("bad-request", "The length of the body is not a number.", closes=True)
            self.remaining = int(length)

    @property
    def has_unread_body(self) -> bool:
        return self.remaining > 0 or self.is_chunked

    def chunks(self, limit: int) -> Iterator[bytes]:
        """The body in chunks; raises Problem if it has more than `limit` bytes."""
        if self.remaining > limit:
            raise self._too_large(limit)
        if self.expects_continue and self.has_unread_body:
            self.handler.send_response_only(100)
            self.handler.end_headers()
            self.handler.wfile.flush()
        self.expects_continue = False
        while self.remaining:
            data = self._read(self.remaining)
            self.remaining -= len(data)
            yield data
        if not self.is_chunked:
            return
        size = 0
        while length := self._chunk_length():
            size += length
            if size > limit:
                raise self._too_large(limit)
            while length:
                data = self._read(length)
                length -= len(data)
                yield data
            if self._line():
                raise Problem("bad-request", "A chunk of the body is longer than it says.", closes=True)
        while self._line():
            pass
        self.is_chunked = False

    def _read(self, limit: int) -> bytes:
        """Reads at least one byte and at most `limit`."""
        if data := self.handler.rfile.read1(min(limit, 64 * KIB)):
            return data
        raise ConnectionEnded

    def _line(self) -> bytes:
        """Reads a line of the chunked coding, without its line end."""
        line = self.handler.rfile.readline(4 * KIB)
        if not line:
            raise ConnectionEnded
        if not line.endswith(b"\r\n"):
            raise Problem("bad-request", "A line of the chunked body is too long or has no end.", closes=True)
        return line[:-2]

    def _chunk_length(self) -> int:
        digits = self._line().partition(b";")[0].strip(b" \t")
        if not re.fullmatch(rb"[0-9A-Fa-f]{1,15}", digits):
            raise Problem("bad-request", "The length of a chunk is not a number.", closes=True)
        return int(digits, 16)

    @staticmethod
    def _too_large(limit: int) -> Problem:
        return Problem("too-large", f"The body takes more than {limit} bytes.", closes=True)

    def body(self, limit: int = MAXIMUM_JSON) -> bytes:
        """The whole body."""
        if not self.has_unread_body:
            return b""
        return b"".join(self.chunks(limit))

    def require_type(self, *types: str) -> None:
        """Raises Problem if the body has none of the types, or is not UTF-8."""
        given = self.headers.get("content-type", "")
        name, *parameters = [part.strip().lower() for part in given.split(";")]
        if name not in types:
            raise Problem(
                "unsupported-media-type", f"The body must be {' or '.join(types)}, not '{name}'."
                if name else f"The body must be {' or '.join(types)}; the header 'content-type' is missing.")
        for parameter in parameters:
            key, _, value = parameter.partition("=")
            if key == "charset" and value.strip('"') not in ("utf-8", "utf8"):
                raise Problem("unsupported-media-type", "The body must be in UTF-8.")
        if self.headers.get("content-encoding", "identity").lower() != "identity":
            raise Problem("unsupported-media-type", "The body must not be compressed.")

    def document(self, *types: str) -> tuple[dict, bytes]:
        """The body as a JSON object, and its bytes."""
        self.require_type(*(types or ("application/json",)))
        data = self.body()
        try:
            value = from_json(data)
        except ValueError as error:
            reason = "it is not UTF-8" if isinstance(error, UnicodeError) else str(error)
            raise Problem("bad-request", f"The body is not JSON: {reason[:200]}.") from None
        if not isinstance(value, dict):
            check([finding(None, "The body must be an object.")])
        return value, data

    def pairs(self, text: str, what: str) -> list[tuple[str, str]]:
        """The names and values of a query or a form."""
        parts = (part.partition("=") for part in text.split("&") if part)
        read = functools.partial(unescape, what=what, plus=True)
        return [(read(name), read(value)) for name, _, value in parts]

    def query(self) -> dict[str, str]:
        """The parameters of the query; unknown ones are ignored."""
        if not self.query_text:
            return {}
        pairs = self.pairs(self.query_text, "query")
        values = dict(pairs)
        if len(values) != len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            check([finding(twice, f"The {twice} is given twice.")])
        return values


class QueryReader:
    """Reads typed values from a query, and collects their errors."""

    def __init__(self, request: Request):
        self.values = request.query()
        self.errors: list[dict] = []

    def integer(self, name: str, default: int, low: int, high: int) -> int:
        text = self.values.get(name)
        if text is None:
            return default
        if not re.fullmatch(r"-?[0-9]{1,18}", text):
            self.errors.append(finding(name, f"The {name} must be a whole number, not '{text[:40]}'."))
            return default
        value = int(text)
        if not low <= value <= high:
            bound = f"at least {low}" if value < low else f"at most {high}"
            self.errors.append(finding(name, f"The {name} must be {bound}, not {value}."))
        return value

    def choice(self, name: str, default: str | None, choices: Iterable[str]) -> str | None:
        text = self.values.get(name, default)
        if name in self.values and text not in choices:
            known = ", ".join(choices)
            self.errors.append(finding(name, f"The {name} must be one of {known}, not '{text[:40]}'."))
        return text

    def text(self, name: str, rule: TextRule) -> str | None:
        """A trimmed string; None if it is missing or blank."""
        text = self.values.get(name, "")
        self.errors += [finding(name, problem) for problem in rule.problems(text)]
        return trimmed(text) or None


def entity_tag(body: bytes) -> str:
    return '"' + hashlib.blake2b(body, digest_size=12).hexdigest() + '"'


_TAG = re.compile(r'(?:W/)?"[!#-~\x80-\xFF]*"')
_TAGS = re.compile(rf"\*|{_TAG.pattern}(?:[ \t]*,[ \t]*{_TAG.pattern})*")


class Tags:
    """The tags of If-Match or If-None-Match (RFC 9110, 8.8.3)."""

    def __init__(self, header: str):
        self._tags = frozenset(_TAG.findall(header))
        self._is_any = not self._tags

    @classmethod
    def of(cls, request: Request, name: str) -> Tags | None:
        """The tags of a header; None without it. Raises Problem if it is neither a list of tags nor `*`."""
        lines = request.headers.get_all(name)
        if lines is None:
            return None
        if not _TAGS.fullmatch(header := ", ".join(lines).strip(" \t")):
            raise Problem("bad-request", f"The header '{name}' must be '*' or a list of tags.")
        return cls(header)

    def have(self, tag: str, is_weak: bool = False) -> bool:
        """Whether the tag is one of these; the weak comparison, which reads need, ignores `W/`."""
        return self._is_any or tag in self._tags or is_weak and f"W/{tag}" in self._tags


def cacheable(request: Request, value: Any, cache_control: str) -> Response:
    """A response with a tag; without a body if the client has it already."""
    body = value if isinstance(value, bytes) else to_json(value)
    tag = entity_tag(body)
    headers = (("ETag", tag), ("Cache-Control", cache_control))
    known = Tags.of(request, "if-none-match")
    if known and known.have(tag, is_weak=True):
        return Response(304, b"", headers)
    return Response(200, body, (JSON_TYPE, *headers))


# --- The store ----------------------------------------------------------------------------------------------

SCHEMA_VERSION = 2
APPLICATION_ID = 0x41745273  # "AtRs"
# The tables of entities equal those of the Entities module, so that orders and totals are the same.
SCHEMA = """
    CREATE TABLE entities (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        category TEXT,
        notes TEXT,
        createdAt INTEGER NOT NULL,
        updatedAt INTEGER NOT NULL,
        nameKey TEXT NOT NULL,
        categoryKey TEXT NOT NULL,
        searchKey TEXT NOT NULL
    ) STRICT;
    CREATE INDEX entities_name ON entities (nameKey);
    CREATE INDEX entities_created ON entities (createdAt);
    CREATE INDEX entities_category_name ON entities (categoryKey, nameKey);
    CREATE INDEX entities_category_created ON entities (categoryKey, createdAt);

    CREATE TABLE entityTotal (count INTEGER NOT NULL) STRICT;
    INSERT INTO entityTotal (count) VALUES (0);
    CREATE TABLE categoryTotals (
        categoryKey TEXT PRIMARY KEY, count INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TRIGGER entities_inserted AFTER INSERT ON entities BEGIN
        UPDATE entityTotal SET count = count + 1;
        INSERT INTO categoryTotals (categoryKey, count) VALUES (new.categoryKey, 1)
            ON CONFLICT (categoryKey) DO UPDATE SET count = count + 1;
    END;
    CREATE TRIGGER entities_deleted AFTER DELETE ON entities BEGIN
        UPDATE entityTotal SET count = count - 1;
        UPDATE categoryTotals SET count = count - 1 WHERE categoryKey = old.categoryKey;
        DELETE FROM categoryTotals WHERE categoryKey = old.categoryKey AND count = 0;
    END;
    CREATE TRIGGER entities_moved AFTER UPDATE OF categoryKey ON entities
    WHEN old.categoryKey <> new.categoryKey BEGIN
        INSERT INTO categoryTotals (categoryKey, count) VALUES (new.categoryKey, 1)
            ON CONFLICT (categoryKey) DO UPDATE SET count = count + 1;
        UPDATE categoryTotals SET count = count - 1 WHERE categoryKey = old.categoryKey;
        DELETE FROM categoryTotals WHERE categoryKey = old.categoryKey AND count = 0;
    END;

    CREATE TABLE users (
        id TEXT PRIMARY KEY,
        email TEXT NOT NULL,
        emailKey TEXT NOT NULL UNIQUE,
        passwordHash TEXT NOT NULL,
        displayName TEXT,
        status TEXT NOT NULL,
        createdAt INTEGER NOT NULL,
        nameKey TEXT NOT NULL,
        searchKey TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX users_name ON users (nameKey, id);
    CREATE TABLE profiles (
        userID TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
        firstName TEXT NOT NULL,
        lastName TEXT NOT NULL,
        age INTEGER,
        bio TEXT,
        version INTEGER NOT NULL DEFAULT 1
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE notifications (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        userID TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        kind TEXT NOT NULL,
        createdAt INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX notifications_user ON notifications (userID);

    CREATE TABLE sessions (
        id TEXT PRIMARY KEY,
        userID TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        createdAt INTEGER NOT NULL,
        lastUsedAt INTEGER NOT NULL,
        expiresAt INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX sessions_user ON sessions (userID);
    CREATE INDEX sessions_expiry ON sessions (expiresAt);
    CREATE TABLE refreshTokens (
        digest BLOB PRIMARY KEY,
        sessionID TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        expiresAt INTEGER NOT NULL,
        rotatedAt INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX refreshTokens_session ON refreshTokens (sessionID);

    CREATE TABLE answers (
        userID TEXT NOT NULL,
        key TEXT NOT NULL,
        fingerprint BLOB NOT NULL,
        status INTEGER NOT NULL,
        headers TEXT NOT NULL,
        body BLOB NOT NULL,
        createdAt INTEGER NOT NULL,
        PRIMARY KEY (userID, key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX answers_created ON answers (createdAt);
    CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
"""
# The migrations of files of older versions.
MIGRATIONS = {1: "ALTER TABLE profiles ADD COLUMN version INTEGER NOT NULL DEFAULT 1"}


class StoreError(Exception):
    """The data file can't be used; the message is for people."""


class Store:
    """The database, whose connections can only be used within `with`.

    With a file, any number of readers and one writer run concurrently (WAL). A returned commit has reached the
    operating system: it survives a killed process, but a power failure may lose the latest ones.
    In memory, all use the writer's connection in turn.
    """

    READERS = 16

    def __init__(self, path: str | None):
        self.path = path
        self._lock = threading.RLock()
        self._idle: collections.deque[sqlite3.Connection] = collections.deque()
        self._places = threading.Semaphore(self.READERS)
        try:
            self._writer = self._connect()
            self._prepare()
        except sqlite3.Error as error:
            raise StoreError(f"The data file '{path}' can't be used: {error}.") from error

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path or ":memory:", isolation_level=None, check_same_thread=False, cached_statements=256,
            timeout=30)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA temp_store = MEMORY")
        if self.path:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA cache_size = -16384")
            connection.execute("PRAGMA mmap_size = 268435456")
        return connection

    def _prepare(self) -> None:
        version = self._writer.execute("PRAGMA user_version").fetchone()[0]
        identity = self._writer.execute("PRAGMA application_id").fetchone()[0]
        tables = self._writer.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        if tables == 0:
            self._writer.executescript(
                f"BEGIN; {SCHEMA}; PRAGMA user_version = {SCHEMA_VERSION};"
                f"PRAGMA application_id = {APPLICATION_ID}; COMMIT;")
            return
        while identity == APPLICATION_ID and version in MIGRATIONS:
            self._writer.executescript(
                f"BEGIN; {MIGRATIONS[version]}; PRAGMA user_version = {version + 1}; COMMIT;")
            version += 1
        if (version, identity) != (SCHEMA_VERSION, APPLICATION_ID):
            raise StoreError(f"The data file '{self.path}' is not one of this server's version.")

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection for one or more reads of a consistent state."""
        if not self.path:
            with self._lock:
                yield self._writer
            return
        with self._places:
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self._connect()
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                connection.execute("ROLLBACK")
                self._idle.append(connection)

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The connection for a change: committed when the block ends, rolled back if it raises."""
        with self._lock:
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
            except BaseException:
                self._writer.execute("ROLLBACK")
                raise
            try:
                self._writer.execute("COMMIT")
            except sqlite3.Error:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise

    def rows(self, statement: str, size: int = 500) -> Iterator[list[tuple]]:
        """All rows of a consistent state, in batches, without blocking other requests."""
        if not self.path:
            with self._lock:
                rows = self._writer.execute(statement).fetchall()
            yield from (rows[start:start + size] for start in range(0, len(rows), size))
            return
        connection = self._connect()
        try:
            connection.execute("BEGIN")
            cursor = connection.execute(statement)
            while rows := cursor.fetchmany(size):
                yield rows
        finally:
            connection.close()

    def setting(self, name: str, default: Callable[[], str]) -> str:
        """A value stored with the data; `default` creates it if it is missing."""
        with self.writing() as database:
            row = database.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
            if row:
                return row[0]
            value = default()
            database.execute("INSERT INTO settings (name, value) VALUES (?, ?)", (name, value))
            return value

    def set(self, name: str, value: str) -> None:
        with self.writing() as database:
            database.execute("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", (name, value))

    def close(self) -> None:
        with self._lock:
            while self._idle:
                self._idle.pop().close()
            self._writer.close()


# --- Passwords and tokens -----------------------------------------------------------------------------------

# Each takes 16 MiB and about 50 ms; more at once than cores would only compete.
_HASHERS = threading.Semaphore(max(2, os.cpu_count() or 2))


def _scrypt(password: str, salt: bytes) -> bytes:
    with _HASHERS:
        return hashlib.scrypt(password.encode(), salt=salt, n=2**14, r=8, p=1, dklen=32)


def hash_password(password: str) -> str:
    salt = secrets.token_bytes(16)
    return f"{salt.hex()}${_scrypt(password, salt).hex()}"


def is_password(password: str, stored: str | None) -> bool:
    """Whether a password is the stored one; takes the same time if none is stored."""
    salt, _, digest = (stored or f"{'00' * 16}${'00' * 32}").partition("$")
    computed = _scrypt(password, bytes.fromhex(salt))
    return hmac.compare_digest(computed, bytes.fromhex(digest)) and stored is not None


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _from_base64url(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


class TokenError(Exception):
    """An error of the token endpoint (RFC 6749, 5.2)."""

    def __init__(self, error: str, description: str):
        super().__init__(description)
        self.error, self.description = error, description


@dataclasses.dataclass(frozen=True, slots=True)
class Claims:
    """The claims of an access token."""

    user: str
    session: str
    expires_at: int
    #: In microseconds; the claim `iat` has only seconds.
    issued_at: int


class Tokens:
    """Issues and checks tokens: access tokens are JWTs, refresh tokens are stored as digests.

    A refresh token's successor is derived from it with the server's key, so that a repeated request gets the
    same one without storing a token. It does so for `refresh_grace` seconds; with 0, a second use ends the session
    at once.
    """

    HEADER = _base64url(b'{"alg":"HS256","typ":"JWT"}')

    def __init__(self, store: Store, access_life: int, refresh_life: int, refresh_grace: int):
        self.store = store
        self.access_life, self.refresh_life, self.refresh_grace = access_life, refresh_life, refresh_grace
        self._key = bytes.fromhex(store.setting("key", lambda: secrets.token_hex(32)))
        self._not_before = int(store.setting("notBefore", lambda: "0"))
        self._lock = threading.Lock()
        self._last_issue = 0
        self._known: dict[str, Claims] = {}
        self.counts = {"password": 0, "refresh": 0}
        with store.writing() as database:
            database.execute("DELETE FROM sessions WHERE expiresAt <= ?", (now(),))
            rows = database.execute("SELECT id FROM sessions").fetchall()
        #: The sessions that have not ended; changed only within `writing`, which keeps it equal to the table.
        self._alive = {id for (id,) in rows}
        #: When sessions were last used, if the table does not contain it yet.
        self._used: dict[str, int] = {}

    # Access tokens

    def _issue_moment(self) -> int:
        """A unique time for each token, so that `expire_all` is exact."""
        with self._lock:
            self._last_issue = max(now(), self._last_issue + 1)
            return self._last_issue

    def _sign(self, text: str) -> str:
        return _base64url(hmac.digest(self._key, text.encode(), "sha256"))

    def _access_token(self, user: str, session: str) -> str:
        issued = self._issue_moment()
        claims = {
            "sub": user, "iat": issued // 1_000_000, "exp": -(-issued // 1_000_000) + self.access_life,
            "jti": f"{issued:x}.{secrets.token_hex(8)}", "sid": session,
        }
        text = f"{self.HEADER}.{_base64url(to_json(claims))}"
        return f"{text}.{self._sign(text)}"

    def _parse(self, token: str) -> Claims | None:
        """The claims of a token of this server; None for any other."""
        if claims := self._known.get(token):
            return claims
        text, dot, signature = token.rpartition(".")
        if not dot or not token.isascii() or not hmac.compare_digest(self._sign(text), signature):
            return None
        try:
            claims = from_json(_from_base64url(text.partition(".")[2]))
            parsed = Claims(
                claims["sub"], claims["sid"], claims["exp"], int(claims["jti"].partition(".")[0], 16))
        except (ValueError, KeyError, TypeError, AttributeError):
            return None
        if len(self._known) >= 10_000:
            self._known.clear()
        self._known[token] = parsed
        return parsed

    def authenticate(self, token: str) -> Claims:
        """The claims of a token; raises Problem if it is invalid, expired or its session has ended."""
        claims = self._parse(token)
        if claims is None:
            raise unauthenticated("The access token is not valid.", is_invalid=True)
        if time.time() >= claims.expires_at or claims.issued_at <= self._not_before:
            raise unauthenticated("The access token has expired.", is_invalid=True)
        if claims.session not in self._alive:
            raise unauthenticated("The session has ended.", is_invalid=True)
        self._used[claims.session] = now()
        return claims

    def expire_all(self) -> None:
        """Expires every access token issued so far."""
        self._not_before = self._issue_moment()
        self.store.set("notBefore", str(self._not_before))

    # Grants

    def grant_password(self, email: str, password: str) -> dict:
        """Starts a session."""
        with self.store.reading() as database:
            row = database.execute(
                "SELECT id, passwordHash FROM users WHERE emailKey IN (SELECT value FROM json_each(?))",
                (json.dumps(forms(email)),)).fetchone()
        if not is_password(password, row[1] if row else None):
            raise TokenError("invalid_grant", "Email or password is wrong.")
        session, moment, refresh = secrets.token_urlsafe(12), now(), secrets.token_urlsafe(32)
        expiry = moment + self.refresh_life * 1_000_000
        with self.store.writing() as database:
            ended = database.execute(
                "DELETE FROM sessions WHERE expiresAt <= ? RETURNING id", (moment,)).fetchall()
            database.execute(
                "INSERT INTO sessions (id, userID, createdAt, lastUsedAt, expiresAt) VALUES (?, ?, ?, ?, ?)",
                (session, row[0], moment, moment, expiry))
            self._store_refresh_token(database, refresh, session, expiry)
            self._forget(ended)
            self._alive.add(session)
        return self._answer("password", row[0], session, refresh)

    def grant_refresh(self, refresh: str) -> dict:
        """Continues a session; ends it if a token is reused after the time of grace."""
        moment = now()
        with self.store.writing() as database:
            row = database.execute(
                """
                SELECT sessionID, userID, refreshTokens.expiresAt, rotatedAt
                FROM refreshTokens JOIN sessions ON sessions.id = sessionID WHERE digest = ?
                """, (self._digest(refresh),)).fetchone()
            if not row or row[2] <= moment:
                refusal = "The refresh token is not valid, or no longer."
            elif row[3] is not None and moment - row[3] >= self.refresh_grace * 1_000_000:
                refusal = "The refresh token was used before; its session has ended."
                database.execute("DELETE FROM sessions WHERE id = ?", (row[0],))
                self._forget([(row[0],)])
            else:
                refusal = None
                if row[3] is None:
                    self._rotate(database, refresh, row[0], moment)
        if refusal:
            raise TokenError("invalid_grant", refusal)
        return self._answer("refresh", row[1], row[0], self._successor(refresh))

    def _rotate(self, database: sqlite3.Connection, refresh: str, session: str, moment: int) -> None:
        expiry = moment + self.refresh_life * 1_000_000
        database.execute(
            "UPDATE refreshTokens SET rotatedAt = ? WHERE digest = ?", (moment, self._digest(refresh)))
        database.execute(
            "UPDATE sessions SET lastUsedAt = ?, expiresAt = ? WHERE id = ?", (moment, expiry, session))
        database.execute(
            "DELETE FROM refreshTokens WHERE sessionID = ? AND expiresAt <= ?", (session, moment))
        self._store_refresh_token(database, self._successor(refresh), session, expiry)

    def _store_refresh_token(
            self, database: sqlite3.Connection, refresh: str, session: str, expiry: int) -> None:
        database.execute(
            "INSERT INTO refreshTokens (digest, sessionID, expiresAt) VALUES (?, ?, ?)",
            (self._digest(refresh), session, expiry))

    def _digest(self, refresh: str) -> bytes:
        return hashlib.sha256(refresh.encode()).digest()

    def _successor(self, refresh: str) -> str:
        return _base64url(hmac.digest(self._key, b"refresh " + refresh.encode(), "sha256"))

    def _answer(self, kind: str, user: str, session: str, refresh: str) -> dict:
        with self._lock:
            self.counts[kind] += 1
        return {
            "access_token": self._access_token(user, session), "token_type": "Bearer",
            "expires_in": self.access_life, "refresh_token": refresh,
            "refresh_expires_in": self.refresh_life,
        }

    # Sessions

    def revoke(self, token: str) -> None:
        """Ends the session of a refresh or access token; an unknown token is no error (RFC 7009)."""
        claims = self._parse(token)
        with self.store.writing() as database:
            ended = database.execute(
                """
                DELETE FROM sessions WHERE id = ?
                    OR id = (SELECT sessionID FROM refreshTokens WHERE digest = ?) RETURNING id
                """, (claims.session if claims else "", self._digest(token))).fetchall()
            self._forget(ended)

    def revoke_all(self, user: str) -> None:
        """Ends every session of a user."""
        with self.store.writing() as database:
            ended = database.execute("DELETE FROM sessions WHERE userID = ? RETURNING id", (user,)).fetchall()
            self._forget(ended)

    def _forget(self, sessions: list[tuple[str]]) -> None:
        for (session,) in sessions:
            self._alive.discard(session)
            self._used.pop(session, None)

    def sessions(self, user: str, current: str) -> list[dict]:
        """The sessions of a user, the newest first."""
        with self.store.reading() as database:
            rows = database.execute(
                """
                SELECT id, createdAt, lastUsedAt FROM sessions WHERE userID = ? AND expiresAt > ?
                ORDER BY createdAt DESC, id
                """, (user, now())).fetchall()
        return [
            {
                "id": id, "createdAt": timestamp(created),
                "lastUsedAt": timestamp(max(used, self._used.get(id, 0))), "isCurrent": id == current,
            } for id, created, used in rows
        ]

    def save(self) -> None:
        """Stores when the sessions were last used, before the server ends."""
        with self.store.writing() as database:
            database.executemany(
                "UPDATE sessions SET lastUsedAt = max(lastUsedAt, ?) WHERE id = ?",
                [(used, id) for id, used in list(self._used.items())])


def unauthenticated(detail: str, is_invalid: bool = False) -> Problem:
    """An error with the challenge of RFC 6750, 3."""
    challenge = f'Bearer error="invalid_token", error_description="{detail}"' if is_invalid else "Bearer"
    return Problem("unauthenticated", detail, headers=[("WWW-Authenticate", challenge)])


# --- Faults and statistics ----------------------------------------------------------------------------------

FAULTS = {
    "slow": 2.0, "unauthorized": 0.0, "rateLimit": 1.0, "serverError": 0.0, "unavailable": 1.0,
    "brokenJSON": 0.0, "half": 0.0, "close": 0.0, "errorCode": 0.0, "huge": 0.0, "wrongType": 0.0,
    "lost": 0.0,
}
"""The faults by name, with the default seconds of each."""


@dataclasses.dataclass
class Fault:
    """A simulated fault."""

    fault: str
    path: str | None
    method: str | None
    #: How many times it still happens; None until it is cleared.
    count: int | None
    #: How many requests are skipped first.
    skip: int
    seconds: float

    def concerns(self, method: str, path: str) -> bool:
        prefixes = (self.path,) if self.path is not None else ("/v1", "/oauth")
        return path.startswith(prefixes) and self.method in (None, method)


class Faults:
    """The active faults, in order of activation."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._lock = threading.Lock()

    def add(self, fault: Fault) -> None:
        with self._lock:
            self._faults.append(fault)

    def clear(self) -> None:
        with self._lock:
            self._faults.clear()

    def listed(self) -> list[dict]:
        with self._lock:
            return [dataclasses.asdict(fault) for fault in self._faults]

    def next(self, method: str, path: str) -> Fault | None:
        """The fault for a request; counts it as having happened."""
        if not self._faults:
            return None
        with self._lock:
            for fault in self._faults:
                if not fault.concerns(method, path):
                    continue
                if fault.skip > 0:
                    fault.skip -= 1
                    continue
                if fault.count is not None:
                    fault.count -= 1
                    if fault.count <= 0:
                        self._faults.remove(fault)
                return fault
        return None


def _huge_body() -> Iterator[bytes]:
    """A page of entities with 100 MB."""
    row = b'{"id":1,"name":"' + b"x" * 200 + b'","category":null,"notes":null},'
    block = row * 256
    yield b'{"rows":['
    for _ in range(HUGE_BYTES // len(block)):
        yield block
    yield row[:-1] + b'],"total":1,"page":1,"size":20}'


def _wait_seconds(fault: Fault) -> tuple[tuple[str, str], ...]:
    return (("Retry-After", str(max(0, -int(-fault.seconds // 1)))),)


def _wrong_answer(fault: Fault) -> Response | None:
    """The response of a fault that does not perform the request; None for other faults."""
    match fault.fault:
        case "unauthorized":
            return unauthenticated("The access token has expired.", is_invalid=True).response()
        case "rateLimit":
            return Problem(
                "too-many-requests", "There were too many requests.", headers=_wait_seconds(fault)).response()
        case "serverError":
            return Problem("internal", "The server made a mistake.").response()
        case "unavailable":
            return Problem(
                "unavailable", "The server is not available.", headers=_wait_seconds(fault)).response()
        case "errorCode":
            return Response.json({"errorCode": 4711, "errorMsg": "The request could not be carried out."})
        case "wrongType":
            return Response(
                200, b"<!DOCTYPE html><title>Sign in to the network</title>\n",
                (("Content-Type", "text/html; charset=utf-8"),))
        case "huge":
            return Response(200, headers=(JSON_TYPE,), stream=_huge_body())
        case "close":
            return Response(200, is_silent=True)
    return None


def _spoilt(fault: Fault, response: Response) -> Response:
    """The changed response of a fault that performs the request."""
    if response.stream is not None:
        response = dataclasses.replace(response, body=b"".join(response.stream), stream=None)
    half = len(response.body) // 2
    match fault.fault:
        case "brokenJSON":
            return Response(200, response.body[:half], (JSON_TYPE,))
        case "half":
            return dataclasses.replace(response, cut=half)
        case "lost":
            return Response(200, is_silent=True)
    return response


class Statistics:
    """Counts requests since the server started, or since the counters were reset."""

    def __init__(self, tokens: Tokens):
        self._tokens = tokens
        self._lock = threading.Lock()
        self._requests: dict[str, int] = {}
        self._connections = 0

    def count_request(self, name: str) -> None:
        with self._lock:
            self._requests[name] = self._requests.get(name, 0) + 1

    def count_connection(self) -> None:
        with self._lock:
            self._connections += 1

    def listed(self) -> dict:
        with self._lock:
            return {
                "requests": dict(sorted(self._requests.items())), "tokens": dict(self._tokens.counts),
                "connections": self._connections,
            }

    def reset(self) -> None:
        with self._lock:
            self._requests.clear()
            self._connections = 0
            self._tokens.counts = {"password": 0, "refresh": 0}


# --- Idempotent changes -------------------------------------------------------------------------------------

_KEY = re.compile(r"[\x21-\x7E]{1,255}")


def once(
        server: Server, request: Request, content: bytes, change: Callable[[sqlite3.Connection], Response]
) -> Response:
    """Performs a change in a transaction, once for each `Idempotency-Key` of a user.

    A repeated request gets the first response again for 24 hours. A refused change is not stored: it
    changed nothing, and may be requested again.
    """
    key = request.headers.get("idempotency-key")
    if key is None:
        with server.store.writing() as database:
            return change(database)
    if not _KEY.fullmatch(key):
        raise Problem("bad-request", "The Idempotency-Key must have 1 to 255 visible ASCII characters.")
    identity = f"{request.method} {request.path}\n".encode()
    fingerprint = hashlib.sha256(identity + hashlib.sha256(content).digest()).digest()
    moment = now()
    with server.store.writing() as database:
        database.execute("DELETE FROM answers WHERE createdAt <= ?", (moment - DAY * 1_000_000,))
        row = database.execute(
            "SELECT fingerprint, status, headers, body FROM answers WHERE userID = ? AND key = ?",
            (request.user, key)).fetchone()
        if row:
            if row[0] != fingerprint:
                check([finding("Idempotency-Key", "The Idempotency-Key was used for another request.")])
            return Response(row[1], row[3], tuple(map(tuple, json.loads(row[2]))))
        response = change(database)
        database.execute(
            "INSERT INTO answers (userID, key, fingerprint, status, headers, body, createdAt)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                request.user, key, fingerprint, response.status, json.dumps(response.headers), response.body,
                moment,
            ))
        return response


# --- Documents that clients send ----------------------------------------------------------------------------


class DocumentReader:
    """Reads typed members from a JSON object, and collects their errors."""

    def __init__(self, document: dict, members: Iterable[str]):
        self.document = document
        known = frozenset(members)
        self.errors = [
            finding(name[:100], f"There is no field '{name[:100]}'.")
            for name in document if name not in known]

    def text(self, name: str, subject: str) -> str | None:
        """A string; None if it is missing or null."""
        value = self.document.get(name)
        if value is None or isinstance(value, str):
            return value
        self.errors.append(finding(name, f"{subject} must be a text."))
        return None

    def integer(self, name: str, subject: str) -> int | None:
        """A whole number; None if it is missing or null."""
        value = self.document.get(name)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        self.errors.append(finding(name, f"{subject} must be a whole number."))
        return None

    def field(self, name: str, rule: TextRule) -> str | None:
        """A trimmed string that a rule accepts; None if it is missing."""
        count = len(self.errors)
        text = self.text(name, rule.subject) or ""
        if len(self.errors) == count:
            self.errors += [finding(name, problem) for problem in rule.problems(text)]
        return trimmed(text) or None


# --- Tokens and users ---------------------------------------------------------------------------------------


def _form(request: Request) -> dict[str, str]:
    """A form of the token endpoint (RFC 6749, 3.2); raises TokenError if it is invalid."""
    try:
        request.require_type("application/x-www-form-urlencoded")
        pairs = request.pairs(request.body(64 * KIB).decode(), "form")
    except UnicodeDecodeError:
        raise TokenError("invalid_request", "The form is not UTF-8.") from None
    except Problem as problem:
        if problem.closes:
            raise
        raise TokenError("invalid_request", problem.detail) from None
    if len(dict(pairs)) != len(pairs):
        raise TokenError("invalid_request", "A parameter is given twice.")
    return dict(pairs)


def _required(form: dict[str, str], name: str) -> str:
    if not form.get(name):
        raise TokenError("invalid_request", f"The parameter '{name}' is missing.")
    return form[name]


def _token_response(answer: Callable[[], Any]) -> Response:
    try:
        return Response.json(answer(), headers=[NO_STORE])
    except TokenError as error:
        return Response.json(
            {"error": error.error, "error_description": error.description}, 400, [NO_STORE])


def post_token(server: Server, request: Request) -> Response:
    def answer() -> dict:
        form = _form(request)
        match _required(form, "grant_type"):
            case "password":
                return server.tokens.grant_password(_required(form, "username"), _required(form, "password"))
            case "refresh_token":
                return server.tokens.grant_refresh(_required(form, "refresh_token"))
        raise TokenError("unsupported_grant_type", "The grant type must be 'password' or 'refresh_token'.")

    return _token_response(answer)


def post_revoke(server: Server, request: Request) -> Response:
    def answer() -> dict:
        server.tokens.revoke(_required(_form(request), "token"))
        return {}

    return _token_response(answer)


USER_COLUMNS = "id, email, displayName, status, createdAt"


def user_json(row: tuple) -> dict:
    return {
        "id": row[0], "email": row[1], "displayName": row[2], "status": row[3],
        "createdAt": timestamp(row[4]),
    }


def _user(database: sqlite3.Connection, id: str) -> tuple:
    row = database.execute(f"SELECT {USER_COLUMNS} FROM users WHERE id = ?", (id,)).fetchone()
    if not row:
        raise Problem("not-found", f"There is no user '{id[:100]}'.")
    return row


def _own(request: Request) -> str:
    """The user of the path, who must be the signed-in one."""
    if request.parameters[0] != request.user:
        raise Problem("forbidden", "Only the user may do that.")
    return request.parameters[0]


def user_keys(email: str, display_name: str | None) -> tuple[str, str]:
    """The keys by which a user is sorted and searched."""
    return fold(display_name or email), fold("\x1f".join([display_name or "", email]))


def post_user(server: Server, request: Request) -> Response:
    document, _ = request.document()
    reader = DocumentReader(document, ("email", "password"))
    email, password = reader.text("email", "The email"), reader.text("password", "The password")
    if not reader.errors:
        reader.errors += [finding("email", problem) for problem in email_problems(email or "")]
        reader.errors += [finding("password", problem) for problem in password_problems(password or "")]
    check(reader.errors)
    row = ("u" + secrets.token_hex(8), email, None, "active", now())
    stored = hash_password(password)
    with server.store.writing() as database:
        if database.execute("SELECT 1 FROM users WHERE emailKey IN (SELECT value FROM json_each(?))",
                (json.dumps(forms(email)),)).fetchone():
            raise Problem("email-taken", f"There is an account for '{email}' already.")
        insert_user(database, row, stored)
    return Response.json(user_json(row), 201, [("Location", f"/v1/users/{row[0]}")])


def insert_user(database: sqlite3.Connection, row: tuple, password_hash: str) -> None:
    database.execute(
        f"INSERT INTO users ({USER_COLUMNS}, emailKey, passwordHash, nameKey, searchKey)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*row, fold(row[1]), password_hash, *user_keys(row[1], row[2])))


def get_me(server: Server, request: Request) -> Response:
    with server.store.reading() as database:
        return Response.json(user_json(_user(database, request.user)), headers=[NO_CACHE])


def get_user(server: Server, request: Request) -> Response:
    with server.store.reading() as database:
        return Response.json(user_json(_user(database, request.parameters[0])), headers=[NO_CACHE])


PAGES = (1, 1_000_000_000)
SIZES = (1, 500)


def get_users(server: Server, request: Request) -> Response:
    query = QueryReader(request)
    page, size = query.integer("page", 1, *PAGES), query.integer("size", 20, *SIZES)
    sort = query.choice("sort", "name", ("name", "-name"))
    status = query.choice("status", None, ("active", "inactive"))
    search = query.text("search", SEARCH_RULE)
    check(query.errors)
    filters = [("status = ?", status)] if status else []
    filters += [(SEARCH, json.dumps(forms(search)))] if search else []
    where = " WHERE " + " AND ".join(condition for condition, _ in filters) if filters else ""
    values = [value for _, value in filters]
    order = "nameKey, id" if sort == "name" else "nameKey DESC, id DESC"
    with server.store.reading() as database:
        total = database.execute(f"SELECT count(*) FROM users{where}", values).fetchone()[0]
        rows = database.execute(
            f"SELECT {USER_COLUMNS} FROM users{where} ORDER BY {order} LIMIT ? OFFSET ?",
            (*values, size, (page - 1) * size)).fetchall()
    return Response.json(
        {"rows": list(map(user_json, rows)), "total": total, "page": page, "size": size}, headers=[NO_CACHE])


def get_profile(server: Server, request: Request) -> Response:
    with server.store.reading() as database:
        id = _user(database, request.parameters[0])[0]
        row = database.execute(
            "SELECT firstName, lastName, age, bio, version FROM profiles WHERE userID = ?", (id,)).fetchone()
    if not row:
        raise Problem("not-found", f"The user '{id}' has submitted no profile.")
    return Response.json(
        dict(zip(("firstName", "lastName", "age", "bio", "version"), row)),
        headers=[("ETag", profile_tag(row[4])), NO_CACHE])


AGES = (0, 150)


def profile_tag(version: int) -> str:
    """The tag of a profile: its version, so that a client can derive it from the document."""
    return f'"{version}"'


def require_profile(known: Tags | None, absent: Tags | None, version: int) -> None:
    """Raises if the stored profile is not the client's; version 0 means that there is none."""
    is_known = not known or version and known.have(profile_tag(version))
    is_absent = not absent or not version or not absent.have(profile_tag(version), is_weak=True)
    if not (is_known and is_absent):
        raise Problem("precondition-failed", "The profile is not as it was; read it again.")


def put_profile(server: Server, request: Request) -> Response:
    id = _own(request)
    known, absent = Tags.of(request, "if-match"), Tags.of(request, "if-none-match")
    document, content = request.document()
    reader = DocumentReader(document, ("firstName", "lastName", "age", "bio"))
    first, last = reader.field("firstName", FIRST_NAME_RULE), reader.field("lastName", LAST_NAME_RULE)
    age = reader.integer("age", "The age")
    if age is not None and not AGES[0] <= age <= AGES[1]:
        reader.errors.append(finding("age", f"The age must be from {AGES[0]} to {AGES[1]}, not {age}."))
    bio = reader.field("bio", BIO_RULE)
    check(reader.errors)
    if "forbidden" in fold(bio or ""):
        reason = "The bio has a word that is not allowed."
        return Response.json({"isAccepted": False, "reason": reason, "version": None})

    def change(database: sqlite3.Connection) -> Response:
        row = database.execute("SELECT version FROM profiles WHERE userID = ?", (id,)).fetchone()
        require_profile(known, absent, row[0] if row else 0)
        version = store_profile(database, id, _user(database, id)[1], (first, last, age, bio))
        return Response.json(
            {"isAccepted": True, "reason": None, "version": version},
            headers=[("ETag", profile_tag(version))])

    return once(server, request, content, change)


def store_profile(database: sqlite3.Connection, id: str, email: str, profile: tuple) -> int:
    """Replaces the user's profile; returns its version."""
    name = f"{profile[0]} {profile[1]}"
    version = database.execute(
        """
        INSERT INTO profiles (userID, firstName, lastName, age, bio) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (userID) DO UPDATE SET firstName = excluded.firstName, lastName = excluded.lastName,
            age = excluded.age, bio = excluded.bio, version = version + 1
        RETURNING version
        """, (id, *profile)).fetchone()[0]
    database.execute(
        "UPDATE users SET displayName = ?, nameKey = ?, searchKey = ? WHERE id = ?",
        (name, *user_keys(email, name), id))
    return version


def notification_json(row: tuple) -> dict:
    return {"id": row[0], "kind": row[1], "createdAt": timestamp(row[2])}


def get_notifications(server: Server, request: Request) -> Response:
    id = _own(request)
    query = QueryReader(request)
    limit = query.integer("limit", 20, *SIZES)
    check(query.errors)
    with server.store.reading() as database:
        rows = database.execute(
            "SELECT id, kind, createdAt FROM notifications WHERE userID = ? ORDER BY id DESC LIMIT ?",
            (id, limit)).fetchall()
    return Response.json({"rows": list(map(notification_json, rows))}, headers=[NO_STORE])


def post_notification(server: Server, request: Request) -> Response:
    id = _own(request)
    document, content = request.document()
    reader = DocumentReader(document, ("kind",))
    kind = reader.text("kind", "The kind")
    if not reader.errors and kind != "profileUpdated":
        reader.errors.append(finding("kind", "The kind must be 'profileUpdated'."))
    check(reader.errors)

    def change(database: sqlite3.Connection) -> Response:
        moment = now()
        cursor = database.execute(
            "INSERT INTO notifications (userID, kind, createdAt) VALUES (?, ?, ?)", (id, kind, moment))
        return Response.json(notification_json((cursor.lastrowid, kind, moment)), 201)

    return once(server, request, content, change)


def get_sessions(server: Server, request: Request) -> Response:
    return Response.json({"rows": server.tokens.sessions(request.user, request.session)}, headers=[NO_STORE])


def delete_sessions(server: Server, request: Request) -> Response:
    server.tokens.revoke_all(request.user)
    return Response(204)


# --- Entities -----------------------------------------------------------------------------------------------

ENTITY_COLUMNS = "id, name, category, notes, createdAt, updatedAt"
ENTITY_ORDERS = {
    "name": "{0}nameKey, id", "-name": "{0}nameKey DESC, id DESC",
    "oldest": "{0}createdAt, id", "newest": "{0}createdAt DESC, id DESC",
}
INSERT_ENTITY = """
    INSERT INTO entities (name, category, notes, createdAt, updatedAt, nameKey, categoryKey, searchKey)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    """


def entity_json(row: tuple) -> dict:
    return {
        "id": row[0], "name": row[1], "category": row[2], "notes": row[3], "createdAt": timestamp(row[4]),
        "updatedAt": timestamp(row[5]),
    }


def entity_keys(name: str, category: str | None, notes: str | None) -> tuple[str, str, str]:
    """The keys by which an entity is sorted, grouped and searched, as in the Entities module.

    U+001F separates the fields, so that no search matches across two of them.
    """
    return fold(name), fold(category or ""), fold("\x1f".join([name, category or "", notes or ""]))


def _entity_id(request: Request) -> int:
    text = request.parameters[0]
    if not re.fullmatch(r"0|[1-9][0-9]{0,17}", text):
        raise Problem("not-found", f"There is no entity '{text[:40]}'.")
    return int(text)


def _entity(database: sqlite3.Connection, id: int) -> tuple:
    row = database.execute(f"SELECT {ENTITY_COLUMNS} FROM entities WHERE id = ?", (id,)).fetchone()
    if not row:
        raise Problem("not-found", f"There is no entity {id}.")
    return row


def get_entities(server: Server, request: Request) -> Response:
    query = QueryReader(request)
    page, size = query.integer("page", 1, *PAGES), query.integer("size", 20, *SIZES)
    sort = query.choice("sort", "name", ENTITY_ORDERS)
    category, search = query.text("category", CATEGORY_RULE), query.text("search", SEARCH_RULE)
    check(query.errors)
    filters = [("categoryKey IN (SELECT value FROM json_each(?))", json.dumps(forms(category)))] if category else []
    filters += [(SEARCH, json.dumps(forms(search)))] if search else []
    where = " WHERE " + " AND ".join(condition for condition, _ in filters) if filters else ""
    values = [value for _, value in filters]
    # A search has no index to follow; the plus sign keeps SQLite from reading the table in random order.
    order = ENTITY_ORDERS[sort].format("+" if search else "")
    with server.store.reading() as database:
        total = _entity_total(database, where, values, bool(search), bool(category))
        rows = [] if (page - 1) * size >= total else database.execute(
            f"SELECT {ENTITY_COLUMNS} FROM entities{where} ORDER BY {order} LIMIT ? OFFSET ?",
            (*values, size, (page - 1) * size)).fetchall()
    answer = {"rows": list(map(entity_json, rows)), "total": total, "page": page, "size": size}
    return cacheable(request, answer, REVALIDATE)


def _entity_total(
        database: sqlite3.Connection, where: str, values: list, is_search: bool, is_category: bool) -> int:
    """The number of entities that pass the filters; without a search, triggers have counted them."""
    if is_search:
        return database.execute(f"SELECT count(*) FROM entities{where}", values).fetchone()[0]
    if is_category:
        return database.execute(
            "SELECT coalesce(sum(count), 0) FROM categoryTotals WHERE categoryKey IN (SELECT value FROM json_each(?))",
            values).fetchone()[0]
    return database.execute("SELECT count FROM entityTotal").fetchone()[0]


def get_entity(server: Server, request: Request) -> Response:
    with server.store.reading() as database:
        row = _entity(database, _entity_id(request))
    return cacheable(request, entity_json(row), "private, max-age=5")


def get_categories(server: Server, request: Request) -> Response:
    query = QueryReader(request)
    sort = query.choice("sort", "name", ("name", "mostUsed"))
    limit = query.integer("limit", 50, *SIZES)
    check(query.errors)
    order = "categoryKey" if sort == "name" else "count DESC, categoryKey"
    with server.store.reading() as database:
        total = database.execute("SELECT count(*) FROM categoryTotals WHERE categoryKey > ''").fetchone()[0]
        rows = database.execute(
            f"""
            SELECT (
                SELECT category FROM entities WHERE entities.categoryKey = listed.categoryKey
                ORDER BY createdAt, id LIMIT 1
            ), count
            FROM (
                SELECT categoryKey, count FROM categoryTotals WHERE categoryKey > '' ORDER BY {order} LIMIT ?
            ) AS listed
            ORDER BY {order}
            """, (limit,)).fetchall()
    answer = {"rows": [{"name": name, "count": count} for name, count in rows], "total": total}
    return cacheable(request, answer, REVALIDATE)


ENTITY_MEMBERS = ("name", "category", "notes")


def _draft(document: dict) -> tuple[tuple, list[dict]]:
    """Name, category and notes of a new entity, and their errors."""
    reader = DocumentReader(document, ENTITY_MEMBERS)
    draft = (
        reader.field("name", NAME_RULE), reader.field("category", CATEGORY_RULE),
        reader.field("notes", NOTES_RULE))
    return draft, reader.errors


def entity_response(row: tuple, status: int = 200, headers: Iterable[tuple[str, str]] = ()) -> Response:
    body = to_json(entity_json(row))
    return Response(status, body, (JSON_TYPE, ("ETag", entity_tag(body)), *headers))


def post_entity(server: Server, request: Request) -> Response:
    document, content = request.document()
    draft, errors = _draft(document)
    check(errors)

    def change(database: sqlite3.Connection) -> Response:
        moment = now()
        id = database.execute(INSERT_ENTITY, (*draft, moment, moment, *entity_keys(*draft))).lastrowid
        return entity_response((id, *draft, moment, moment), 201, [("Location", f"/v1/entities/{id}")])

    return once(server, request, content, change)


def _require_match(request: Request, row: tuple) -> None:
    known = Tags.of(request, "if-match")
    # A weak tag never matches here: a change needs the strong comparison (RFC 9110, 13.1.1).
    if known and not known.have(entity_tag(to_json(entity_json(row)))):
        raise Problem("precondition-failed", f"The entity {row[0]} is not as it was; read it again.")


def patch_entity(server: Server, request: Request) -> Response:
    id = _entity_id(request)
    document, content = request.document("application/merge-patch+json", "application/json")

    def change(database: sqlite3.Connection) -> Response:
        row = _entity(database, id)
        _require_match(request, row)
        merged = {**dict(zip(ENTITY_MEMBERS, row[1:4])), **document}
        draft, errors = _draft(merged)
        check(errors)
        moment = now()
        database.execute(
            """
            UPDATE entities
            SET name = ?, category = ?, notes = ?, updatedAt = ?, nameKey = ?, categoryKey = ?, searchKey = ?
            WHERE id = ?
            """, (*draft, moment, *entity_keys(*draft), id))
        return entity_response((id, *draft, row[4], moment))

    return once(server, request, content, change)


def delete_entity(server: Server, request: Request) -> Response:
    id = _entity_id(request)

    def change(database: sqlite3.Connection) -> Response:
        row = _entity(database, id)
        _require_match(request, row)
        database.execute("DELETE FROM entities WHERE id = ?", (id,))
        return Response.json(entity_json(row))

    return once(server, request, b"", change)


def post_import(server: Server, request: Request) -> Response:
    request.require_type("application/x-ndjson")
    digest = hashlib.sha256()
    with tempfile.TemporaryFile() as file:
        # The whole body is read before the transaction begins, so that no change waits for a slow client.
        for data in request.chunks(MAXIMUM_IMPORT):
            digest.update(data)
            file.write(data)
        file.seek(0)
        return once(server, request, digest.digest(), lambda database: _import(database, file))


def _import(database: sqlite3.Connection, file: Any) -> Response:
    moment = now()
    errors: list[dict] = []
    count = 0
    rows = []
    for number, line in enumerate(iter(functools.partial(file.readline, MAXIMUM_LINE), b""), 1):
        if not line.strip():
            continue
        draft, found = _draft_of_line(line)
        if found:
            errors += [{"line": number, **error} for error in found]
            if len(errors) >= MAXIMUM_IMPORT_ERRORS or len(line) >= MAXIMUM_LINE:
                break
        elif not errors:
            rows.append((*draft, moment, moment, *entity_keys(*draft)))
            count += 1
            if len(rows) == 1000:
                database.executemany(INSERT_ENTITY, rows)
                rows.clear()
    check(errors[:MAXIMUM_IMPORT_ERRORS])
    database.executemany(INSERT_ENTITY, rows)
    return Response.json({"created": count})


def _draft_of_line(line: bytes) -> tuple[tuple, list[dict]]:
    if len(line) >= MAXIMUM_LINE:
        return (), [finding(None, f"The line takes more than {MAXIMUM_LINE} bytes.")]
    try:
        document = from_json(line)
    except ValueError:
        return (), [finding(None, "The line is not JSON.")]
    if not isinstance(document, dict):
        return (), [finding(None, "The line must be an object.")]
    return _draft(document)


def get_export(server: Server, request: Request) -> Response:
    def lines() -> Iterator[bytes]:
        for rows in server.store.rows(f"SELECT {ENTITY_COLUMNS} FROM entities ORDER BY id"):
            yield b"".join(to_json(entity_json(row)) + b"\n" for row in rows)

    return Response(200, headers=(("Content-Type", "application/x-ndjson"), NO_STORE), stream=lines())


# --- Description and control --------------------------------------------------------------------------------


def get_description(server: Server, request: Request) -> Response:
    path = pathlib.Path(__file__).with_name("openapi.json")
    try:
        return cacheable(request, path.read_bytes(), REVALIDATE)
    except OSError:
        raise Problem("not-found", "There is no description beside the server.") from None


def get_health(server: Server, request: Request) -> Response:
    return Response.json({"status": "ok"}, headers=[NO_STORE])


def post_fault(server: Server, request: Request) -> Response:
    document, _ = request.document()
    reader = DocumentReader(document, ("fault", "path", "method", "count", "skip", "seconds"))
    name, path = reader.text("fault", "The fault"), reader.text("path", "The path")
    method = reader.text("method", "The method")
    count = reader.integer("count", "The count") if "count" in document else 1
    skip = reader.integer("skip", "The skip") or 0
    seconds = document.get("seconds")
    if name not in FAULTS:
        reader.errors.append(finding("fault", f"The fault must be one of {', '.join(FAULTS)}."))
    if count is not None and count < 1:
        reader.errors.append(finding("count", "The count must be at least 1, or null."))
    if skip < 0:
        reader.errors.append(finding("skip", "The skip must be at least 0."))
    if seconds is not None and (
            isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 <= seconds <= 3600):
        reader.errors.append(finding("seconds", "The seconds must be a number from 0 to 3600."))
    check(reader.errors)
    fault = Fault(name, path, method, count, skip, FAULTS[name] if seconds is None else seconds)
    server.faults.add(fault)
    return Response.json(dataclasses.asdict(fault), 201)


def get_faults(server: Server, request: Request) -> Response:
    return Response.json({"rows": server.faults.listed()}, headers=[NO_STORE])


def delete_faults(server: Server, request: Request) -> Response:
    server.faults.clear()
    return Response(204)


def get_statistics(server: Server, request: Request) -> Response:
    return Response.json(server.statistics.listed(), headers=[NO_STORE])


def delete_statistics(server: Server, request: Request) -> Response:
    server.statistics.reset()
    return Response(204)


def post_expire(server: Server, request: Request) -> Response:
    server.tokens.expire_all()
    return Response(204)


# --- Collections of records of any kind ---------------------------------------------------------------------


class Collection:
    """Records under `/v1/NAME`, as a resource of AtriumKit asks for them: objects with any members.

    Rules are the module's: the server checks none, and takes the last change.
    """

    ORDERED = {bool: 1, int: 2, float: 2, str: 3}

    def __init__(self, name: str):
        self.name = name

    def routes(self) -> list[Route]:
        path = f"/v1/{self.name}"
        return [
            Route("GET", path, self.page, OPTIONAL), Route("POST", path, self.create, SIGNED_IN),
            Route("GET", path + "/{id}", self.read, OPTIONAL),
            Route("PATCH", path + "/{id}", self.change, SIGNED_IN),
            Route("DELETE", path + "/{id}", self.delete, SIGNED_IN),
        ]

    def page(self, server: Server, request: Request) -> Response:
        query = QueryReader(request)
        page, size = query.integer("page", 1, *PAGES), query.integer("size", 20, *SIZES)
        search = query.text("search", SEARCH_RULE)
        check(query.errors)
        filters = {name: text for name, text in query.values.items()
                   if name not in ("page", "size", "sort", "search")}
        with server.store.reading() as database:
            rows = [json.loads(row[0]) for row in database.execute(
                "SELECT document FROM records WHERE collection = ? AND document <> '' ORDER BY id",
                (self.name,))]
        rows = [row for row in rows if all(
            not self._spellings(row.get(name)).isdisjoint(forms(text.strip())) for name, text in filters.items())]
        if search:
            rows = [row for row in rows if any(
                isinstance(value, str) and any(form in fold(value) for form in forms(search)) for value in row.values())]
        sort = query.values.get("sort", "id")
        name = sort.removeprefix("-")
        rows.sort(key=lambda row: self._order(row.get(name)))
        if sort.startswith("-"):
            rows.reverse()
        answer = {
            "rows": rows[(page - 1) * size:page * size], "total": len(rows), "page": page, "size": size}
        return cacheable(request, answer, REVALIDATE)

    @staticmethod
    def _spellings(value: Any) -> set[str]:
        """The texts by which a value is asked for."""
        if isinstance(value, bool):
            return {"yes", "true"} if value else {"no", "false"}
        if isinstance(value, (int, float)):
            return {f"{value:g}", f"{value}", f"{value:.2f}"}
        return {fold(value) if isinstance(value, str) else ""}

    def _order(self, value: Any) -> tuple:
        """Missing values first, then Booleans, numbers and texts, each in its order."""
        kind = self.ORDERED.get(type(value), 0)
        return (kind, 0 if kind == 0 else fold(value) if isinstance(value, str) else value)

    def _find(self, database: sqlite3.Connection, request: Request) -> dict:
        text = request.parameters[0]
        row = database.execute(
            "SELECT document FROM records WHERE collection = ? AND id = ? AND document <> ''",
            (self.name, int(text))).fetchone() if re.fullmatch(r"[1-9][0-9]{0,17}", text) else None
        if not row:
            raise Problem("not-found", f"There is nothing at '{request.path[:200]}'.")
        return json.loads(row[0])

    def _store(self, database: sqlite3.Connection, record: dict) -> None:
        database.execute(
            "INSERT OR REPLACE INTO records (collection, id, document) VALUES (?, ?, ?)",
            (self.name, record["id"], json.dumps(record)))

    def read(self, server: Server, request: Request) -> Response:
        with server.store.reading() as database:
            record = self._find(database, request)
        return cacheable(request, record, REVALIDATE)

    def create(self, server: Server, request: Request) -> Response:
        document, content = request.document()

        def change(database: sqlite3.Connection) -> Response:
            id = 1 + database.execute(
                "SELECT coalesce(max(id), 0) FROM records WHERE collection = ?", (self.name,)).fetchone()[0]
            self._store(database, {**document, "id": id})
            return Response.json({**document, "id": id}, 201, [("Location", f"/v1/{self.name}/{id}")])

        return once(server, request, content, change)

    def change(self, server: Server, request: Request) -> Response:
        document, content = request.document("application/merge-patch+json", "application/json")

        def change(database: sqlite3.Connection) -> Response:
            record = self._find(database, request)
            changed = {**record, **document, "id": record["id"]}
            self._store(database, changed)
            return Response.json(changed)

        return once(server, request, content, change)

    def delete(self, server: Server, request: Request) -> Response:
        def change(database: sqlite3.Connection) -> Response:
            record = self._find(database, request)
            # The row stays, so that its id is not given again.
            database.execute(
                "UPDATE records SET document = '' WHERE collection = ? AND id = ?",
                (self.name, record["id"]))
            return Response.json(record)

        return once(server, request, b"", change)


# --- Routes -------------------------------------------------------------------------------------------------

OPEN, OPTIONAL, SIGNED_IN, CONTROL = "open", "optional", "signed in", "control"


@dataclasses.dataclass(frozen=True, slots=True)
class Route:
    """The handler of a path's method."""

    method: str
    pattern: str
    handler: Callable[[Any, Request], Response]
    #: OPEN: tokens are ignored. OPTIONAL: an invalid one is refused. SIGNED_IN: one is required. CONTROL: none,
    #: but only from this machine and with --faults.
    access: str

    @property
    def name(self) -> str:
        return f"{self.method} {self.pattern}"


ROUTES = [
    Route("POST", "/oauth/token", post_token, OPEN),
    Route("POST", "/oauth/revoke", post_revoke, OPEN),
    Route("POST", "/v1/users", post_user, OPTIONAL),
    Route("GET", "/v1/users", get_users, SIGNED_IN),
    Route("GET", "/v1/users/me", get_me, SIGNED_IN),
    Route("GET", "/v1/users/me/sessions", get_sessions, SIGNED_IN),
    Route("DELETE", "/v1/users/me/sessions", delete_sessions, SIGNED_IN),
    Route("GET", "/v1/users/{id}", get_user, SIGNED_IN),
    Route("GET", "/v1/users/{id}/profile", get_profile, SIGNED_IN),
    Route("PUT", "/v1/users/{id}/profile", put_profile, SIGNED_IN),
    Route("GET", "/v1/users/{id}/notifications", get_notifications, SIGNED_IN),
    Route("POST", "/v1/users/{id}/notifications", post_notification, SIGNED_IN),
    Route("GET", "/v1/entities", get_entities, OPTIONAL),
    Route("POST", "/v1/entities", post_entity, SIGNED_IN),
    Route("POST", "/v1/entities/import", post_import, SIGNED_IN),
    Route("GET", "/v1/entities/export", get_export, OPTIONAL),
    Route("GET", "/v1/entities/{id}", get_entity, OPTIONAL),
    Route("PATCH", "/v1/entities/{id}", patch_entity, SIGNED_IN),
    Route("DELETE", "/v1/entities/{id}", delete_entity, SIGNED_IN),
    Route("GET", "/v1/categories", get_categories, OPTIONAL),
    Route("GET", "/openapi.json", get_description, OPEN),
    Route("GET", "/_health", get_health, OPEN),
    Route("POST", "/_faults", post_fault, CONTROL),
    Route("GET", "/_faults", get_faults, CONTROL),
    Route("DELETE", "/_faults", delete_faults, CONTROL),
    Route("GET", "/_stats", get_statistics, CONTROL),
    Route("DELETE", "/_stats", delete_statistics, CONTROL),
    Route("POST", "/_expire", post_expire, CONTROL),
]


class Router:
    """Finds the route of a path; literal segments take precedence over arguments."""

    def __init__(self, routes: list[Route]):
        self._literal: dict[str, dict[str, Route]] = {}
        self._patterns: dict[str, tuple[re.Pattern, dict[str, Route]]] = {}
        for route in routes:
            if "{" not in route.pattern:
                self._literal.setdefault(route.pattern, {})[route.method] = route
                continue
            expression = re.compile(re.sub(r"\{\w+\}", "([^/]+)", route.pattern))
            self._patterns.setdefault(route.pattern, (expression, {}))[1][route.method] = route

    def find(self, path: str) -> tuple[dict[str, Route], tuple[str, ...]]:
        """The routes of a path by method, and the values in it; empty if the path is unknown."""
        if routes := self._literal.get(path):
            return routes, ()
        for expression, routes in self._patterns.values():
            if found := expression.fullmatch(path):
                return routes, found.groups()
        return {}, ()


def allowed_methods(routes: dict[str, Route]) -> str:
    methods = [*routes, "OPTIONS"]
    if "GET" in routes:
        methods.insert(methods.index("GET") + 1, "HEAD")
    return ", ".join(methods)


# --- The server ---------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Options:
    """The server's options."""

    host: str = "127.0.0.1"
    port: int = 8787
    data: str | None = None
    access_life: int = 60
    refresh_life: int = 30 * DAY
    refresh_grace: int = 10
    faults: bool = False
    tls: tuple[str, str] | None = None
    quiet: bool = False
    collections: tuple[str, ...] = ()


class Stop(BaseException):
    """Raised to stop the server."""


class Server:
    """Responds to requests until it is stopped."""

    def __init__(self, options: Options):
        self.options = options
        self.store = Store(options.data)
        self.tokens = Tokens(
            self.store, options.access_life, options.refresh_life, options.refresh_grace)
        self.faults = Faults()
        self.statistics = Statistics(self.tokens)
        collections = [route for name in options.collections for route in Collection(name).routes()]
        if collections:
            with self.store.writing() as database:
                database.execute(
                    "CREATE TABLE IF NOT EXISTS records ("
                    "collection TEXT, id INTEGER, document TEXT NOT NULL, PRIMARY KEY (collection, id))")
        self._router = Router(ROUTES + collections)
        self.stopping = threading.Event()
        self.tls = self._tls_context()

    # Answering

    def respond(self, request: Request) -> Response:
        """The response to a request, or that of a fault."""
        if request.path.startswith("/_"):
            return self._perform(request)
        self._count(request)
        fault = self.faults.next(request.method, request.path)
        if fault is None:
            return self._perform(request)
        if fault.fault == "slow":
            self.stopping.wait(fault.seconds)
            return self._perform(request)
        return _wrong_answer(fault) or _spoilt(fault, self._perform(request))

    def _count(self, request: Request) -> None:
        routes, _ = self._router.find(request.path)
        method = "GET" if request.method == "HEAD" else request.method
        route = routes.get(method)
        self.statistics.count_request(route.name if route else f"{request.method[:20]} unknown")

    def _perform(self, request: Request) -> Response:
        try:
            return self._dispatch(request)
        except Problem as problem:
            return problem.response()
        except ConnectionEnded:
            raise
        except Exception:
            traceback.print_exc(file=sys.stderr)
            return Problem("internal", "The server made a mistake.", closes=True).response()

    def _dispatch(self, request: Request) -> Response:
        if request.path == "*":
            return Response(204, headers=(("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),))
        routes, values = self._router.find(request.path)
        if not routes or not self._is_reachable(next(iter(routes.values())), request):
            raise Problem("not-found", f"There is nothing at '{request.path[:200]}'.")
        if request.method == "OPTIONS":
            return Response(204, headers=(("Allow", allowed_methods(routes)),))
        route = routes.get("GET" if request.method == "HEAD" else request.method)
        if route is None:
            raise Problem(
                "method-not-allowed", f"The path '{request.path[:200]}' does not know that method.",
                headers=[("Allow", allowed_methods(routes))])
        request.parameters = tuple(unescape(value, "path") for value in values)
        self._authenticate(route, request)
        return route.handler(self, request)

    def _is_reachable(self, route: Route, request: Request) -> bool:
        if route.access != CONTROL:
            return True
        return self.options.faults and request.handler.client_address[0] in ("127.0.0.1", "::1")

    def _authenticate(self, route: Route, request: Request) -> None:
        if route.access in (OPEN, CONTROL):
            return
        header = request.headers.get("authorization")
        if header is None:
            if route.access == SIGNED_IN:
                raise unauthenticated("The request needs an access token.")
            return
        scheme, _, token = header.partition(" ")
        if scheme.lower() != "bearer":
            raise unauthenticated("The request needs an access token of type Bearer.")
        claims = self.tokens.authenticate(token.strip())
        request.user, request.session = claims.user, claims.session

    # Serving

    def _tls_context(self) -> ssl.SSLContext | None:
        if not self.options.tls:
            return None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.options.tls)
        context.set_alpn_protocols(["http/1.1"])
        return context

    def run(self, announce: Callable[[str], None]) -> None:
        """Serves until Stop is raised in this thread, then lets running requests end."""
        with Listener(self) as listener:
            host = f"[{self.options.host}]" if ":" in self.options.host else self.options.host
            scheme = "https" if self.tls else "http"
            try:
                announce(f"{scheme}://{host}:{listener.server_address[1]}")
                listener.serve_forever()
            except Stop:
                pass
        self.stopping.set()
        if not listener.end():
            # A running change is rolled back when the file is next opened; it was not acknowledged.
            sys.stdout.flush()
            os._exit(0)
        self.tokens.save()
        self.store.close()


class Listener(http.server.ThreadingHTTPServer):
    """Accepts connections, with a thread for each."""

    request_queue_size = 4096
    block_on_close = False

    def __init__(self, server: Server):
        self.server = server
        self.handlers: set[Handler] = set()
        self.lock = threading.Lock()
        host = server.options.host
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, server.options.port), Handler)

    def server_bind(self) -> None:
        # HTTPServer would also look up the name of this machine.
        socketserver.TCPServer.server_bind(self)

    def get_request(self) -> tuple[socket.socket, Any]:
        try:
            accepted = super().get_request()
        except OSError as error:
            # No file descriptors are left; open connections will be closed.
            print(f"A connection was not accepted: {error.strerror}.", file=sys.stderr)
            time.sleep(0.05)
            raise
        self.server.statistics.count_connection()
        return accepted

    def finish_request(self, request: socket.socket, client_address: Any) -> None:
        if not self.server.tls:
            return super().finish_request(request, client_address)
        request.settimeout(IDLE_SECONDS)
        with self.server.tls.wrap_socket(request, server_side=True) as encrypted:
            super().finish_request(encrypted, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client that disconnects is no error.
        if not isinstance(sys.exc_info()[1], OSError):
            traceback.print_exc(file=sys.stderr)

    def end(self) -> bool:
        """Closes idle connections and waits for running requests; returns whether all ended in time."""
        deadline = time.monotonic() + GRACE_SECONDS
        while True:
            with self.lock:
                handlers = list(self.handlers)
            if not handlers:
                return True
            for handler in handlers:
                if handler.is_idle:
                    with contextlib.suppress(OSError):
                        handler.connection.shutdown(socket.SHUT_RD)
            if time.monotonic() > deadline:
                return False
            time.sleep(0.01)


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves one connection to its end."""

    protocol_version = "HTTP/1.1"
    timeout = IDLE_SECONDS
    disable_nagle_algorithm = True
    wbufsize = 64 * KIB
    #: Whether no request has begun, so that the server may close the connection.
    is_idle = True
    #: Attributes that the library needs to respond to an unreadable request.
    request_version = protocol_version

    def handle(self) -> None:
        listener: Listener = self.server
        self.service = listener.server
        with listener.lock:
            listener.handlers.add(self)
        try:
            super().handle()
        except (ConnectionEnded, OSError):
            pass
        finally:
            with listener.lock:
                listener.handlers.discard(self)

    def handle_one_request(self) -> None:
        """Responds to one request; `close_connection` says whether another can follow."""
        self.close_connection = True
        request, start = None, time.perf_counter()
        try:
            if not self.read_head():
                return
            start = time.perf_counter()
            request = Request(self)
            response = self.service.respond(request)
        except Problem as problem:
            response = problem.response()
        if not self.service.options.quiet:
            self.log(request, response, start)
        if response.is_silent:
            self.close_connection = True
            return
        self.close_connection = (
            self.close_connection or request is None or response.closes or response.cut is not None
            or self.service.stopping.is_set() or not self.drain(request))
        self.send(request, response)
        if request is None or request.has_unread_body:
            self.linger()

    def read_head(self) -> bool:
        """Reads the request line and the headers; false if there are no more requests.

        The library is lenient, so ambiguous requests are refused before it parses them.
        """
        self.is_idle = True
        self.rfile.peek(1)
        self.is_idle = False
        lines, size = [], 0
        while not lines or lines[-1] != b"\r\n":
            line = self.rfile.readline(MAXIMUM_HEAD + 1)
            size += len(line)
            if size > MAXIMUM_HEAD:
                raise Problem(
                    "headers-too-large", f"The headers take more than {MAXIMUM_HEAD} bytes.", closes=True)
            # Empty lines before a request are skipped (RFC 9112, 2.2).
            if lines or line != b"\r\n":
                lines.append(line)
            if not line:
                return False
        if not _REQUEST_LINE.fullmatch(lines[0]):
            raise Problem("bad-request", "The request line is not one of HTTP/1.1.", closes=True)
        if not all(_HEADER_LINE.fullmatch(line) for line in lines[1:-1]):
            raise Problem("bad-request", "A header is not a name, a colon and a value.", closes=True)
        self.raw_requestline = lines[0]
        body, self.rfile = self.rfile, io.BytesIO(b"".join(lines[1:]))
        try:
            self.parse_request()
        finally:
            self.rfile = body
        return True

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Reports an error that the library found in the headers."""
        name = "headers-too-large" if code == 431 else "bad-request"
        raise Problem(name, f"The request can't be read: {message}.", closes=True)

    def handle_expect_100(self) -> bool:
        # "100 Continue" is sent when the body is read.
        return True

    def drain(self, request: Request) -> bool:
        """Reads the rest of a body if it is short; returns whether the next request can follow."""
        if not request.has_unread_body:
            return True
        if request.expects_continue:
            return False
        try:
            for _ in request.chunks(64 * KIB):
                pass
        except Problem:
            return False
        return True

    def linger(self) -> None:
        """Reads on briefly: closing with unread bytes resets the connection and loses the response."""
        with contextlib.suppress(OSError):
            self.connection.settimeout(2)
            self.connection.shutdown(socket.SHUT_WR)
            for _ in range(1024):
                if not self.rfile.read1(64 * KIB):
                    return

    def send(self, request: Request | None, response: Response) -> None:
        is_chunked = response.stream is not None and request is not None and request.version == "HTTP/1.1"
        self.send_response_only(response.status)
        self.send_header("Date", self.date_time_string())
        for name, value in response.headers:
            self.send_header(name, value)
        if is_chunked:
            self.send_header("Transfer-Encoding", "chunked")
        elif response.stream is not None:
            self.close_connection = True
        elif response.status not in (204, 304):
            self.send_header("Content-Length", str(len(response.body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        elif request.version == "HTTP/1.0":
            self.send_header("Connection", "keep-alive")
        self.end_headers()
        if (request is None or request.method != "HEAD") and response.status not in (204, 304):
            if response.stream is None:
                self.wfile.write(response.body if response.cut is None else response.body[:response.cut])
            else:
                self.send_stream(response.stream, is_chunked)
        self.wfile.flush()

    def send_stream(self, stream: Iterator[bytes], is_chunked: bool) -> None:
        with contextlib.closing(stream):
            for data in stream:
                self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data) if is_chunked else data)
            if is_chunked:
                self.wfile.write(b"0\r\n\r\n")

    def log(self, request: Request | None, response: Response, start: float) -> None:
        """A line for each request, without query and headers, which may be secret."""
        what = f"{request.method} {request.path}" if request else "a broken request"
        status = "no answer" if response.is_silent else response.status
        print(f"{what} {status} {(time.perf_counter() - start) * 1000:.1f} ms", file=sys.stderr)


# --- Initial data -------------------------------------------------------------------------------------------

SEED_PASSWORD = "correct horse"
SEED_MOMENT = 1_767_258_000_000_000  # 2026-01-01T09:00:00Z, as in the mock data of the Entities module
SEED_USERS = [
    ("uada", "ada@example.com", "active", ("Ada", "Lovelace", 36,
     "Wrote the first program, for a machine that was not built.")),
    ("ugrace", "grace@example.com", "active", ("Grace", "Hopper", 85,
     "Hands out nanoseconds: 11.8 inches of wire.")),
    ("ualan", "alan@example.com", "inactive", ("Alan", "Turing", 41,
     "Asked whether machines can think, and ran to work.")),
]
SEED_ENTITIES = [
    ("Blue lamp", "lighting", "Stands by the reading chair."),
    ("Desk lamp", "lighting", "Needs a new bulb (E14)."),
    ("Paper lantern", "lighting", None),
    ("Candle holder", "lighting", "Brass, a pair."),
    ("Floor lamp", "lighting", "Three levels of light."),
    ("String lights", "lighting", "For the balcony."),
    ("Red chair", "seats", "The leg on the left is loose."),
    ("Rocking chair", "seats", None),
    ("Bar stool", "seats", "One of two."),
    ("Sofa", "seats", "Three seats, grey."),
    ("Footstool", "seats", None),
    ("Garden bench", "seats", "Oil it every spring."),
    ("Oak table", "tables", "Seats six."),
    ("Coffee table", "tables", None),
    ("Writing desk", "tables", "Drawer key is in the drawer."),
    ("Side table", "tables", None),
    ("Workbench", "tables", "Bolted to the wall."),
    ("Bookshelf", "storage", "Five shelves, full."),
    ("Wardrobe", "storage", None),
    ("Chest of drawers", "storage", "From the flea market."),
    ("Shoe rack", "storage", None),
    ("Spice rack", "storage", "Alphabetical."),
    ("Filing cabinet", "storage", "Taxes since 2014."),
    ("Persian rug", "textiles", "2 m by 3 m."),
    ("Wool blanket", "textiles", None),
    ("Linen curtains", "textiles", "Wash at 30 °C."),
    ("Cushion", "textiles", "Green velvet."),
    ("Table cloth", "textiles", None),
    ("Espresso machine", "kitchen", "Descale in March."),
    ("Kettle", "kitchen", None),
    ("Cast-iron pan", "kitchen", "Never soap."),
    ("Chef's knife", "kitchen", "Sharpened last week."),
    ("Cutting board", "kitchen", None),
    ("Toaster", "kitchen", "Level 3 is right."),
    ("Mixing bowl", "kitchen", "Set of three."),
    ("Monstera", "plants", "Water on Sundays."),
    ("Cactus", "plants", None),
    ("Olive tree", "plants", "Indoors below 0 °C."),
    ("Basil", "plants", "On the window sill."),
    ("Fern", "plants", "Likes shade."),
    ("Record player", "electronics", "33 and 45."),
    ("Radio", "electronics", None),
    ("Projector", "electronics", "Lamp: 1,200 hours left."),
    ("Loudspeaker", "electronics", "One of two."),
    ("Umbrella", None, "Lost twice, found twice."),
    ("Box of cables", None, None),
]


def seed(store: Store) -> None:
    """Adds the initial users and entities, if there are none."""
    with store.reading() as database:
        has_users = database.execute("SELECT 1 FROM users").fetchone()
        has_entities = database.execute("SELECT 1 FROM sqlite_sequence WHERE name = 'entities'").fetchone()
    hashes = [] if has_users else [hash_password(SEED_PASSWORD) for _ in SEED_USERS]
    with store.writing() as database:
        for (id, email, status, profile), password_hash in zip(SEED_USERS, hashes):
            insert_user(database, (id, email, None, status, SEED_MOMENT), password_hash)
            store_profile(database, id, email, profile)
        if not has_entities:
            database.executemany(INSERT_ENTITY, _seed_rows())


def _seed_rows() -> Iterator[tuple]:
    for index, draft in enumerate(SEED_ENTITIES):
        moment = SEED_MOMENT + index * 3_600_000_000
        yield (*draft, moment, moment, *entity_keys(*draft))


ADJECTIVES = [
    "Blue", "Red", "Old", "New", "Small", "Large", "Round", "Oak", "Brass", "Paper", "Garden", "Folding"]
NOUNS = [
    "lamp", "chair", "table", "shelf", "rug", "kettle", "clock", "mirror", "bench", "basket", "frame",
    "radio"]
CATEGORIES = [None, "lighting", "seats", "tables", "storage", "textiles", "kitchen", "electronics"]


def fill(store: Store, count: int) -> None:
    """Adds generated entities, the same in every run, until there are `count`."""
    chance = random.Random(7)
    with store.writing() as database:
        present = database.execute("SELECT count FROM entityTotal").fetchone()[0]
        database.executemany(INSERT_ENTITY, (_made_up(chance, number) for number in range(present, count)))


def _made_up(chance: random.Random, number: int) -> tuple:
    name = f"{chance.choice(ADJECTIVES)} {chance.choice(NOUNS)} {chance.randrange(10 ** 6)}"
    draft = (name, chance.choice(CATEGORIES), "Made of zirconium." if number % 1000 == 0 else None)
    moment = SEED_MOMENT + number * 1_000_000
    return (*draft, moment, moment, *entity_keys(*draft))


# --- The command line ---------------------------------------------------------------------------------------


def _arguments() -> argparse.Namespace:
    def seconds(text: str) -> int:
        if (value := int(text)) < 1:
            raise argparse.ArgumentTypeError("must be at least 1")
        return value

    def grace(text: str) -> int:
        if (value := int(text)) < 0:
            raise argparse.ArgumentTypeError("must not be negative")
        return value

    def port(text: str) -> int:
        if not 0 <= (value := int(text)) <= 65535:
            raise argparse.ArgumentTypeError("must be from 0 to 65535")
        return value

    def collection(text: str) -> str:
        if not re.fullmatch(r"[a-z][a-z0-9_-]*", text):
            raise argparse.ArgumentTypeError("must be a word of small letters")
        if any(route.pattern.split("/")[1:3] == ["v1", text] for route in ROUTES):
            raise argparse.ArgumentTypeError(f"/v1/{text} is the server's own")
        return text

    parser = argparse.ArgumentParser(description="The reference server of Atrium.")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (%(default)s)")
    parser.add_argument("--port", type=port, default=8787, help="0 for a free one (%(default)s)")
    parser.add_argument("--data", metavar="FILE", help="keep everything in a SQLite file; in memory without")
    parser.add_argument(
        "--access-life", type=seconds, default=60, metavar="S", help="of access tokens (%(default)s)")
    parser.add_argument(
        "--refresh-life", type=seconds, default=30 * DAY, metavar="S", help="of refresh tokens (%(default)s)")
    parser.add_argument(
        "--refresh-grace", type=grace, default=10, metavar="S",
        help="how long a used refresh token gives the same successor; with 0 it works once (%(default)s)")
    parser.add_argument("--faults", action="store_true", help="allow /_faults, /_stats and /_expire")
    parser.add_argument("--seed", action="store_true", help="begin with three users and 46 entities")
    parser.add_argument(
        "--rows", type=int, default=0, metavar="N", help="add made-up entities until there are N")
    parser.add_argument(
        "--collection", type=collection, action="append", default=[], metavar="NAME",
        help="serve records of any kind under /v1/NAME")
    parser.add_argument("--tls", nargs=2, metavar=("CERT", "KEY"), help="serve HTTPS with files in PEM")
    parser.add_argument("--quiet", action="store_true", help="print no line for each request")
    return parser.parse_args()


def _stop(*_: Any) -> None:
    # Only once: a second signal must not interrupt the shutdown.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise Stop


def allow_many_connections() -> None:
    """Raises the limit of file descriptors as far as possible, and reduces the stack size of threads."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = 65536 if hard == resource.RLIM_INFINITY else min(hard, 65536)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
    threading.stack_size(512 * KIB)


def main() -> int:
    # The parent's thread may have blocked signals, which a child process inherits.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGINT})
    arguments = _arguments()
    options = Options(
        host=arguments.host, port=arguments.port, data=arguments.data, access_life=arguments.access_life,
        refresh_life=arguments.refresh_life, refresh_grace=arguments.refresh_grace, faults=arguments.faults,
        tls=tuple(arguments.tls) if arguments.tls else None, quiet=arguments.quiet,
        collections=tuple(arguments.collection))
    allow_many_connections()
    try:
        signal.signal(signal.SIGTERM, _stop)
        signal.signal(signal.SIGINT, _stop)
        server = Server(options)
        if arguments.seed:
            seed(server.store)
        if arguments.rows:
            fill(server.store, arguments.rows)
        server.run(lambda address: print(f"Listening on {address}", flush=True))
    except Stop:
        return 0
    except StoreError as error:
        print(f"server.py: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        place = f"{options.host}:{options.port}"
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error
        print(f"server.py: {place} can't be used: {reason}.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
