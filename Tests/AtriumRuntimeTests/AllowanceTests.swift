@_spi(Host) import AtriumKit
import AtriumManifest
import AtriumTesting
import Foundation
import Glibc
import TestSupport
import Testing

@testable import AtriumHosts
@testable import AtriumLibraries
@testable import AtriumModules
@testable import AtriumRepositories

private final class AnyModule: FeatureModule {
    init() {}
    func register(in registry: ModuleRegistry) {}
}

/// What a module may reach, by its manifest and the limit of its repository.
@Suite("Capabilities of modules")
@MainActor
struct AllowanceTests {
    nonisolated private static let all: [Capability] = [
        .database, .changes, .session, .programs, .files(.folder), .files(.import), .files(.export),
        .network("api"), .network("billing"),
    ]

    /// The lines that errors name, with one list for each key.
    private static func members(_ capabilities: Capabilities) -> String {
        var values: [Substring: [Substring]] = [:]
        for line in capabilities.list.map(\.line) {
            let parts = line.split(separator: ": ", maxSplits: 1)
            values[parts[0], default: []].append(parts[1])
        }
        return values.map { key, values in
            let list = values.map { $0.dropFirst().dropLast() }.joined(separator: ", ")
            return "\(key): " + (values == ["true"] ? "true" : "[\(list)]")
        }.joined(separator: ", ")
    }

    private func manifest(_ capabilities: Capabilities?) throws -> ModuleManifest {
        let members = capabilities.map { "{\"capabilities\": {\(Self.members($0))}, \"name\"" }
        return try AtriumRuntimeTests.manifest(
            manifestJSON("Notes").replacing("{\"name\"", with: members ?? "{\"name\""))
    }

    private func limit(_ list: [Capability]) -> RepositoryLimit {
        RepositoryLimit(repository: "/srv/others", capabilities: Capabilities(list))
    }

