#!/usr/bin/env python3
"""A REST backend in the style of FastAPI's documentation. It differs from server.py beside it in most of what a client
has to know: a sign-in by OAuth2's password form for a client and a scope, tokens that can't be renewed, an API key,
integer ids, times without a zone, pages by cursor with the next one's link in the header field Link, whole records in
PUT, errors as lists.

    fastapi_server.py [--port PORT]

Prints "Listening on URL"; forgets its data when it ends. User ada@example.com has the password "correct horse", the
client is "atrium", the scope "items", and the key, in X-API-Key, "key-of-the-shop". There are 45 items.
For tests, SIGUSR1 expires every token.
"""

import argparse
import datetime
import secrets
import signal
import socket
from typing import Annotated

import uvicorn
from fastapi import Depends, FastAPI, HTTPException, Query, Request, Response
from fastapi.responses import JSONResponse
from fastapi.security import APIKeyHeader, OAuth2PasswordBearer, OAuth2PasswordRequestFormStrict
from pydantic import BaseModel, Field


class ItemValues(BaseModel):
    name: str = Field(min_length=1, max_length=100)
    category: str | None = Field(default=None, max_length=50)
    quantity: int = Field(default=1, ge=0, le=999)
    archived: bool = False


class Item(ItemValues):
    id: int
    updated: datetime.datetime


def stored(number: int, values: ItemValues) -> Item:
    """Stores an item, with the present time in UTC, without a zone."""
    now = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
    items[number] = Item(id=number, updated=now, **values.model_dump())
    return items[number]


def require_key(key: Annotated[str, Depends(APIKeyHeader(name="X-API-Key"))]):
    if not secrets.compare_digest(key, "key-of-the-shop"):
        raise HTTPException(403, "Invalid API key")


def signed_in(token: Annotated[str, Depends(OAuth2PasswordBearer(tokenUrl="api/token"))]) -> str:
    if token not in tokens:
        raise HTTPException(401, "Could not validate credentials", {"WWW-Authenticate": "Bearer"})
    email, scopes = tokens[token]
    if "items" not in scopes:
        raise HTTPException(403, "Not enough permissions")
    return email


User = Annotated[str, Depends(signed_in)]
app = FastAPI(dependencies=[Depends(require_key)])
tokens: dict[str, tuple[str, list[str]]] = {}
items: dict[int, Item] = {}
for number in range(1, 46):
    items[number] = Item(id=number, name=f"Item {number:02}", category="Lighting" if number == 7 else None,
                         updated="2026-01-02T09:30:00")


@app.post("/api/token")
def sign_in(form: Annotated[OAuth2PasswordRequestFormStrict, Depends()]):
    if form.client_id != "atrium":
        return JSONResponse({"error": "invalid_client"}, 401)
    if (form.username, form.password) != ("ada@example.com", "correct horse"):
        raise HTTPException(401, "Incorrect username or password", {"WWW-Authenticate": "Bearer"})
    token = secrets.token_urlsafe()
    tokens[token] = form.username, form.scopes
    return {"access_token": token, "token_type": "bearer"}


@app.get("/api/users/me")
def me(email: User):
    return {"id": 7, "email": email}


@app.get("/api/items")
def page(request: Request, response: Response, user: User, search: str = "", category: str = "",
         sort: Annotated[str, Query(pattern="^-?(id|name|quantity)$")] = "id", cursor: Annotated[int, Query(ge=0)] = 0,
         limit: Annotated[int, Query(ge=1, le=100)] = 20) -> list[Item]:
    found = [item for item in items.values() if search.lower() in item.name.lower()
             and category.lower() in ["", (item.category or "").lower()]]
    found.sort(key=lambda item: (getattr(item, sort.lstrip("-")), item.id), reverse=sort.startswith("-"))
    if len(found) > cursor + limit:
        response.headers["Link"] = f'<{request.url.include_query_params(cursor=cursor + limit)}>; rel="next"'
    return found[cursor:cursor + limit]


@app.post("/api/items", status_code=201)
def create(values: ItemValues, user: User) -> Item:
    return stored(max(items, default=0) + 1, values)


@app.get("/api/items/{number}")
def item(number: int, user: User) -> Item:
    if number not in items:
        raise HTTPException(404, "Item not found")
    return items[number]


@app.put("/api/items/{number}")
def replace(number: int, values: ItemValues, user: User) -> Item:
    item(number, user)
    return stored(number, values)


@app.delete("/api/items/{number}", status_code=204)
def delete(number: int, user: User):
    del items[item(number, user).id]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    listener = socket.create_server(("127.0.0.1", parser.parse_args().port))
    # Without it, a body waits 40 ms for the acknowledgement of its head; asyncio sets it for sockets that it makes.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    signal.signal(signal.SIGUSR1, lambda *_: tokens.clear())
    print(f"Listening on http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="critical")).run([listener])
