"""Uses a host through the Python SDK of the Model Context Protocol, which is not the project's.

Usage: story.py --host EXECUTABLE --modules FOLDER
"""

import argparse
import asyncio
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings

from mcp import Client, MCPError, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPDeprecationWarning

# What the host speaks is older than the newest version that the SDK knows.
warnings.simplefilter("ignore", MCPDeprecationWarning)

parser = argparse.ArgumentParser()
parser.add_argument("--host", required=True)
parser.add_argument("--modules", required=True)
options = parser.parse_args()
LIMIT = 60
NOWHERE = open(os.devnull, "w")


class Site:
    """A folder with the data of a host, and the options that name it."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="atrium-mcp-")
        self.configuration = os.path.join(self.folder, "modules.json")
        with open(self.configuration, "w") as file:
            modules = [{"name": "Session"}, {"name": "Entities"}]
            json.dump({"searchPaths": [options.modules], "modules": modules, "environment": "mock"}, file)

    @property
    def arguments(self):
        return ["--data", os.path.join(self.folder, "data"), "--config", self.configuration]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)


class Listener:
    """Takes what a host says by itself."""

    def __init__(self):
        self.messages = []
        self.news = asyncio.Event()

    async def __call__(self, message):
        self.messages.append(message)
        self.news.set()

    async def wait_for(self, kind):
        while not any(isinstance(message, kind) for message in self.messages):
            self.news.clear()
            await asyncio.wait_for(self.news.wait(), LIMIT)
        found = [message for message in self.messages if isinstance(message, kind)]
        self.messages = [message for message in self.messages if not isinstance(message, kind)]
        return found


@contextlib.asynccontextmanager
async def client(site, *arguments, listener=None, **more):
    server = StdioServerParameters(
        command=options.host, args=["mcp", *site.arguments, *arguments], env={"STORY_PASSWORD": "secret-1234"})
    transport = stdio_client(server, errlog=NOWHERE)
    async with Client(transport, message_handler=listener, read_timeout_seconds=LIMIT, cache=None, **more) as client:
        yield client


def check(condition, *explanation):
    if not condition:
        raise AssertionError(" ".join(str(part)[:2000] for part in explanation))


def text(result):
    return result.content[0].text


async def names(client):
    found, cursor = [], None
    while True:
        page = await client.list_tools(cursor=cursor)
        found += [tool.name for tool in page.tools]
        cursor = page.next_cursor
        if cursor is None:
            return found


async def error_of(call):
    try:
        await call
    except MCPError as error:
        return error.error
    raise AssertionError("It did not fail.")


# --- The steps


async def reading(site):
    """Without --allow there are only tools that read; others say how to allow them."""
    async with client(site) as one:
        check(one.protocol_version == "2025-11-25", one.protocol_version)
        check(one.server_info.name == "atrium" and "only read" in one.instructions, one.instructions)
        tools = (await one.list_tools()).tools
        check(all(tool.annotations.read_only_hint for tool in tools), tools)
        check("entities_list" in [tool.name for tool in tools], tools)
        for name in ["entities_create", "entities_export", "entities_delete", "host_backup", "host_exit"]:
            check(name not in [tool.name for tool in tools], name)

        refused = await one.call_tool("entities_create", {"name": "Lamp"})
        error = refused.structured_content["error"]
        check(refused.is_error and error["code"] == "notAllowed", refused)
        check(error["hint"].endswith("atrium mcp --allow changes"), error)
        rows = (await one.call_tool("entities_list", {"search": "Lamp"})).structured_content
        check(all(row["name"] != "Lamp" for row in rows["rows"]), rows)


async def tools(site):
    """Schemas follow from arguments, and calls have text and structured content."""
    async with client(site, "--allow", "changes") as one:
        tools = {tool.name: tool for tool in (await one.list_tools()).tools}
        create = tools["entities_create"]
        check(create.input_schema["required"] == ["name"], create)
        check(create.input_schema["properties"]["name"]["type"] == "string", create)
        check(not create.annotations.read_only_hint and not create.annotations.destructive_hint, create)
        check("entities_delete" not in tools, list(tools))
        page = tools["entities_list"].input_schema["properties"]["page"]
        check(page["type"] == "integer" and page["default"] == 1, page)
        check(tools["host_modules"].annotations.idempotent_hint, tools["host_modules"])

        made = await one.call_tool("entities_create", {"name": "Lamp", "category": "lighting"})
        check(not made.is_error and made.structured_content["name"] == "Lamp", made)
        check(text(made).startswith("Created 'Lamp'."), made)
        number = made.structured_content["id"]
        changed = await one.call_tool("entities_id_update", {"id": number, "name": "Lantern"})
        check(changed.structured_content["name"] == "Lantern", changed)
        modules = await one.call_tool("host_modules", {})
        check([row["name"] for row in modules.structured_content["rows"]] == ["Session", "Entities"], modules)


async def forms(site):
    """A screen that a session opens keeps its state over calls."""
    async with client(site, "--allow", "changes") as one:
        await one.call_tool("host_open", {"link": "entities/new"})
        await one.call_tool("entities_new_set", {"field": "name", "value": "Vase"})
        saved = await one.call_tool("entities_new_save", {})
        check(not saved.is_error and saved.structured_content["message"] == "Created 'Vase'.", saved)


async def errors(site):
    """What fails says code, message and hint; what the protocol does not know is its own error."""
    async with client(site, "--allow", "changes") as one:
        wrong = await one.call_tool("entities_list", {"page": "many"})
        check(wrong.is_error and wrong.structured_content["error"]["code"] == "invalidArgument", wrong)
        missing = await one.call_tool("entities_create", {})
        check(missing.structured_content["error"]["hint"] == "Add 'name', a text.", missing)
        unknown = await one.call_tool("entities_create", {"name": "A", "nmae": "B"})
        check(unknown.structured_content["error"]["hint"] == "Did you mean 'name'?", unknown)
        gone = await one.call_tool("entities_id_refresh", {"id": 9999})
        check(gone.is_error and gone.structured_content["error"]["code"] == "notFound", gone)
        error = await error_of(one.call_tool("entities_mke", {}))
        check(error.code == -32602, error)
        error = await error_of(one.read_resource("atrium:///nowhere"))
        check(error.code == -32002 and error.data["code"] == "notFound", error)
        error = await error_of(one.list_tools(cursor="nonsense"))
        check(error.code == -32602, error)


async def secrets(site):
    """A secret is never an argument in plain, and never in a result."""
    async with client(site, "--allow", "changes") as one:
        tools = {tool.name: tool for tool in (await one.list_tools()).tools}
        schema = tools["session_sign-in"].input_schema["properties"]["password"]
        check(schema["pattern"] == "^@(env|file):.+", schema)
        plain = await one.call_tool("session_sign-up", {"email": "a@example.com", "password": "secret-1234"})
        check(plain.structured_content["error"]["code"] == "plainSecret", plain)
        check("secret-1234" not in plain.model_dump_json(), plain)
        arguments = {"email": "a@example.com", "password": "@env:STORY_PASSWORD"}
        done = await one.call_tool("session_sign-up", arguments)
        check(not done.is_error and "secret-1234" not in done.model_dump_json(), done)
        where = await one.call_tool("host_where", {})
        check("a@example.com" in text(where), where)


async def resources(site):
    """Screens are resources with JSON, and a subscription tells when one changes."""
    listener = Listener()
    async with client(site, "--allow", "changes", listener=listener) as one:
        found = {str(resource.uri): resource for resource in (await one.list_resources()).resources}
        check(found["atrium:///entities"].mime_type == "application/json", found)
        templates = [item.uri_template for item in (await one.list_resource_templates()).resource_templates]
        check("atrium:///entities/{id}" in templates, templates)
        content = (await one.read_resource("atrium:///entities/1")).contents[0]
        check(json.loads(content.text)["id"] == 1, content)

        await one.subscribe_resource("atrium:///entities?search=Stool")
        await one.call_tool("entities_create", {"name": "Stool"})
        updates = await listener.wait_for(types.ResourceUpdatedNotification)
        check(str(updates[0].params.uri) == "atrium:///entities?search=Stool", updates)
        content = (await one.read_resource("atrium:///entities?search=Stool")).contents[0]
        check("Stool" in [row["name"] for row in json.loads(content.text)["rows"]], content)
        await one.unsubscribe_resource("atrium:///entities?search=Stool")
        await one.call_tool("entities_create", {"name": "Stool 2"})
        check(not any(isinstance(m, types.ResourceUpdatedNotification) for m in listener.messages), listener.messages)


async def modules(site):
    """The tools of a module come with it, and go with it, while a client is connected."""
    listener = Listener()
    async with client(site, "--allow", "changes", listener=listener) as one:
        check("profile_refresh" not in await names(one))
        library = os.path.join(options.modules, "libUserProfile.so")
        added = await one.call_tool("host_module_add", {"path": [library]})
        check(not added.is_error, added)
        await listener.wait_for(types.ToolListChangedNotification)
        await listener.wait_for(types.ResourceListChangedNotification)
        check("profile_refresh" in await names(one))
        prompts = [prompt.name for prompt in (await one.list_prompts()).prompts]
        check([name for name in prompts if "-" not in name] == ["Entities", "Session", "UserProfile"], prompts)

        signed_out = await one.call_tool("profile_refresh", {})
        error = signed_out.structured_content["error"]
        check(error["code"] == "refused" and error["hint"] == "open session/sign-in", error)
        error = await error_of(one.read_resource("atrium:///profile"))
        check(error.data["hint"] == "open session/sign-in", error)

        await one.call_tool("host_module_remove", {"name": ["UserProfile"]})
        await listener.wait_for(types.ToolListChangedNotification)
        check("profile_refresh" not in await names(one))


async def doubtful(site):
    """A lower version is refused to a client that can't ask, and nothing has changed."""
    async with client(site, "--allow", "changes") as one:
        older = os.path.join(site.folder, "libEntities.so")
        with open(os.path.join(options.modules, "libEntities.so"), "rb") as file:
            library = file.read()
        with open(older, "wb") as file:
            file.write(library.replace(b'"version":"1.0.0"', b'"version":"0.9.0"'))
        before = await one.call_tool("host_modules", {})
        refused = await one.call_tool("host_module_update", {"name": [older]})
        error = refused.structured_content["error"]
        check(error["code"] == "confirmationNeeded" and "is older than" in error["message"], error)
        check("--yes" not in error["hint"], error)
        after = await one.call_tool("host_modules", {})
        check(after.structured_content == before.structured_content, after)


