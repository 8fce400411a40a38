import Foundation

/// A PostgreSQL server of its own, in a temporary folder; it stops with the test process.
package final class PostgreSQLServer: Sendable {
    /// The URL of its database, of which the tests' user is the owner.
    package let url: String
    private let process: ServerProcess

    package init() throws {
        process = try ServerProcess(["python3", Self.script, "run"])
        url = process.url
    }

    /// Ends it at once, as a crash does.
    package func stop() { process.stop() }

    /// A server shared by the tests that don't stop it; each uses schemas of its own.
    package static func shared() throws -> PostgreSQLServer { try server.get() }

    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Demos/postgres/server.py").standardizedFileURL.path(percentEncoded: false)

    private static let server = Result { try PostgreSQLServer() }
}
