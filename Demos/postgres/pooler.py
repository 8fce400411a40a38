#!/usr/bin/env python3
"""Stands between clients and a PostgreSQL server as a pooler, PgBouncer, does.

    Demos/postgres/pooler.py URL MODE    start one in mode session, transaction or statement, print its URL, and run
                                         it until SIGTERM

It listens on a Unix socket of its own, and has at most eight connections to the server. Needs Debian's package
pgbouncer.
"""

import ctypes
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse

PR_SET_PDEATHSIG = 1


def main(url, mode):
    program = shutil.which("pgbouncer", path=os.environ["PATH"] + ":/usr/sbin")
    if program is None:
        sys.exit("pooler: There is no PgBouncer on this machine; install it: apt-get install pgbouncer")
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)
    ends = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    with tempfile.TemporaryDirectory(prefix="atrium-pooler-") as folder:
        settings = pathlib.Path(folder, "pgbouncer.ini")
        settings.write_text(
            f"[databases]\natrium = host={query['host'][0]} user={query['user'][0]}\n"
            f"[pgbouncer]\nlisten_addr =\nunix_socket_dir = {folder}\nauth_type = any\npool_mode = {mode}\n"
            "default_pool_size = 8\n")
        if os.geteuid() == 0:
            # It refuses to run as root.
            for path in (folder, settings):
                os.chown(path, pwd.getpwnam("postgres").pw_uid, -1)
        os.chmod(folder, 0o755)
        pooler = subprocess.Popen(
            [program, settings], user="postgres" if os.geteuid() == 0 else None, cwd="/",
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            # It ends with this process, which tests kill.
            preexec_fn=lambda: ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL))
        try:
            while not pathlib.Path(folder, ".s.PGSQL.6432").exists():
                if pooler.poll() is not None:
                    sys.exit(f"pooler: '{program}' ended with {pooler.returncode}.")
                time.sleep(0.01)
            print(f"Listening on postgresql:///atrium?host={folder}&port=6432&user={query['user'][0]}", flush=True)
            signal.sigwait(ends)
        finally:
            pooler.kill()
            pooler.wait()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