async def prompts(site):
    """A module's help is a prompt, with the tools that the session may call."""
    async with client(site) as one:
        prompt = await one.get_prompt("Entities", {"task": "Count the lamps."})
        words = prompt.messages[0].content.text
        check("tool entities_list" in words and "entities_create" not in words, words)
        check(words.endswith("Task: Count the lamps."), words)
        known = await names(one)
        for name in ("what-changed", "why-does-this-fail", "why-is-this-slow"):
            words = (await one.get_prompt(name, {"task": "entities"})).messages[0].content.text
            used = [line.split()[2].rstrip(":") for line in words.splitlines() if line.startswith("- tool ")]
            check(len(used) > 3 and set(used) <= set(known) and words.endswith("Task: entities"), words)


async def looking(site):
    """Tapped calls come with the result of the call that made them, and SQL reads what is stored."""
    async with client(site) as one:
        await one.call_tool("host_tap", {"service": "EntityService"})
        listed = await one.call_tool("entities_list", {})
        check("EntityService.page(" in listed.content[-1].text, listed)
        check(len((await one.call_tool("host_where", {})).content) == 1)
    async with client(site, "--env", "local") as one:
        await one.call_tool("entities_list", {})
        tables = await one.call_tool("host_module", {"name": "Entities", "tables": True})
        check("entities" in [row["table"] for row in tables.structured_content["rows"]], tables)
        query = "SELECT count AS n FROM entityTotal"
        read = await one.call_tool("host_module", {"name": "Entities", "sql": query})
        check(read.structured_content["rows"] == [{"n": 0}], read)
        for query in [
            "DELETE FROM entities", "SELECT 1; DELETE FROM entities", "PRAGMA user_version = 7", "VACUUM",
            "ATTACH 'x.sqlite' AS x", "BEGIN IMMEDIATE", "SELECT load_extension('x')"]:
            refused = await one.call_tool("host_module", {"name": "Entities", "sql": query})
            check(refused.is_error and "code" in refused.structured_content["error"], refused)


