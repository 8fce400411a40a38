@_spi(Host) import AtriumKit
import AtriumManifest
import Glibc
import TestSupport
import Testing

@testable import AtriumLibraries
@testable import AtriumModules

/// The reports of a child process, its end, and the verdicts on the modules.
struct PreflightTrial: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let events: [PreflightEvent]
    /// The last command of the child.
    let end: String
    let refusals: [String: ErrorCode]
    private(set) var isComplete = false
    private(set) var isUnattributed = false
    /// The names of the modules, and whether they are new.
    private(set) var modules = ["Catalog": true]
    private(set) var limit = Duration.seconds(50)

    private static func ended(
        _ name: String, _ end: String, _ code: ErrorCode, _ more: PreflightEvent...
    ) -> PreflightTrial {
        PreflightTrial(
            testDescription: name, events: [.begin(.register, module: "Catalog")] + more, end: end,
            refusals: ["Catalog": code])
    }

    static let all = [
        PreflightTrial(
            testDescription: "ends well", events: [.begin(.load, module: "Catalog"), .done], end: "exit 0",
            refusals: [:], isComplete: true),
        PreflightTrial(
            testDescription: "refuses a module",
            events: [
                .begin(.register, module: "Catalog"),
                .refused(module: "Catalog", ModuleError("duplicate", "It is there already.")), .done,
            ], end: "exit 0", refusals: ["Catalog": "duplicate"], isComplete: true),
        ended("crashes", "kill -KILL $$", .crashes),
        ended("fails", "exit 1", .crashes),
        ended("exits", "exit 0", .exits),
        ended("changes the process", "exit 0", .changesProcess, .changedProcess(["umask"])),
        ended("closes the descriptor of the events", "exit \(PreflightChild.lostEvents)", .changesProcess),
        PreflightTrial(
            testDescription: "does not end", events: [.begin(.activate, module: "Catalog")],
            end: "exec sleep 1000", refusals: ["Catalog": .hangs], limit: .milliseconds(100)),
        PreflightTrial(
            testDescription: "crashes in one of two", events: [.begin(.load, module: "Orders")],
            end: "kill -KILL $$", refusals: ["Orders": .crashes],
            modules: ["Catalog": true, "Orders": true]),
        PreflightTrial(
            testDescription: "crashes in none of two", events: [.begin(.verify, module: nil)],
            end: "kill -KILL $$", refusals: [:], isUnattributed: true,
            modules: ["Catalog": true, "Orders": true]),
        PreflightTrial(
            testDescription: "crashes in a module that was tried before",
            events: [.begin(.load, module: "Base")], end: "kill -KILL $$",
            refusals: ["Catalog": .crashes], modules: ["Base": false, "Catalog": true]),
    ]
}

@Suite("One child that tries modules", .timeLimit(.minutes(1)))
@MainActor
struct PreflightRunTests {
    private let folder = TemporaryFolder()

    /// Makes a program that keeps its request, reports events and ends.
    private func child(_ events: [PreflightEvent], _ end: String) async throws -> String {
        let path = folder.path("child")
        let reports = try events.map { "echo '\(try StateCoding.encode($0))'" }
        let lines = ["#!/bin/sh", "cp \"$2/request.json\" '\(folder.path("request"))'"] + reports + [end]
        // Another process writes it: a program that this one has open, for a child too, can't be started.
        let writer = try ChildProcess(
            "/bin/sh",
            ["-c", #"printf '%s\n' "$2" >"$1"; chmod +x "$1""#, "sh", path, lines.joined(separator: "\n")])
        try #require(await writer.wait() == .exited(status: 0))
        return path
    }

    private func module(_ name: String, isNew: Bool = true) -> PreflightModule {
        PreflightModule(
            name: name, library: "/copies/\(name).so", digest: "aa", source: "/modules/lib\(name).so",
            isNew: isNew, contracts: [], configuration: "{}")
    }

    @Test("The end of the child is attributed to the module whose step it was", arguments: PreflightTrial.all)
    func verdict(_ trial: PreflightTrial) async throws {
        let modules = trial.modules.sorted { $0.key < $1.key }.map { module($0.key, isNew: $0.value) }
        let executable = try await child(trial.events, trial.end)
        let run = PreflightRun(modules, executable: executable, limit: trial.limit)

        try await run.run()

        #expect(run.refusals.mapValues(\.code) == trial.refusals)
        #expect(run.isComplete == trial.isComplete && run.isUnattributed == trial.isUnattributed)
    }

    @Test("The child gets the modules in the order in which they are loaded, with their limits")
    func request() async throws {
        let executable = try await child([.done], "exit 0")
        var catalog = module("Catalog")
        catalog.limit = RepositoryLimit(
            repository: "/others", capabilities: Capabilities([.database, .files(.export), .network("api")]))
        let run = PreflightRun(
            [module("Orders", isNew: false), catalog], executable: executable, limit: .seconds(50))

        try await run.run()

        let text = String(decoding: contents(folder.path("request")), as: UTF8.self)
        let request = try StateCoding.decode([PreflightModule].self, from: text)
        #expect(request.map(\.name) == ["Orders", "Catalog"] && request.map(\.isNew) == [false, true])
        #expect(request.map { $0.limit?.repository } == [nil, "/others"])
        #expect(request.last?.limit?.capabilities == catalog.limit?.capabilities)
    }

    @Test("A child that can't be started is an error, and no verdict")
    func missing() async {
        let run = PreflightRun([module("Catalog")], executable: "/missing/host", limit: .seconds(50))

        let error = await #expect(throws: ModuleError.self) { try await run.run() }

        #expect(error?.code == "notStarted")
        #expect(run.refusals.isEmpty && !run.isComplete)
    }

    @Test("A trial that is cancelled ends its child, and has no verdict")
    func cancelled() async throws {
        let number = folder.path("number")
        let executable = try await child([], "echo $$ >'\(number)'; exec sleep 1000")
        let run = PreflightRun([module("Catalog")], executable: executable, limit: .seconds(50))
        let trial = Task { try await run.run() }
        await eventually("the child runs") { contents(number).last == UInt8(ascii: "\n") }
        let text = String(decoding: contents(number).dropLast(), as: UTF8.self)
        let process = try #require(pid_t(text))

        trial.cancel()

        await #expect(throws: CancellationError.self) { try await trial.value }
        #expect(kill(process, 0) == -1 && run.refusals.isEmpty && !run.isComplete)
    }
}
