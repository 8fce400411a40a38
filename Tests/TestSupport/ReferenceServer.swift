import Foundation
import Glibc
import Synchronization

/// The reference server of `Demos/server` on a local free port, for one test or suite.
///
/// It stops when the object is released, with ``stop()``, and when the test process ends for any reason.
package final class ReferenceServer: Sendable {
    /// Its address: `http://127.0.0.1:PORT`.
    package let url: String
    private let process: ServerProcess

    /// The options of a server.
    package struct Settings: Sendable {
        /// Whether it starts with the entities and users of the mock data.
        package var isSeeded = true
        /// The path of its database; nil for one in memory.
        package var data: String?
        /// The lifetime of access and refresh tokens in seconds; nil for the server's default.
        package var accessLife: Int?
        package var refreshLife: Int?
        /// The initial number of entities; nil for the server's default.
        package var rows: Int?
        /// The paths of its certificate and key; nil for plain HTTP.
        package var tls: (certificate: String, key: String)?
        /// The names of collections of records of any kind.
        package var collections: [String] = []

        package init() {}
    }

    /// Starts a server and waits until it listens.
    ///
    /// - Throws: ``ServerError`` if it does not start.
    package init(_ change: (inout Settings) -> Void = { _ in }) throws {
        var settings = Settings()
        change(&settings)
        process = try ServerProcess(Self.arguments(settings))
        url = process.url
    }

    /// Stops it with SIGTERM and waits for its end; a second call does nothing.
    package func stop() {
        process.stop()
    }

    /// Kills it with SIGKILL, like a crash, and waits for its end.
    package func kill() {
        process.stop(SIGKILL)
    }

    /// The port that it listens on.
    package var port: Int { Int(url.split(separator: ":").last ?? "") ?? 0 }

    /// A URL on the server: `server.url("v1/entities?page=1")`.
    package func url(_ path: String) -> String { "\(url)/\(path)" }

    private static func arguments(_ settings: Settings) -> [String] {
        var words = ["python3", Self.script, "--faults", "--quiet", "--port", "0"]
        if settings.isSeeded { words.append("--seed") }
        let options: [(String, (any CustomStringConvertible)?)] = [
            ("--data", settings.data), ("--access-life", settings.accessLife),
            ("--refresh-life", settings.refreshLife), ("--rows", settings.rows),
        ]
        for (name, value) in options {
            if let value { words += [name, "\(value)"] }
        }
        if let tls = settings.tls { words += ["--tls", tls.certificate, tls.key] }
        for name in settings.collections { words += ["--collection", name] }
        return words
    }

    private static let script = URL(filePath: #filePath)
        .deletingLastPathComponent()
        .appending(path: "../../Demos/server/server.py").standardizedFileURL.path(percentEncoded: false)
}

/// Controls of the server: faults, statistics, expired tokens. Not over TLS.
extension ReferenceServer {
    /// A fault, by the name that the server's `_faults` uses.
    package enum Fault: String, Sendable, CaseIterable {
        case slow, unauthorized, rateLimit, serverError, unavailable, brokenJSON, half, close, errorCode
        case huge, wrongType, lost
    }

    /// Injects a fault into requests.
    ///
    /// - Parameters:
    ///   - fault: The kind of fault.
    ///   - path: The prefix of the affected paths; nil for the whole API.
    ///   - method: The affected method; nil for all.
    ///   - count: The number of affected requests; nil for all until the fault is cleared.
    ///   - skip: The number of matching requests before the first affected one.
    ///   - seconds: The delay of `slow`, and the value of `Retry-After`.
    /// - Throws: ``ServerError`` if it does not answer.
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

    /// Removes all faults.
    package func clearFaults() throws {
        try control("DELETE", "_faults")
    }

    /// Counts of requests since the start.
    package struct Statistics: Decodable, Sendable {
        /// The number of requests by operation, such as `GET /v1/entities`.
        package let requests: [String: Int]
        /// The number of token requests by grant: `password`, `refresh`.
        package let tokens: [String: Int]
    }

    /// The current counts.
    package func statistics() throws -> Statistics {
        try JSONDecoder().decode(Statistics.self, from: control("GET", "_stats"))
    }

    /// Makes every issued access token expire.
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

/// The reference server can't be started or controlled.
package struct ServerError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
