import Foundation

/// A PostgreSQL server of its own, in a temporary folder; it stops with the test process.
package final class PostgreSQLServer: Sendable {
    /// The URL of its database, of which the tests' user is the owner.
    package let url: String
    private let process: ServerProcess

    package init() throws {
        process = try ServerProcess(["python3", Self.folder + "server.py", "run"])
        url = process.url
    }

    /// A relay to a server that loses an answer, or all of them; see its file.
    package init(relaying server: PostgreSQLServer) throws {
        process = try ServerProcess(["python3", Self.folder + "relay.py", server.url])
        url = process.url
    }

    /// A pooler between clients and a server, in mode `session`, `transaction` or `statement`.
    package init(pooling server: PostgreSQLServer, _ mode: String) throws {
        process = try ServerProcess(["python3", Self.folder + "pooler.py", server.url, mode])
        url = process.url
    }

    /// Ends it at once, as a crash does.
    package func stop() { process.stop() }

    /// A server shared by the tests that don't stop it; each uses schemas of its own.
    package static func shared() throws -> PostgreSQLServer { try server.get() }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Demos/postgres/").standardizedFileURL.path(percentEncoded: false)

    private static let server = Result { try PostgreSQLServer() }
}
