@_spi(Host) package import AtriumKit
internal import AtriumManifest
internal import FoundationEssentials
internal import Synchronization

/// The exchanges of an HTTP Archive, whichever program has written it.
package struct HTTPRecording: Sendable {
    /// The name of the file, for messages.
    let file: String
    let exchanges: [RecordedExchange]
    /// The highest number of a stand-in for a secret.
    let highestStandIn: Int

    /// The largest file that is read, in bytes.
    package static let limit = 256_000_000

    /// Reads an archive.
    ///
    /// - Throws: ``RecordingError`` if it is damaged, or has no entry.
    package init(_ bytes: [UInt8], file: String, allowsEmpty: Bool = false) throws(RecordingError) {
        let json: JSONValue
        do throws(RecordingError.Damage) {
            json = try RecordedJSON.value(of: bytes)
        } catch {
            throw .damaged(file, error.reason)
        }
        guard case .array(let entries)? = json["log"]?["entries"] else {
            throw .damaged(file, "it has no member 'log' with 'entries'")
        }
        var exchanges: [RecordedExchange] = []
        for (index, entry) in entries.enumerated() {
            guard let exchange = RecordedExchange(entry) else {
                throw .damaged(file, "entry \(index + 1) has no method, URL or status")
            }
            exchanges.append(exchange)
        }
        guard allowsEmpty || !exchanges.isEmpty else { throw .isEmpty(file) }
        (self.file, self.exchanges) = (file, exchanges)
        highestStandIn = RecordedSecrets.highest(in: bytes)
    }
}

/// The JSON of a recording, whichever program has written it.
enum RecordedJSON {
    static func value(of bytes: [UInt8]) throws(RecordingError.Damage) -> JSONValue {
        // Some programs on other systems begin with a byte order mark.
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        guard bytes.contains(where: { $0 > 32 }) else { throw RecordingError.Damage(reason: "it is empty") }
        if let json = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)) { return json }
        var position = ""
        do { _ = try LocatedJSON(parsing: bytes) } catch {
            position = " at line \(error.position.line), column \(error.position.column)"
        }
        throw RecordingError.Damage(reason: "it is not JSON\(position)")
    }
}

/// The reason that a recording can't be used.
package struct RecordingError: ExplainedError {
    package let code: ErrorCode = "badRecording"
    package let message: String
    package let hint: String?
    package let category = ErrorCategory.usage

    /// The reason that a file is no recording.
    struct Damage: Error { let reason: String }

    static func damaged(_ file: String, _ reason: String) -> RecordingError {
        RecordingError(
            message: "'\(file)' is not an HTTP Archive: \(reason).",
            hint:
                "Record one with --record-http FILE, or save one with content from a browser's network tools."
        )
    }

    static func isEmpty(_ file: String) -> RecordingError {
        RecordingError(
            message: "The recording '\(file)' has no requests.",
            hint: "Record some: atrium --env live --record-http FILE")
    }
}

