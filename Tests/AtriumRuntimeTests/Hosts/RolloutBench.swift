@_spi(Host) import AtriumKit
import AtriumManifest
import AtriumStorage
import AtriumTesting
import PostgreSQL
import TestSupport
import Testing

@testable import AtriumHosts
@testable import AtriumLibraries
@testable import AtriumModules
@testable import AtriumRepositories

/// A host with module Notes 1.0.0, in a database where a test writes what an attacker with all rights could.
@MainActor
final class RolloutBench {
    final class Notes: FeatureModule {
        required init() {}
        func register(in registry: ModuleRegistry) {}
    }

    struct Now: WallClock {
        func now() -> Timestamp { Timestamp(microseconds: 1_795_434_222_000_000) }
    }

    @MainActor
    final class Health {
        var problem: (any Error)?
    }

    let folder = TemporaryFolder()
    let database: any ManagedDatabase
    let table: HostTable
    let runtime: ModuleRuntime
    let manager: ModuleManager
    let key: MinisignSecretKey
    let worker: RolloutWorker
    let health = Health()
    /// Which the runtime does not keep.
    private let site = EmptySite()

    /// A host with a policy; nil for one without any.
    init(policy: HostConfiguration.Trust.Policy? = .signed) async throws {
        let schema = "Rollouts\(UInt64.random(in: 0 ... .max))"
        database = try PostgreSQLEngine().database(
            of: schema, migrations: HostTable.migrations, at: PostgreSQLServer.shared().url)
        table = HostTable(database)
        key = try MinisignSecretKey(Array(RepositoryFolder.secretKey.utf8))
        let present = try Self.library("Notes", "1.0.0", key)
        let path = folder.write(present.bytes, to: "libNotes.so")
        folder.write(present.signature, to: "libNotes.so.minisig")
        let lock = LockFile(modules: [
            "Notes": .init(version: present.version, digest: present.digest)
        ])
        let trust = try policy.map {
            try TrustPolicy(
                HostConfiguration.Trust(policy: $0, keys: [RepositoryFolder.publicKey]), lock: lock,
                lockPath: "modules.lock")
        }
        runtime = ModuleRuntime(
            modules: [HostConfiguration.Module(name: "Notes", path: path)], searchPaths: [folder.path],
            storeFolder: folder.path("store"), site: site, trust: trust)
        runtime.open = { _ in DynamicLibrary(address: nil) { Notes() } }
        manager = ModuleManager(runtime, repositories: Repositories(libraries: folder.path("libraries")))
        let describe: @MainActor @Sendable () -> SharedHost = { [runtime] in Self.host(runtime) }
        worker = RolloutWorker(
            table, manager, record: RolloutRecord(path: folder.path("rollouts.json")), clock: Now(),
            describe: describe, connectedHosts: { [describe()] },
            checkHealth: { [health] in if let problem = health.problem { throw problem } })
        await runtime.start()
        try #require(version == "1.0.0")
    }

    private static func host(_ runtime: ModuleRuntime) -> SharedHost {
        SharedHost(
            identity: "here", name: "one", process: 1, machine: "machine", version: "0.5.0",
            modules: runtime.modules.map {
                .init(name: $0.name, version: "\($0.version)", generation: 1)
            }, scenes: 0)
    }

    var version: String? { runtime.module("Notes")?.current.map { "\($0.version)" } }

    /// What this host has written of libraries from elsewhere.
    var written: [String] { Folder.names(in: folder.path("libraries")) ?? [] }

    /// The host's files and folders by their paths, with the bytes of the files.
    func stored(in name: String = ".") -> [String: [UInt8]] {
        folder.names(in: name).reduce(into: [:]) { items, item in
            let path = "\(name)/\(item)"
            items[path] = contents(folder.path(path))
            items.merge(stored(in: path)) { $1 }
        }
    }

    /// The reasons that a user reads, in the journal and in the database.
    func reasons() async throws -> String {
        let noted = try await database.read { connection in
            try connection.query("SELECT detail FROM rollout_hosts WHERE detail IS NOT NULL", []) {
                try $0.value(0, as: String.self)
            }
        }
        return (noted + runtime.journal.events().compactMap(\.detail)).joined(separator: "\n")
    }

    /// Lets the host look until nothing changes.
    func work() async throws {
        for _ in 0..<5 { try await worker.step() }
    }

    // MARK: - What is in the database

    static func library(
        _ name: String, _ version: String, _ key: MinisignSecretKey, machine: [UInt8]? = nil,
        needing range: String? = nil, _ contracts: [SharedLibrary.Contract] = []
    ) throws -> SharedLibrary {
        var json = manifestJSON(name, version: version)
        if let range { json = #"{"contracts": {"Payments": "\#(range)"}, "# + json.dropFirst() }
        let image = ELFImage(machine: machine, [(".atrium.manifest", Array(json.utf8))])
        var library = SharedLibrary(
            digest: ContentDigest(of: image.bytes).description, module: name,
            version: try SemanticVersion(parsing: version), kind: .init(try manifest(json)),
            bytes: image.bytes, signature: Array(key.signature(of: image.bytes, comment: name).utf8))
        library.contracts = contracts
        return library
    }

    static func contract(
        _ version: String, _ key: MinisignSecretKey, name: String = "Payments", machine: [UInt8]? = nil
    ) throws -> SharedLibrary.Contract {
        let json = """
            {"name": "\(name)", "version": "\(version)", "summary": "For tests", "sdk": "\(SDKVersion.current)", \
            "inlinedLayout": "\(SDKVersion.inlinedLayout)", "compiler": "\(Compatibility.compiler)"}
            """
        let image = ELFImage(machine: machine, [(".atrium.contract", Array(json.utf8))])
        let version = try SemanticVersion(parsing: version)
        return SharedLibrary.Contract(
            digest: ContentDigest(of: image.bytes).description,
            name: ContractManifest.libraryName(name, major: version.major), version: version,
            bytes: image.bytes, signature: Array(key.signature(of: image.bytes, comment: name).utf8))
    }

    /// An order for this host, as a user would sign it.
    func order(
        _ library: SharedLibrary, id: String = IDSource.random.next(), from: [String] = ["1.0.0"],
        version: String = "1.1.0", database: String? = nil, until: Timestamp? = nil,
        hosts: [RolloutOrder.Host] = [.init(identity: "here", name: "one")]
    ) async throws -> RolloutOrder {
        let here: String
        if let database { here = database } else { here = try await table.identity() }
        return RolloutOrder(
            id: id, module: "Notes", from: try from.map { try SemanticVersion(parsing: $0) },
            version: try SemanticVersion(parsing: version), libraries: [.init(library)], database: here,
            hosts: hosts, batch: 1, wait: 0, skipsUnreachable: false,
            until: until ?? Now().now().adding(seconds: 3_600))
    }

    /// Writes a library and a rollout of it.
    @discardableResult
    func insert(
        _ library: SharedLibrary, _ order: RolloutOrder, _ signed: RolloutOrder.Signed? = nil
    ) async throws -> Int {
        try await table.store(library)
        let signed = try signed ?? order.signed(by: key, now: Now().now())
        return try #require(try await table.begin(order, signed, digest: library.digest, by: "two"))
    }

    func sql(_ statement: String, _ arguments: [DatabaseValue] = []) async throws {
        try await database.write { _ = try $0.execute(statement, arguments) }
    }
}
