import Foundation
import Glibc
import Synchronization

/// The reference server of `Demos/server`, on a free port of this machine, for one test or suite.
///
/// Ends with the object, with ``stop()``, and with the process of the tests, however that ends.
package final class ReferenceServer: Sendable {
    /// Where it listens: `http://127.0.0.1:PORT`.
    package let url: String
    private let process: ServerProcess

    /// How a server is started.
    package struct Settings: Sendable {
        /// Whether it begins with the entities and users of the mock data.
        package var isSeeded = true
        /// The database; nil for one in memory.
        package var data: String?
        /// How long access and refresh tokens live, in seconds; nil for the server's default.
        package var accessLife: Int?
        package var refreshLife: Int?
        /// How many entities it begins with; nil for the server's default.
        package var rows: Int?
        /// 0 for a free port.
        package var port = 0
        /// The files of its certificate and its key; nil for plain HTTP.
        package var tls: (certificate: String, key: String)?

        package init() {}
    }

    /// Starts a server, and waits until it listens.
    ///
    /// - Throws: ``ServerError`` where it does not.
    package init(_ change: (inout Settings) -> Void = { _ in }) throws {
        var settings = Settings()
        change(&settings)
        process = try ServerProcess(Self.arguments(settings))
        url = process.url
    }

    /// Ends it as SIGTERM does, and waits for that; a second time does nothing.
    package func stop() {
        process.stop()
    }

    /// Ends it as a failing machine does, and waits for that.
    package func kill() {
        process.stop(SIGKILL)
    }

    /// Its port.
    package var port: Int { Int(url.split(separator: ":").last ?? "") ?? 0 }

    /// A URL of it: `server.url("v1/entities?page=1")`.
    package func url(_ path: String) -> String { "\(url)/\(path)" }

    private static func arguments(_ settings: Settings) -> [String] {
        var words = ["python3", Self.script, "--faults", "--quiet", "--port", "\(settings.port)"]
        if settings.isSeeded { words.append("--seed") }
        let options: [(String, (any CustomStringConvertible)?)] = [
            ("--data", settings.data), ("--access-life", settings.accessLife),
            ("--refresh-life", settings.refreshLife), ("--rows", settings.rows),
        ]
        for (name, value) in options {
            if let value { words += [name, "\(value)"] }
        }
        if let tls = settings.tls { words += ["--tls", tls.certificate, tls.key] }
        return words
    }

    private static let script = URL(filePath: #filePath)
        .deletingLastPathComponent()
        .appending(path: "../../Demos/server/server.py").standardizedFileURL.path()
}

/// Controls of the server: faults, statistics, expired tokens. Not over TLS.
extension ReferenceServer {
    /// What a server can do wrong, as its `_faults` names it.
    package enum Fault: String, Sendable, CaseIterable {
        case slow, unauthorized, rateLimit, serverError, unavailable, brokenJSON, half, close, errorCode
        case huge, wrongType, lost
    }

    /// Lets requests go wrong.
    ///
    /// - Parameters:
    ///   - fault: What goes wrong.
    ///   - path: The prefix of the paths that it befalls; nil for all of the API.
    ///   - method: The method that it befalls; nil for all.
    ///   - count: How many requests it befalls; nil until it is cleared.
    ///   - skip: How many are left alone before.
    ///   - seconds: How long `slow` waits, and what `Retry-After` says.
    /// - Throws: ``ServerError`` where it does not answer.
    package func add(
        _ fault: Fault, on path: String? = nil, method: String? = nil, count: Int? = 1, skip: Int = 0,
        seconds: Double? = nil
    ) throws {
        var body: [String: Any] = ["fault": fault.rawValue, "count": count ?? NSNull(), "skip": skip]
        if let path { body["path"] = path }
        if let method { body["method"] = method }
        if let seconds { body["seconds"] = seconds }
        try control("POST", "_faults", JSONSerialization.data(withJSONObject: body))
    }

    /// Lets nothing go wrong any more.
    package func clearFaults() throws {
        try control("DELETE", "_faults")
    }

    /// What it was asked since its start or the last ``resetStatistics()``.
    package struct Statistics: Decodable, Sendable {
        /// How often each operation was asked for: `GET /v1/entities`.
        package let requests: [String: Int]
        /// How often tokens were asked for, by grant: `password`, `refresh`.
        package let tokens: [String: Int]
        /// How many connections were made.
        package let connections: Int
    }

    /// What it was asked so far.
    package func statistics() throws -> Statistics {
        try JSONDecoder().decode(Statistics.self, from: control("GET", "_stats"))
    }

    /// Resets the counters.
    package func resetStatistics() throws {
        try control("DELETE", "_stats")
    }

    /// Lets every access token expire that it issued so far.
    package func expireTokens() throws {
        try control("POST", "_expire")
    }

    @discardableResult
    private func control(_ method: String, _ path: String, _ body: Data = Data()) throws -> Data {
        let answer = try PlainHTTP.ask(method, path, body, port: port)
        guard (200..<300).contains(answer.status) else {
            throw ServerError("\(method) /\(path) was answered with status \(answer.status).")
        }
        return answer.body
    }
}

/// Why the reference server can't be started or controlled.
package struct ServerError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