/// A transport that answers from a recording, without a network.
///
/// Equal requests get their answers in the order of the recording; a read gets those between the last change
/// that was answered and the next recorded one, then the last of them again. So screens may read more or less often
/// than they did. Requests are equal if method, URL and body are; secrets and fields don't count.
package final class HTTPReplay: HTTPTransport {
    private struct Index {
        /// The exchanges of equal requests, each with its position in the recording.
        let exchanges: [RequestKey: [(position: Int, exchange: RecordedExchange)]]
        let names: [(name: String, key: RequestKey)]
        /// The positions of the changes.
        private let changes: [Int]
        private var used: Set<Int> = []
        /// The position of the last change that was answered.
        private var last = -1

        init(_ recorded: [RecordedExchange], _ rule: SecretRule, isChange: (RecordedExchange) -> Bool) {
            let keys = recorded.map { RequestKey($0, rule) }
            exchanges = Dictionary(grouping: recorded.indices) { keys[$0] }
                .mapValues { $0.map { ($0, recorded[$0]) } }
            names = zip(recorded, keys).map { ($0.name, $1) }
            changes = recorded.indices.filter { isChange(recorded[$0]) }
        }

        /// Uses one of some answers to equal requests; nil if all are used, and the request is no read.
        mutating func use(
            _ fitting: [(position: Int, exchange: RecordedExchange)], isRead: Bool
        ) -> RecordedExchange? {
            let next = changes.first { $0 > last } ?? .max
            let present = isRead ? fitting.filter { last < $0.position && $0.position < next } : fitting
            let unused = present.first { !used.contains($0.position) }
            let again = isRead ? present.last ?? fitting.last { $0.position < next } ?? fitting.first : nil
            guard let found = unused ?? again else { return nil }
            used.insert(found.position)
            if changes.contains(found.position) { last = found.position }
            return found.exchange
        }
    }

    private let recording: HTTPRecording
    private let rule: SecretRule
    private let tokenPaths: [String]
    /// Nil before the first request.
    private let index = Mutex<Index?>(nil)
    private var file: String { recording.file }

    /// Answers the requests of an API, by whose names secrets are known.
    package init(_ recording: HTTPRecording, of configuration: APIConfiguration) {
        (self.recording, rule) = (recording, SecretRule(configuration))
        let authorization = configuration.conventions.authorization
        tokenPaths = [authorization.tokenPath, authorization.refreshPath, authorization.revokePath]
            .compactMap(\.self)
    }

    /// True for what may change the answers to reads; tokens are renewed at other moments than in the recording.
    private func isChange(_ exchange: RecordedExchange) -> Bool {
        guard !HTTPMethod(rawValue: exchange.method).isSafe else { return false }
        let path = exchange.url.prefix { $0 != "?" }
        return !tokenPaths.contains { path.hasSuffix($0) }
    }

    package func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try answer(request)
    }

    package func download(
        _ request: HTTPRequest, to path: String, progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> HTTPResponse {
        var response = try answer(request)
        guard (200..<300).contains(response.status) else { return response }
        try AtomicFile.write(response.body, to: path, synchronizing: false)
        let count = Int64(response.body.count)
        progress(TransferProgress(received: count, expected: count))
        response.body = []
        return response
    }

    private func answer(_ request: HTTPRequest) throws -> HTTPResponse {
        try Task.checkCancellation()
        let key = RequestKey(RecordedExchange(request, at: ""), rule)
        let found = try index.withLock { index in
            var made = index ?? Index(recording.exchanges, rule, isChange: isChange)
            index = nil
            defer { index = made }
            // A browser asks whether its copy is current, and this host may have none.
            let fitting = made.exchanges[key, default: []].filter {
                $0.exchange.status != 304 || request.fields["If-None-Match"] != nil
            }
            guard !fitting.isEmpty else { throw notRecorded(key, made.names) }
            guard let found = made.use(fitting, isRead: request.method.isSafe) else {
                throw isUsedUp(key, fitting.count)
            }
            return found
        }
        if let failure = found.failure { throw failure }
        // Answers without a body, whatever a program has written.
        let isBare = request.method == .head || [204, 304].contains(found.status)
        guard let body = isBare ? [] : found.responseBody.bytes else {
            throw TransportError(
                "notRecorded", "'\(file)' has no body for the answer to '\(key.name)'.",
                hint: "Record it again; a browser saves bodies with 'Save all as HAR with content'.",
                neverSent: true)
        }
        return HTTPResponse(status: found.status, fields: found.responseFields, body: body)
    }

    // MARK: - Failures

    private func notRecorded(
        _ key: RequestKey, _ names: [(name: String, key: RequestKey)]
    ) -> TransportError {
        let nearest = names.max { $0.key.likeness(to: key) < $1.key.likeness(to: key) }
        let hint = nearest.map {
            $0.key == key
                ? "The recording has only a 304 answer, which has no body."
                : $0.key.name == key.name
                    ? "The recording has '\($0.name)' with another body."
                    : "The nearest recorded request is '\($0.name)'."
        }
        return TransportError(
            "notRecorded", "'\(file)' has no answer to '\(key.name)'.", hint: hint, neverSent: true)
    }

    private func isUsedUp(_ key: RequestKey, _ count: Int) -> TransportError {
        TransportError(
            "notRecorded",
            "'\(file)' has only \(count == 1 ? "one answer" : "\(count) answers") to '\(key.name)', and "
                + (count == 1 ? "it is used." : "all are used."),
            hint: "Record more of them, or restart the host.", neverSent: true)
    }
}

/// The parts of a request by which its answer is found, without secrets.
private struct RequestKey: Hashable, Sendable {
    let method: String
    let url: String
    private let json: JSONValue?
    private let body: [UInt8]

    init(_ exchange: RecordedExchange, _ rule: SecretRule) {
        let walk = RecordedSecrets.hiding(rule) { walk in
            _ = (walk.url(exchange.url), walk.body(exchange.requestBody))
        }
        method = exchange.method
        url = walk.url(exchange.url)
        let hidden = walk.body(exchange.requestBody)
        if case .form(let form) = hidden {
            (json, body) = (form.json, [])
            return
        }
        let body = hidden.bytes ?? []
        json = try? JSONDecoder().decode(JSONValue.self, from: Data(body))
        self.body = json == nil ? body : []
    }

    var name: String { "\(method) \(url)" }

    /// The number of characters at both ends in which the URLs agree; equal methods count more than any URL.
    func likeness(to other: RequestKey) -> Int {
        let (one, two) = (Array(url.utf8), Array(other.url.utf8))
        let start = zip(one, two).prefix { $0 == $1 }.count
        let end = zip(one.reversed(), two.reversed()).prefix { $0 == $1 }.count
        let isSame = self == other ? 2_000_000 : url == other.url ? 1_000_000 : start + end
        return isSame + (method == other.method ? 1_000 : 0)
    }
}
