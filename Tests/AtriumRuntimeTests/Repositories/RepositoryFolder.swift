@_spi(Host) import AtriumKit
import AtriumManifest
import AtriumTesting
import TestSupport
import Testing

@testable import AtriumLibraries
@testable import AtriumModules
@testable import AtriumRepositories

/// A folder with libraries of modules, of which a repository can be made.
struct RepositoryFolder {
    let folder = TemporaryFolder()
    var path: String { folder.path }
    var repository: Repository { Repository(folder: folder.path) }

    /// A secret key that minisign 0.11 made for these tests: `minisign -G -W`.
    static let secretKey = """
        untrusted comment: minisign encrypted secret key
        RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPJ/VD8agf8Ih5EuUcUxqHi7jLT4\
        npb/jghzN+3YXfKL4ImP1FlWa4Kd6WpBTb3TClgB7qvJT86wrDg88FS3rdzNljtrslkjkAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAA=

        """
    static let publicKey = "RWQ8n9UPxqB/wqd6WpBTb3TClgB7qvJT86wrDg88FS3rdzNljtrslkjk"

    /// Adds a library with a manifest; `padding` makes builds of one version differ.
    func add(
        _ name: String, _ version: String = "1.0.0", requires: String = "{}", file: String? = nil,
        padding: [UInt8] = [0]
    ) throws {
        let json = manifestJSON(name, version: version, requires: requires)
        let image = ELFImage(
            machine: try SystemLibrary.machine(),
            [(".atrium.manifest", Array(json.utf8)), (".text", padding)])
        folder.write(image.bytes, to: file ?? "lib\(name).so")
    }

    @discardableResult
    func index(key: String? = nil) throws -> RepositoryWriter.Report {
        try RepositoryWriter.write(path, key: key, now: Timestamp(microseconds: 1_795_434_222_000_000))
    }

    /// The error of writing the index.
    func failure(key: String? = nil) throws -> any ExplainedError {
        let error = #expect(throws: (any Error).self) { try index(key: key) }
        return try #require(error as? any ExplainedError)
    }

    /// The text of the index; empty if there is none.
    var text: String { String(decoding: contents(folder.path("index.json")), as: UTF8.self) }

    /// What a host with these repositories sees.
    func catalog(_ trust: TrustPolicy? = nil) -> RepositoryCatalog {
        var catalog = RepositoryCatalog()
        catalog.add(
            Result { () throws(RepositoryError) in try repository.index(trust) }, of: repository)
        catalog.sort()
        return catalog
    }

    static func policy(_ keys: [String]) throws -> TrustPolicy {
        try TrustPolicy(
            HostConfiguration.Trust(policy: .signed, keys: keys), lock: nil, lockPath: "modules.lock")
    }
}
