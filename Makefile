# make run: sets everything up and starts the prompt.   make test: sets everything up and runs all tests.

LIBRARIES := libsqlite3-dev libsodium-dev libcurl4-openssl-dev libpq-dev
PACKAGE_TOOLS := binutils dpkg-dev minisign patchelf
TEST_TOOLS := $(PACKAGE_TOOLS) gcc graphviz libc6-dev nghttp2-server openssl pgbouncer postgresql tmux python3 python3-jsonschema python3-pyte python3-venv unicode-data valgrind
SWIFT := swift
# How many tests run at a time. With all at once, each waits for thousands of others between two steps, and on a slow
# machine longer than the time limits of what it tests.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH := 8
RELEASE := .build/release
# The tests are built in a folder of their own, beside the release, without what only a debugger reads: a sixth of the
# time.
TESTS := --scratch-path .build/tests -Xswiftc -gnone
TEST_BUNDLE := .build/tests/debug/AtriumPackageTests.xctest
EXAMPLES := Examples/Catalog Examples/Shop Examples/Library Examples/Backend
TESTED_EXAMPLES := Catalog Shop Library Migrations
# By the first letter of the suite.
HOST_TESTS := host-tests-A-P host-tests-Q-Z
# Those with a database.
STORING_EXAMPLES := Catalog Shop
BACKEND := Examples/Backend/server
BACKEND_VENV := .build/backend-venv
API_VENV := .build/api-venv
MCP_VENV := .build/mcp-venv
PRODUCTS := atrium Session UserProfile Entities HTTPTransport PostgreSQL
ROOT := $(if $(filter 0,$(shell id -u)),,sudo )

PREFIX := /usr/local
export ATRIUM_KEY
DESTDIR :=
SDK := .build/sdk
HOST := .build/host
PACKAGE := .build/package

.PHONY: run build tests sdk symbols install uninstall package docs example example-tests migrations backend-server mcp-client test test-api \
    test-docs test-instructions test-examples picture bench-compare test-package test-templates soak torture mutants sanitize bench server postgres postgres-stop format lint clean setup test-setup $(HOST_TESTS)

run: build
	@$(RELEASE)/atrium

# By their names, so that what only tests and benchmarks use is left out.
build: setup
	@set -e; for product in $(PRODUCTS); do $(SWIFT) build -c release --product $$product; done

# What a module's package depends on, compiled; part of an installation.
sdk: build
	@$(call install,python3)
	$(SWIFT) build -c release --product AtriumTesting
# Without the runtime, which comes with the toolchain's SwiftParser.
	@set -e; for tool in ManifestTool ArchitectureTool; do $(SWIFT) build -c release -Xlinker --strip-all \
	    --package-path Sources/AtriumKit --scratch-path .build/tools --product $$tool; done
	@Sources/AtriumKit/Prebuilt/assemble $(RELEASE) .build/tools/release $(SDK)

# The host as it is installed, with its debug information in files of its own.
symbols: build
	@$(call install,binutils)
	@Sources/atrium/Installed/symbols $(RELEASE) $(HOST)

# make install [PREFIX=/usr/local] [DESTDIR=…] [ATRIUM_KEY=FILE]; DESTDIR stands before PREFIX in what is written, for
# packages; the key signs the modules.
install: sdk symbols
	@$(call install,patchelf minisign)
	@Sources/atrium/Installed/install $(HOST) $(SDK) "$(DESTDIR)" "$(PREFIX)"

uninstall:
	@Sources/atrium/Installed/uninstall "$(DESTDIR)" "$(PREFIX)"

# Packages for Debian, in a folder of their own.
package: sdk symbols
	@$(call install,$(PACKAGE_TOOLS))
	@rm -rf $(PACKAGE) && mkdir -p $(PACKAGE)
	@Sources/atrium/Installed/package $(HOST) $(SDK) $(PACKAGE)

# Installs them in a new Debian, writes a module there, and removes them; from Debian's mirror.
test-package: package
	@$(call install,mmdebstrap)
	@$(ROOT)python3 Tests/Package/clean_root.py $(PACKAGE)

