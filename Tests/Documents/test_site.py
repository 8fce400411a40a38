#!/usr/bin/env python3
"""Shows the built documentation in headless Chromium and checks what is on the page: test_site.py [PICTURES].

With a folder for pictures, a picture of each page is left there.
"""
import functools
import html
import http.server
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import unittest

SITE = pathlib.Path(__file__).resolve().parents[2] / ".build/docs"
PICTURES = None


class Page:
    """A page as a browser has it once its scripts have run."""

    def __init__(self, path):
        handler = functools.partial(QuietHandler, directory=SITE)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, \
                tempfile.TemporaryDirectory() as folder:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            address = f"http://127.0.0.1:{server.server_port}/{path}"
            run = self.browse(address, folder, "--dump-dom")
            if PICTURES:
                name = path.strip("/").rpartition("/")[2] or "index"
                self.browse(address, folder, "--window-size=1280,1600",
                            f"--screenshot={pathlib.Path(PICTURES).resolve() / name}.png")
            server.shutdown()
        self.dom = re.sub(r"<noscript>.*?</noscript>", "", run.stdout, flags=re.S)
        # What a script prints or throws; the site's own print nothing.
        self.console = [line for line in run.stderr.splitlines() if ":CONSOLE" in line]

    @staticmethod
    def browse(address, folder, *what):
        """Runs the browser until the page has no work left, in a time of its own that runs ahead when it waits."""
        return subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             f"--user-data-dir={folder}", "--enable-logging=stderr", "--virtual-time-budget=20000", *what, address],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120, check=True)

    def texts(self, element, with_class=""):
        """The texts of the elements of a name, those of a class if one is given."""
        found = re.findall(rf'<{element}\b([^>]*)>(.*?)</{element}>', self.dom, re.S)
        return [" ".join(html.unescape(re.sub(r"<[^>]*>", "", inside)).split())
                for attributes, inside in found if with_class in attributes]


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class SiteTests(unittest.TestCase):
    def test_declaration(self):
        """The page of FeatureModule has its name, its declaration, its members and no error of a script."""
        page = Page("documentation/atriumkit/featuremodule/")

        self.assertEqual(page.console, [])
        self.assertEqual(page.texts("h1"), ["FeatureModule"])
        self.assertIn("@MainActor protocol FeatureModule : AnyObject", page.texts("pre", "source")[0])
        self.assertIn("func register(in: ModuleRegistry) throws", page.texts("code"))

    def test_article(self):
        """An article has its title, its listings, links to types, and no error of a script."""
        page = Page("documentation/atriumkit/services/")

        self.assertEqual(page.console, [])
        self.assertEqual(page.texts("h1"), ["Services and environments"])
        self.assertTrue(any("registry.service(" in listing for listing in page.texts("pre")), page.texts("pre"))
        self.assertTrue(any("$ atrium" in listing for listing in page.texts("pre")))
        self.assertRegex(page.dom, r'<a href="/documentation/atriumkit/unavailable"')

    def test_first_page(self):
        """The address without a path leads to the list of all pages."""
        page = Page("")

        self.assertEqual(page.console, [])
        self.assertEqual(page.texts("h1"), ["AtriumKit"])
        self.assertIn('href="/documentation/atriumkit/services"', page.dom)


if __name__ == "__main__":
    if len(sys.argv) > 1:  # where the pictures go
        PICTURES = sys.argv.pop()
        pathlib.Path(PICTURES).mkdir(parents=True, exist_ok=True)
    unittest.main()
