#!/usr/bin/env python3
"""Stands between a client and a PostgreSQL server, and loses what it should not, for tests.

    Demos/postgres/relay.py URL    listen on a socket of its own, print its URL, and relay until SIGTERM

The answer to the first COMMIT of the whole run that follows a statement with 'lose this answer' in it is lost: the
server does it, and the client finds its connection closed. From a statement with 'cut off' in it nothing passes any
more, as if the network was gone; connections stay open.
"""

import asyncio
import signal
import sys
import tempfile
import urllib.parse

LOSS = b"lose this answer"
CUT = b"cut off"


class Relay:
    """All connections of a run."""

    def __init__(self, path):
        self.path = path
        self.armed = False
        self.lost = False
        self.cut = False

    async def connect(self, reader, writer):
        server_reader, server_writer = await asyncio.open_unix_connection(self.path)
        loses = asyncio.Event()
        await asyncio.gather(
            self.up(reader, server_writer, loses), self.down(server_reader, writer, loses), return_exceptions=True)

    async def up(self, reader, writer, loses):
        while data := await reader.read(65_536):
            self.armed = self.armed or LOSS in data
            self.cut = self.cut or CUT in data
            if self.cut:
                continue
            if self.armed and not self.lost and b"COMMIT\0" in data:
                self.lost = True
                loses.set()
            writer.write(data)
            await writer.drain()
        writer.close()

    @staticmethod
    async def down(reader, writer, loses):
        while data := await reader.read(65_536):
            if loses.is_set():
                break
            writer.write(data)
            await writer.drain()
        writer.close()


async def main(url):
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)
    relay = Relay(query["host"][0] + "/.s.PGSQL.5432")
    with tempfile.TemporaryDirectory(prefix="atrium-relay-") as folder:
        await asyncio.start_unix_server(relay.connect, folder + "/.s.PGSQL.5432")
        print("Listening on", f"postgresql:///atrium?host={folder}&user=atrium", flush=True)
        ended = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
        await ended.wait()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    asyncio.run(main(sys.argv[1]))