# The pages of Docs and the reference of AtriumKit and AtriumTesting, as a site in .build/docs.
docs: setup
	@command -v docc >/dev/null || { echo "make: there is no docc in PATH; it is part of the Swift toolchain." >&2; exit 1; }
	@$(call install,python3)
	$(SWIFT) build --target AtriumTesting
	@python3 Docs/site.py .build/debug/Modules .build/docs
	@echo "The site is in .build/docs: python3 -m http.server --directory .build/docs"

# The picture at the head of README.md, a play of what the host prints now; then look at it.
PLAYED = Docs/pictures/session.transcript
picture: build
	@.build/release/atrium test $(PLAYED) --config modules.json --update
	@env -u NO_COLOR .build/release/atrium play $(PLAYED) --auto --config modules.json --svg Docs/pictures/session.svg

# Looks at the site in headless Chromium; PICTURES=FOLDER leaves a picture of each page there.
test-docs: docs
	@$(call install,chromium)
	@python3 Tests/Documents/test_site.py $(PICTURES)

# Modules in packages of their own, as somebody else would build them; anew with another SDK, which a build would not
# notice.
example: sdk
	@set -e; for package in $(EXAMPLES); do \
	  cmp -s $(SDK)/.content $$package/.build/sdk || rm -rf $$package/.build; \
	  echo "$(SWIFT) build -c release --package-path $$package"; \
	  $(SWIFT) build -c release --package-path $$package; \
	  cp $(SDK)/.content $$package/.build/sdk; \
	done

# The tests of examples, each in its package, and with them the modules of Migrations.
migrations: example-tests-Migrations
example-tests: $(TESTED_EXAMPLES:%=example-tests-%)

# A package is built by one at a time.
example-tests-Catalog example-tests-Shop example-tests-Library: example

example-tests-%: sdk
	@cmp -s $(SDK)/.content Examples/$*/.build/sdk || rm -rf Examples/$*/.build
	$(SWIFT) build --build-tests --package-path Examples/$*
	@cp $(SDK)/.content Examples/$*/.build/sdk

# What the servers of Examples/Backend are made with, from PyPI.
backend-server: $(BACKEND_VENV)/installed

# The Python SDK of the Model Context Protocol, from PyPI, as a client of 'atrium mcp'.
mcp-client: $(MCP_VENV)/installed

$(BACKEND_VENV)/installed: $(BACKEND)/requirements.txt
$(API_VENV)/installed: Demos/server/requirements.txt
$(MCP_VENV)/installed: Tests/MCP/requirements.txt
$(BACKEND_VENV)/installed $(API_VENV)/installed $(MCP_VENV)/installed:
	@$(call install,python3-venv)
	@rm -rf $(@D)
	@python3 -m venv $(@D)
	@$(@D)/bin/pip install --quiet --disable-pip-version-check --requirement $< || { \
	  echo "make: the packages in $< could not be installed from PyPI; try again with a connection." >&2; exit 1; }
	@touch $@

tests:
	$(SWIFT) build --build-tests --disable-xctest $(TESTS)

# Prints a line a suite, and failures in full; all that the tests printed is in .build/test*.log. What reads files alone
# comes before the builds.
test: test-setup
	@python3 Tests/Checklist/test_checklist.py --quiet
	@python3 Tests/Checklist/documents.py
	@python3 Tests/test_report.py --quiet
	@python3 Tests/Documents/test_sessions.py --quiet
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target tests example example-tests symbols backend-server mcp-client
	@rm -f .build/tests.xml .build/tests-*.xml
	@python3 Tests/report.py .build/test.log $(SWIFT) test --disable-xctest $(TESTS) --skip-build --skip '^HostTests' \
	    --xunit-output .build/tests.xml
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target test-instructions test-examples
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target $(HOST_TESTS)
# Says nothing if every proof ran, so that what the tests came to is the last line.
	@python3 Tests/Checklist/checklist.py .build/tests.xml .build/tests-*.xml

# Instructions are counted by one thread, which leaves the other processor to the examples.
test-instructions:
	@python3 Benchmarks/run.py --only layers --build-only
	@python3 Benchmarks/test_instructions.py --quiet
	@python3 Benchmarks/instructions.py