async def slow(site):
    """A call that takes long says that it goes on, and can be cancelled."""
    async with client(site, "--allow", "changes") as one:
        slow = {"service": "EntityService", "scenario": "slow", "delay": 1000}
        await one.call_tool("host_mock_set", slow)
        seen = asyncio.Event()

        async def progress(done, total, message):
            seen.set()

        call = asyncio.create_task(one.call_tool("entities_refresh", {}, progress_callback=progress))
        waiting = asyncio.create_task(one.call_tool("entities_list", {}))
        await asyncio.wait_for(seen.wait(), LIMIT)
        for task in (waiting, call):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        reset = await one.call_tool("host_mock", {"reset": True})
        check(not reset.is_error, reset)
        check(not (await one.call_tool("entities_list", {})).is_error)


async def destruction(site):
    """What destroys is asked of the client if it can ask, and else allowed by the option."""
    questions = []

    async def ask(_, parameters):
        questions.append(parameters.message)
        answer = "no" if len(questions) == 1 else "yes"
        return types.ElicitResult(action="accept", content={"answer": answer})

    async with client(site, "--allow", "destroys", elicitation_callback=ask) as one:
        tools = {tool.name: tool for tool in (await one.list_tools()).tools}
        delete = tools["entities_id_delete"]
        check(delete.annotations.destructive_hint and not delete.annotations.read_only_hint, delete)
        check("yes" not in delete.input_schema["properties"], delete)
        kept = await one.call_tool("entities_id_delete", {"id": 1})
        check(kept.structured_content["message"] == "Nothing was done.", kept)
        await one.read_resource("atrium:///entities/1")
        await one.call_tool("entities_id_delete", {"id": 1})
        check(len(questions) == 2 and questions[0].startswith("Delete '"), questions)
        await error_of(one.read_resource("atrium:///entities/1"))
    async with client(site, "--allow", "destroys") as one:
        check(not (await one.call_tool("entities_id_delete", {"id": 2})).is_error)
        await error_of(one.read_resource("atrium:///entities/2"))


