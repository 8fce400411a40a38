@_spi(Host) import AtriumKit
import AtriumTesting
import Glibc
import TestSupport
import Testing

@testable import AtriumLibraries

@Suite("Building packages")
@MainActor
struct PackageBuildTests {
    private let folder = TemporaryFolder()

    /// A build whose `swift` is this script; `--show-bin-path` prints the test's folder.
    private func build(_ script: String) throws -> PackageBuild {
        let answer =
            "case \"$*\" in *--show-bin-path) echo '\(folder.path)'; echo warning >&2; exit 0;; esac\n"
        chmod(folder.write("#!/bin/sh\n\(answer)\(script)\n".utf8, to: "swift"), 0o700)
        return try PackageBuild("/packages/Catalog", path: "/missing:\(folder.path)")
    }

    private func failure(_ script: String) async throws -> ModuleError? {
        let build = try build(script)
        return await #expect(throws: ModuleError.self) { try await build.run { _ in } }
    }

    @Test("Output lines arrive in order, and the modules among the products are returned")
    func success() async throws {
        let image = ELFImage(machine: try SystemLibrary.machine(), [(".atrium.manifest", [1])])
        let modules = ["libA.so", "libB.so"].map { folder.write(image.bytes, to: $0) }
        let other = ELFImage(machine: try SystemLibrary.machine(), [(".text", [1])])
        folder.write(other.bytes, to: "libAtriumKit.so")
        var lines: [String] = []

        let found = try await build("echo \"$@\"; echo warning >&2; echo done").run { lines.append($0) }

        #expect(found == modules)
        #expect(lines == ["build -c release --package-path /packages/Catalog", "warning", "done"])
    }

    @Test("SwiftPM's wait for another build is told at once, although it ends no line")
    func otherBuild() async throws {
        var lines: [String] = []
        let words = "Another instance of SwiftPM (PID: 7) is already running using '/a/.build', "
        let build = try build(
            """
            printf '%s' "\(words)waiting until that process has finished execution..."
            tries=0
            while [ ! -e '\(folder.path)/told' ] && [ $tries -lt 12000 ]
            do sleep 0.01; tries=$((tries + 1)); done
            [ -e '\(folder.path)/told' ] && echo '[0/1] Planning build'
            """)

        try await build.compile { line in
            lines.append(line)
            if line == build.waitingLine { folder.write([UInt8](), to: "told") }
        }

        #expect(
            lines == [
                "Another build of '/packages/Catalog' is running; waiting for it.", "[0/1] Planning build",
            ])
    }

    @Test("A failed build is reported with the last errors of the compiler")
    func compilerErrors() async throws {
        let error = try await failure(
            """
            echo '/a.swift:1:1: error: first'
            echo '/a.swift:2:1: warning: harmless'
            echo '/a.swift:3:5: error: second' >&2
            echo '  |  - error: second'
            echo '/a.swift:3:5: error: second'
            echo 'error: fatalError'
            exit 1
            """)

        #expect(error?.code == "buildFailed")
        #expect(
            error?.message
                == "The package '/packages/Catalog' can't be built: /a.swift:1:1: error: first; "
                + "/a.swift:3:5: error: second")
        #expect(
            error?.hint == "Run 'swift build -c release --package-path /packages/Catalog' to see all of it.")
    }

    @Test("A failed build without a compiler error is reported with its exit status or signal")
    func otherFailures() async throws {
        #expect(
            try await failure("exit 3")?.message
                == "The package '/packages/Catalog' can't be built: 'swift build' ended with status 3.")
        #expect(
            try await failure("kill -9 $$")?.message
                == "The package '/packages/Catalog' can't be built: 'swift build' was ended by signal 9 (Killed)."
        )
    }

    @Test("A package without modules is reported with a hint how to make one")
    func noModules() async throws {
        let error = try await failure("exit 0")

        #expect(error?.code == .noModules)
        #expect(
            error?.message
                == "The package '/packages/Catalog' was built, but no module is among its libraries.")
        #expect(
            error?.hint
                == "A module is a library product of type .dynamic whose target has a module.json and the build "
                + "plugin EmbedManifest.")
    }

    @Test("A missing toolchain is reported")
    func noToolchain() {
        folder.write("not executable".utf8, to: "swift")

        let error = #expect(throws: ModuleError.self) { try PackageBuild("/p", path: folder.path) }

        #expect(error?.code == "noToolchain")
        #expect(error?.message == "There is no 'swift' in PATH to build the package '/p' with.")
    }

    @Test("Cancelling ends the build and its child processes")
    func cancellation() async throws {
        let build = try build("trap 'exit 0' TERM; sleep 1000 & echo $!; wait")
        let (started, process) = AsyncStream<pid_t>.makeStream()

        let building = Task { try await build.run { process.yield(pid_t($0) ?? 0) } }
        var processes = started.makeAsyncIterator()
        let compiler = try #require(await processes.next())
        building.cancel()

        await #expect(throws: CancellationError.self) { try await building.value }
        // Its parent is gone, so another process reaps it.
        await eventually("the compiler has ended") { !isRunning(compiler) }
    }

    private func isRunning(_ process: pid_t) -> Bool {
        let status = String(decoding: contents("/proc/\(process)/stat"), as: UTF8.self)
        return !status.isEmpty && !status.contains(") Z ")
    }
}
