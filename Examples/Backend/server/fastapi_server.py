#!/usr/bin/env python3
"""A backend as FastAPI's documentation has it: OAuth2's password form without a refresh token, integer ids, times without
a zone, pages by cursor in the header field Link, errors as lists of loc and msg, an API key.

    fastapi_server.py [--port PORT]

Prints "Listening on URL"; forgets its data when it ends. User ada@example.com has the password "correct horse", and the
server 45 items. Every request needs "X-API-Key: key-of-the-shop"; the token's client is "atrium", its scope "items".
"""

import argparse
import datetime
import secrets
import socket
from typing import Annotated

import uvicorn
from fastapi import Depends, FastAPI, HTTPException, Query, Request, Response
from fastapi.security import APIKeyHeader, OAuth2PasswordBearer, OAuth2PasswordRequestForm
from pydantic import BaseModel, Field


class NewItem(BaseModel):
    name: str = Field(min_length=1, max_length=100)
    category: str | None = Field(default=None, max_length=50)
    quantity: int = Field(default=1, ge=0, le=999)
    archived: bool = False


class Item(NewItem):
    id: int
    updated: datetime.datetime


def now():
    return datetime.datetime.now(datetime.UTC).replace(tzinfo=None)


def require_key(key: Annotated[str, Depends(APIKeyHeader(name="X-API-Key"))]):
    if not secrets.compare_digest(key, "key-of-the-shop"):
        raise HTTPException(403, "The API key is not valid")


app = FastAPI(dependencies=[Depends(require_key)])
tokens: dict[str, str] = {}
items = {number: Item(id=number, name=f"Item {number}", updated=now()) for number in range(1, 46)}


def user(token: Annotated[str, Depends(OAuth2PasswordBearer(tokenUrl="api/token"))]):
    if token not in tokens:
        raise HTTPException(401, "Could not validate credentials", {"WWW-Authenticate": "Bearer"})
    return tokens[token]


User = Annotated[str, Depends(user)]


@app.post("/api/token")
def sign_in(form: Annotated[OAuth2PasswordRequestForm, Depends()]):
    if form.client_id != "atrium" or form.scopes != ["items"]:
        raise HTTPException(422, "The client or its scope is not known")
    if (form.username, form.password) != ("ada@example.com", "correct horse"):
        raise HTTPException(401, f"Incorrect username or password: {form.password!r}")
    token = secrets.token_urlsafe()
    tokens[token] = form.username
    return {"access_token": token, "token_type": "bearer"}


@app.get("/api/users/me")
def me(email: User):
    return {"id": 7, "email": email}


@app.get("/api/items")
def list_items(request: Request, response: Response, email: User, search: str = "", cursor: int = 0,
               limit: Annotated[int, Query(le=100)] = 20) -> list[Item]:
    rows = [item for item in items.values() if item.id > cursor and search.lower() in item.name.lower()]
    if len(rows) > limit:
        url = request.url.include_query_params(cursor=rows[limit - 1].id)
        response.headers["Link"] = f'<{url}>; rel="next"'
    return rows[:limit]


@app.post("/api/items", status_code=201)
def create(item: NewItem, email: User) -> Item:
    number = max(items, default=0) + 1
    items[number] = Item(id=number, updated=now(), **item.model_dump())
    return items[number]


@app.get("/api/items/{number}")
def read(number: int, email: User) -> Item:
    if number not in items:
        raise HTTPException(404, "Item not found")
    return items[number]


@app.put("/api/items/{number}")
def replace(number: int, item: NewItem, email: User) -> Item:
    read(number, email)
    items[number] = Item(id=number, updated=now(), **item.model_dump())
    return items[number]


@app.delete("/api/items/{number}", status_code=204)
def delete(number: int, email: User):
    del items[read(number, email).id]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    listener = socket.create_server(("127.0.0.1", parser.parse_args().port))
    print(f"Listening on http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="critical")).run([listener])