async def questions(site):
    """A question that a client can't be asked stays open until a tool answers it."""
    async with client(site, "--allow", "changes") as one:
        none = await one.call_tool("host_answer", {"answer": "yes"})
        check(none.structured_content["error"]["code"] == "noQuestion", none)
        await one.call_tool("host_open", {"link": "entities"})
        shown = await one.call_tool("entities_filter", {})
        check(not shown.is_error, shown)
        chosen = await one.call_tool("entities_categories_choose", {"category": "seats"})
        check("seats" in text(chosen), chosen)


async def relay(site):
    """With a host that runs, clients use that one, each in a scene of its own."""
    host = subprocess.Popen([options.host, "serve", *site.arguments], stderr=subprocess.PIPE, text=True)
    try:
        while "Serving" not in host.stderr.readline():
            check(host.poll() is None, "The host ended.")
        listener = Listener()
        async with client(site, "--allow", "changes", listener=listener) as one, client(site) as two:
            await one.subscribe_resource("atrium:///entities?search=Globe")
            await two.call_tool("host_open", {"link": "entities"})
            check("entities_create" in await names(one) and "entities_create" not in await names(two))
            await one.call_tool("entities_create", {"name": "Globe"})
            await listener.wait_for(types.ResourceUpdatedNotification)
            rows = (await two.call_tool("entities_list", {"search": "Globe"})).structured_content["rows"]
            check(len(rows) == 1, rows)
            first = await one.call_tool("host_where", {})
            second = await two.call_tool("host_where", {})
            check(first.structured_content["link"] == "home", first)
            check(second.structured_content["link"] == "entities", second)
            arguments = {"email": "b@example.com", "password": "@env:STORY_PASSWORD"}
            check(not (await one.call_tool("session_sign-up", arguments)).is_error)
            results = await asyncio.gather(
                *(one.call_tool("entities_create", {"name": f"N {n}"}) for n in range(20)),
                *(two.call_tool("entities_list", {"search": "Globe"}) for _ in range(20)))
            made = [result.structured_content["name"] for result in results[:20]]
            check(made == [f"N {n}" for n in range(20)], made)
            check(all(r.structured_content["rows"][0]["name"] == "Globe" for r in results[20:]), results[-1])
            line = subprocess.run(
                [options.host, *site.arguments, "--json", "-c", "entities create --name Map"],
                capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL)
            check(line.returncode == 0, line)
            found = await two.call_tool("entities_list", {"search": "Map"})
            check(len(found.structured_content["rows"]) == 1, found)
        check(host.poll() is None, "The host ended with its clients.")
    finally:
        host.terminate()
        host.wait(LIMIT)