test-examples:
	@set -e; for example in $(TESTED_EXAMPLES); do \
	  python3 Tests/report.py .build/test-$$example.log $(SWIFT) test --disable-xctest --skip-build \
	      --package-path Examples/$$example --xunit-output "$(CURDIR)/.build/tests-$$example.xml"; \
	done
	@echo "Modules with a database, on PostgreSQL:"
	@set -e; for example in $(STORING_EXAMPLES); do \
	  python3 Demos/postgres/server.py run python3 Tests/report.py .build/test-$$example-postgresql.log \
	      $(SWIFT) test --disable-xctest --skip-build --package-path Examples/$$example; \
	done

# The tests of the built host wait for processes and block their threads: two runs, each of half of the suites.
# Not by 'swift test': two at a time meet at the lock of the build's database.
$(HOST_TESTS): host-tests-%:
	@python3 Tests/report.py .build/test-host-$*.log $(TEST_BUNDLE) --testing-library swift-testing \
	    --filter '^HostTests\.[$*]' --xunit-output .build/tests-host-$*.xml

# Schemathesis over the description of the reference server, two minutes at most; SEED=2 sends other requests.
# make test-api URL=https://… tests another server, which gets an account and made-up data.
test-api: $(API_VENV)/installed
	@$(API_VENV)/bin/python Demos/server/test_api.py $(if $(SEED),--seed $(SEED)) $(if $(URL),--url $(URL))

# Builds a package of each template of `atrium new`, and types the lines of its README.
test-templates: sdk
	ATRIUM_TEMPLATES=1 $(SWIFT) test --disable-xctest $(TESTS) --filter TemplateTests

# Updates a module of a running host 2,000 times, on a disk with room for as many copies (250 MB).
soak: build test-setup
	ATRIUM_SOAK=1 $(SWIFT) test --disable-xctest $(TESTS) --filter SoakTests

# Fuzzing, kills, full disks, damaged files, clock jumps: hours; `make torture MINUTES=20` shares 20 minutes.
torture: build example test-setup
	python3 Tests/Torture/torture.py $(if $(MINUTES),--minutes $(MINUTES)) $(if $(SEED),--seed $(SEED))

# Breaks the product one condition at a time; a row of the checklist whose tests do not notice is told.
# The first build takes ten minutes; `make mutants SEED=1 MUTANTS=60` draws 60 mutants.
mutants: test-setup
	python3 Tests/Checklist/mutants.py $(if $(MUTANTS),--mutants $(MUTANTS)) $(if $(SEED),--seed $(SEED))

# The tests under the thread sanitizer, then under the address sanitizer with leak detection.
sanitize: setup test-setup
	@python3 Tests/Sanitizer/sanitize.py

# Builds its programs beside the host.
bench: setup
	python3 Benchmarks/run.py

# The host beside the one of another commit, pair by pair: make bench-compare BASE=main~20 [PARTS="start shell"]
bench-compare: setup
	@$(call install,binutils valgrind)
	@python3 Benchmarks/compare.py $(BASE) $(PARTS:%=--only %)

# What environment live talks to, until Ctrl-C; its data stay in .data-server (see Demos/server/README.md).
server:
	@$(call install,python3)
	@mkdir -p .data-server
	@exec python3 Demos/server/server.py --port 8787 --faults --seed --data .data-server/server.sqlite

# A private PostgreSQL server to try modules on; prints its URL. Its data stay in .build/postgres.
postgres:
	@$(call install,postgresql python3)
	@python3 Demos/postgres/server.py start

postgres-stop:
	@python3 Demos/postgres/server.py stop

format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Plugins Tests Examples

lint:
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Plugins Tests Examples

clean:
	rm -rf .build .build-sanitize .build-torture

# Installs what is missing of the system libraries, and nothing where nothing is.
setup:
	@command -v $(SWIFT) >/dev/null || { echo "make: there is no Swift toolchain in PATH; install one from https://www.swift.org/install/linux/" >&2; exit 1; }
	@$(call install,$(LIBRARIES))

test-setup:
	@$(call install,$(TEST_TOOLS))

define install
missing=""; \
for package in $(1); do \
  dpkg-query -W -f='$${Status}' $$package 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$package"; \
done; \
if [ -n "$$missing" ]; then \
  echo "Installing$$missing"; \
  $(ROOT)apt-get update -qq && DEBIAN_FRONTEND=noninteractive $(ROOT)apt-get install -y -qq --no-install-recommends$$missing >/dev/null \
    || { echo "make: install these packages, then try again:$$missing" >&2; exit 1; }; \
fi
endef
