@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest

/// A trusted user's order to the hosts of a database: take a build of a module.
///
/// Its text is signed and stored with the rollout. The other columns of the database show it and the progress
/// of the hosts; no column makes a host run anything without an order.
package struct RolloutOrder: Sendable, Hashable {
    /// A number unique to the order: a host carries out an order once.
    let id: String
    let module: String
    /// The versions that are replaced; a host with any other version keeps it.
    let from: [SemanticVersion]
    let version: SemanticVersion
    /// The builds, one for each kind of host; other hosts take the version from their own repositories.
    let libraries: [Library]
    /// The database whose hosts it addresses; see ``HostTable/identity()``.
    let database: String
    /// The hosts that were connected when it was signed.
    package let hosts: [Host]
    /// The number of hosts that take it at a time.
    let batch: Int
    /// The seconds for which the health checks must pass before the next hosts take it.
    let wait: Double
    /// True if the other hosts continue when one can't be reached.
    let skipsUnreachable: Bool
    /// The time after which no host takes the build or goes back from it.
    let until: Timestamp

    struct Library: Codable, Sendable, Hashable {
        let machine: String
        let sdk: String
        let inlinedLayout: Int
        let compiler: String
        let digest: String
        /// The digests of its contracts; nil in an order of an older host, whose hosts have to have them.
        var contracts: [String]?
    }

    package struct Host: Codable, Sendable, Hashable {
        let identity: String
        package let name: String
    }

    /// The library for this host; nil if the order has none.
    var fitting: Library? {
        libraries.first { library in
            guard let sdk = try? SemanticVersion(parsing: library.sdk) else { return false }
            return SharedLibrary.Kind(
                machine: library.machine, sdk: sdk, inlinedLayout: library.inlinedLayout,
                compiler: library.compiler
            ).fitsThisHost
        }
    }
}

extension RolloutOrder {
    /// The largest accepted text, in bytes.
    static let sizeLimit = 256_000
    static let batches = 1...10_000
    static let waits = 0.0...3_600.0
    /// The days in which absent hosts may still take it.
    package static let days = 1...365

    /// Its text: JSON that starts with words found in no library and no repository index.
    private struct Text: Codable {
        static let expectedKind = "atrium rollout 1"
        var kind = expectedKind
        let id, module: String
        let from: [String]
        let version: String
        let libraries: [Library]
        let database: String
        let hosts: [Host]
        let batch: Int
        let wait: Double
        let skipsUnreachable: Bool
        let until: Timestamp
    }

    var text: String {
        get throws {
            try StateCoding.encode(
                Text(
                    id: id, module: module, from: from.map(\.description), version: version.description,
                    libraries: libraries, database: database, hosts: hosts, batch: batch, wait: wait,
                    skipsUnreachable: skipsUnreachable, until: until))
        }
    }

    /// Reads ``text``.
    ///
    /// - Throws: A JSON or version error, or ``RolloutError`` for a number out of range.
    init(text: String) throws {
        let text = try StateCoding.decode(Text.self, from: text)
        guard text.kind == Text.expectedKind, Self.batches.contains(text.batch),
            Self.waits.contains(text.wait),
            !text.id.isEmpty
        else { throw RolloutError(RolloutError.refused, "it is not a rollout order") }
        self.init(
            id: text.id, module: text.module, from: try text.from.map { try SemanticVersion(parsing: $0) },
            version: try SemanticVersion(parsing: text.version), libraries: text.libraries,
            database: text.database, hosts: text.hosts, batch: text.batch, wait: text.wait,
            skipsUnreachable: text.skipsUnreachable, until: text.until)
    }
}

extension RolloutOrder {
    /// An order as stored in the database: nothing in it is trusted before ``RolloutGate`` has read it.
    package struct Signed: Sendable, Hashable {
        let text: String
        /// The contents of a `.minisig` file.
        let signature: String
    }

    func signed(by key: MinisignSecretKey, now: Timestamp) throws -> Signed {
        let text = try text
        let comment = "timestamp:\(now.microseconds / 1_000_000)\trollout of \(module) \(version)"
        return Signed(text: text, signature: key.signature(of: Array(text.utf8), comment: comment))
    }
}

extension RolloutOrder.Library {
    init(_ library: SharedLibrary) {
        self.init(
            machine: library.kind.machine, sdk: "\(library.kind.sdk)",
            inlinedLayout: library.kind.inlinedLayout, compiler: library.kind.compiler,
            digest: library.digest,
            contracts: library.contracts.isEmpty ? nil : library.contracts.map(\.digest))
    }
}

/// A user's settings for a rollout.
package struct RolloutWishes: Sendable {
    /// The file of a minisign key without a password.
    let key: String?
    let batch: Int
    let wait: Double
    /// The days in which absent hosts may still take it.
    let days: Int
    let skipsUnreachable: Bool

    package init(key: String?, batch: Int, wait: Double, days: Int, skipsUnreachable: Bool) {
        (self.key, self.batch, self.wait) = (key, batch, wait)
        (self.days, self.skipsUnreachable) = (days, skipsUnreachable)
    }
}

extension Rollout {
    /// The names of the hosts in the order that have not taken it; unverified, for messages only.
    package var withoutIt: [String] {
        let planned = order.flatMap { try? RolloutOrder(text: $0.text) }?.hosts ?? []
        let done = Set(hosts.filter { $0.state == .done }.map(\.identity))
        return planned.filter { !done.contains($0.identity) }.map(\.name)
    }
}