def piped(site, version, request, *arguments):
    """The answers to `initialize` and one request if the input ends right after them."""
    lines = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}},
        {"jsonrpc": "2.0", "id": 1, **request}]
    run = subprocess.run(
        [options.host, "mcp", *site.arguments, *arguments],
        input="".join(json.dumps(line) + "\n" for line in lines), env=os.environ | {"STORY_PASSWORD": "secret-1234"},
        capture_output=True, text=True, timeout=LIMIT)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    check(run.returncode == 0 and len(answers) == 2, run)
    return answers


async def end_of_input(site):
    """A secret is read from the environment even after the end of the input."""
    arguments = {"email": "c@example.com", "password": "@env:STORY_PASSWORD"}
    call = {"method": "tools/call", "params": {"name": "session_sign-up", "arguments": arguments}}
    answers = piped(site, "2025-11-25", call, "--allow", "changes")
    check(not answers[1]["result"]["isError"], answers)


async def versions(site):
    """An older client is answered in its version, an unknown one in the newest."""
    for offered, expected in [
        ("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"), ("2025-06-18", "2025-06-18"),
        ("1999-01-01", "2025-11-25")]:
        answers = piped(site, offered, {"method": "ping"})
        check(answers[0]["result"]["protocolVersion"] == expected, answers)
        check(answers[1] == {"jsonrpc": "2.0", "id": 1, "result": {}}, answers)


STEPS = [
    reading, tools, forms, errors, secrets, resources, modules, doubtful, prompts, looking, slow, destruction, questions, relay,
    end_of_input, versions,
]

failures = 0
for step in STEPS:
    with Site() as site:
        try:
            asyncio.run(asyncio.wait_for(step(site), LIMIT * 2))
        except BaseException as error:
            failures += 1
            while isinstance(error, BaseExceptionGroup):
                error = error.exceptions[0]
            line = error.__traceback__
            lines = []
            while line:
                if line.tb_frame.f_code.co_filename == __file__:
                    lines.append(line.tb_lineno)
                line = line.tb_next
            print(f"{step.__name__}: {step.__doc__}\n  lines {lines}: {type(error).__name__}: {error}")
sys.exit(failures > 0)