    @Test("A module has what its manifest declares, or all, within the limit", arguments: all)
    func table(_ capability: Capability) throws {
        let others = Self.all.filter { $0 != capability }
        let declared: [(list: [Capability]?, refuses: Bool)] = [
            (nil, false), ([capability], false), (Self.all, false), (others, true), ([], true),
        ]
        let limits: [(limit: RepositoryLimit?, refuses: Bool)] = [
            (nil, false), (limit([capability]), false), (limit(others), true), (limit([]), true),
        ]

        for (list, isUndeclared) in declared {
            for (limit, isLimited) in limits {
                let allowance = Allowance(try manifest(list.map(Capabilities.init)), limit)
                let refusal = allowance.refusal(of: capability)

                #expect((refusal != nil) == (isUndeclared || isLimited), "\(list as Any) \(isLimited)")
                if isUndeclared {
                    #expect(
                        refusal?.message
                            == "Module 'Notes' uses \(capability.phrase), which its manifest does not declare."
                    )
                    #expect(
                        refusal?.hint == "Add \(capability.line) to \"capabilities\" in its module.json.")
                } else if isLimited {
                    #expect(refusal?.code == .notAllowed)
                    #expect(refusal?.message.contains("'/srv/others'") == true)
                }
            }
        }
    }

    @Test("An API is declared by its name or by the address of its server")
    func servers() {
        let declared = Capabilities([.network("https://api.example.com")])

        #expect(declared.allow(.network("api"), server: "https://API.example.com/v2"))
        #expect(!declared.allow(.network("api"), server: "http://api.example.com"))
        #expect(!declared.allow(.network("api"), server: "https://api.example.com:8443"))
        #expect(!declared.allow(.network("api")))
        #expect(
            !Capabilities([.network("api")]).allow(.network("billing"), server: "https://api.example.com"))
    }

    @Test("What is not declared fails where it is used, and names the line to add")
    func infrastructure() async throws {
        let site = EmptySite()
        let limited = Allowance(try manifest(Capabilities([])), nil).limiting(.none, of: site)

        let database = await #expect(throws: ModuleError.self) { try await limited.database.read { _ in 1 } }
        let folder = #expect(throws: ModuleError.self) { try limited.makeDataFolder() }
        let call = await #expect(throws: APIError.self) {
            _ = try await limited.api.request(Endpoint<Int>(.get, "numbers"))
        }

        #expect(database?.hint == "Add \"database\": true to \"capabilities\" in its module.json.")
        #expect(folder?.hint == "Add \"files\": [\"folder\"] to \"capabilities\" in its module.json.")
        #expect(call?.hint == "Add \"network\": [\"api\"] to \"capabilities\" in its module.json.")
    }

    @Test("Who is signed in stays unknown to a module that did not declare it, and verification says so")
    func session() throws {
        @MainActor final class Greeter {
            let name: String?
            init(_ session: SessionWriter, _ changes: ObserverList<DataChange>) { name = session.user?.email }
        }
        for (list, findings) in [([], 2), ([Capability.session], 1), ([.session, .changes], 0)] {
            let container = Container(environment: .mock, session: .isolated())
            let scope = ModuleScope(name: "Notes", infrastructure: .none)
            scope.withheld = Allowance(try manifest(Capabilities(list)), nil).withheld
            let registry = ModuleRegistry(scope: scope)
            registry.repository(Greeter.self) { Greeter($0.session, $0.changes("notes")) }
            try container.add(registry)

            let report = try container.verify(screens: []) { $0.infrastructure }

            #expect(report.findings.count == findings)
            #expect(report.findings.allSatisfy { $0.module == "Notes" && $0.error.code == .notDeclared })
        }
    }

    @Test("The innermost repository limits a library, by whatever path it is named")
    func repositories() throws {
        let folder = TemporaryFolder()
        for name in ["outer", "outer/inner", "outer/inner/deep", "free", "free/closed", "other"] {
            #expect(mkdir(folder.path(name), 0o700) == 0)
            folder.write([], to: "\(name)/a.so")
        }
        for (link, target) in [
            ("link", "outer"), ("linked", "outer/inner"), ("other/in.so", "../outer/a.so"),
            ("outer/out.so", "../other/a.so"),
        ] { #expect(symlink(target, folder.path(link)) == 0) }
        let runtime = ModuleRuntime(
            modules: [], searchPaths: [], storeFolder: folder.path("store"), site: EmptySite())
        // The inner repository has no limit, though the outer has; 'linked' is named by its link.
        runtime.limits = RepositoryLimits([
            (folder.path("free"), nil), (folder.path("outer"), Capabilities([])),
            (folder.path("linked"), nil),
            (folder.path("free/./closed"), Capabilities([.database])),
        ])

        for (file, repository) in [
            ("outer/a.so", "outer"), ("link/a.so", "outer"), ("other/in.so", "outer"),
            ("outer/out.so", "outer"),
            ("outer/gone.so", "outer"), ("link/gone.so", "outer"),
            ("outer/inner/a.so", nil), ("link/inner/a.so", nil), ("linked/deep/a.so", nil),
            ("free/a.so", nil), ("free/closed/a.so", "free/closed"), ("other/a.so", nil),
        ] as [(String, String?)] {
            let path = folder.path(file)
            let limit = runtime.limit(of: try library(at: path), nil)
            #expect(limit?.repository == repository.map(folder.path), "\(file)")
        }
    }

    @Test("A folder keeps its limit when its link leads elsewhere, or it is made, after the start")
    func movedRepository() throws {
        let folder = TemporaryFolder()
        for name in ["1", "2"] {
            #expect(mkdir(folder.path(name), 0o700) == 0)
            folder.write([], to: "\(name)/a.so")
        }
        #expect(symlink("1", folder.path("current")) == 0)
        let runtime = ModuleRuntime(
            modules: [], searchPaths: [], storeFolder: folder.path("store"), site: EmptySite())
        runtime.limits = RepositoryLimits(["current", "later"].map { (folder.path($0), Capabilities([])) })

        #expect(unlink(folder.path("current")) == 0 && symlink("2", folder.path("current")) == 0)
        #expect(symlink("1", folder.path("later")) == 0)

        for name in ["current", "later"] {
            let limit = runtime.limit(of: try library(at: folder.path("\(name)/a.so")), nil)
            #expect(limit?.repository == folder.path(name))
        }
    }

    private func manager(_ folder: TemporaryFolder, _ others: RepositoryFolder) -> ModuleManager {
        let runtime = ModuleRuntime(
            modules: [], searchPaths: [], storeFolder: folder.path("store"), site: EmptySite())
        runtime.limits = RepositoryLimits([(others.path, Capabilities([.database]))])
        runtime.open = { _ in DynamicLibrary(address: nil) { AnyModule() } }
        return ModuleManager(
            runtime,
            repositories: Repositories(folders: [others.path], libraries: folder.path("libraries")))
    }

    @Test("The limit follows a build: through an update, a rollback, a rollout and a restart")
    func origins() async throws {
        let (folder, others, own) = (TemporaryFolder(), RepositoryFolder(), RepositoryFolder())
        try others.add("Notes")
        try others.index()
        try own.add("Notes", "1.1.0", file: "notes.so")
        try own.add("Notes", "1.2.0", file: "next.so")
        let manager = manager(folder, others)
        let runtime = manager.runtime
        func limit() throws -> String? {
            runtime.limit(of: try #require(runtime.module("Notes")?.current?.library), nil)?.repository
        }

        _ = try await manager.run(.install("Notes", VersionRange(parsing: "*")), from: manager.catalog())
        #expect(try limit() == others.path)
        _ = try await manager.run(.update([own.folder.path("notes.so")]))
        #expect(try limit() == nil)
        _ = try await manager.run(.rollback("Notes"))
        #expect(try limit() == others.path)
        let next = try await runtime.libraries(at: [own.folder.path("next.so")])[0]
        try await manager.take(
            SharedLibrary(
                digest: next.digest, module: "Notes", version: next.version,
                kind: SharedLibrary.Kind(next.manifest), bytes: contents(next.source), signature: []))
        #expect(try limit() == others.path)

        let restarted = self.manager(folder, others).runtime
        restarted.apply(manager.installed)
        #expect(restarted.limit(of: next, nil)?.repository == others.path)
    }

    @Test("A plan shows the limit of a library, and leaves no origin behind")
    func planned() async throws {
        let (folder, others) = (TemporaryFolder(), RepositoryFolder())
        try others.add("Notes")
        try others.index()
        let manager = manager(folder, others)

        let plan = try await manager.plan(
            .install("Notes", VersionRange(parsing: "*")), from: manager.catalog())

        #expect(plan.reaches.map { $0.limit?.repository } == [others.path])
        #expect(manager.runtime.origins.isEmpty)
    }

    /// A library of a module on demand that calls functions of the system itself.
    private func caller(of names: [String], in folder: TemporaryFolder) throws -> String {
        var tables = SymbolTables()
        for name in names + ["malloc", "sockets"] { tables.add(name) }
        tables.add("connect", section: 1)
        tables.add("listen", isWeak: true)
        let json = manifestJSON("Notes").replacing(
            "{\"name\"", with: #"{"activation": "onDemand", "provides": ["Lamp"], "name""#)
        let image = ELFImage(
            machine: try SystemLibrary.machine(), [(".atrium.manifest", Array(json.utf8))] + tables.sections)
        return folder.write(image.bytes, to: "libNotes.so")
    }

    @Test("Functions of the system that a library calls itself are found in the file")
    func systemCalls() throws {
        let folder = TemporaryFolder()
        let path = try caller(of: ["socket", "execve", "ptrace", "fork"], in: folder)

        let calls = try SystemCalls.calls(of: library(at: path))

        #expect(calls.map(\.functions) == [["socket"], ["execve", "fork"], ["ptrace"]])
    }

    @Test("A limit refuses such functions unless it allows what they do, also for a module on demand")
    func refusedCalls() async throws {
        for (limit, function) in [
            ([], "socket"), ([.network("api")], "execve"), ([.network("api"), .programs], "ptrace"),
        ] as [([Capability], String)] {
            let folder = TemporaryFolder()
            let path = try caller(of: ["socket", "execve", "ptrace"], in: folder)
            let runtime = ModuleRuntime(
                modules: [.init(name: "Notes", path: path)], searchPaths: [],
                storeFolder: folder.path("store"), site: EmptySite())
            runtime.limits = RepositoryLimits([(folder.path, Capabilities(limit))])
            await runtime.start()

            let error = #expect(throws: ModuleError.self) {
                try runtime.refuseSystemCalls(of: library(at: path), in: ChangeRequest())
            }
            let isLoaded = runtime.loadNow("Lamp", for: runtime.container)

            #expect(error?.code == .notAllowed && error?.message.contains("(\(function))") == true)
            #expect(!isLoaded)
            guard case .failed(let reason)? = runtime.module("Notes")?.state else {
                Issue.record("The module is not failed.")
                continue
            }
            #expect(reason.message == error?.message)
        }
    }

    private func library(at path: String) throws -> CheckedLibrary {
        CheckedLibrary(
            manifest: try manifest(nil), source: path, copy: StoredLibrary(path: path, digest: ""),
            evidence: "", identity: "")
    }
}
