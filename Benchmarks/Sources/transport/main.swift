import AtriumKit
import BenchSupport
import CurlEasy
import Glibc
import HTTPTransport
import MainQueue

/// Times calls through the transport and through curl's easy interface.
///
/// Usage: transport serve, which serves; or transport SERVER FOLDER, which reads lines of words, separated by tabs:
/// - `call CASE SIDE TIMES` makes a call; CASE is `small`, `page`, `download` or `upload`, SIDE is `transport` or
///   `easy`
/// - `first` makes the first call of a new transport
/// - `begin CALLS CONNECTIONS` begins calls that the server holds, over so many connections; `end` lets them end
///
/// Calls are made off the main actor. Results begin with wall-clock and processor time in nanoseconds.
struct Calls: Sendable {
    let transport: CurlTransport
    let server: String
    let folder: String

    static let largeSize = 100_000_000
    static let uploadSize = 20_000_000

    func run(_ name: String, isEasy: Bool, _ times: Int) async throws -> String {
        let start = Stopwatch()
        for _ in 0..<times {
            let size = isEasy ? easy(name) : try await sent(name)
            precondition(size == Self.size(name), "\(name) has \(size) bytes.")
        }
        return start.elapsed
    }

    private static func size(_ name: String) -> Int {
        switch name {
        case "small": 200
        case "page": 20_000
        case "download": largeSize
        default: 0
        }
    }

    private func url(_ name: String) -> String { "\(server)/bytes/\(Self.size(name))" }

    private func easy(_ name: String) -> Int {
        switch name {
        case "download": easy_download(url(name), "\(folder)/easy")
        case "upload": easy_upload(url(name), "\(folder)/upload")
        default: easy_get(url(name))
        }
    }

    private func sent(_ name: String) async throws -> Int {
        switch name {
        case "download":
            _ = try await transport.download(HTTPRequest(.get, url(name)), to: "\(folder)/transport") { _ in }
            var status = stat()
            return stat("\(folder)/transport", &status) == 0 ? status.st_size : -1
        case "upload":
            let request = HTTPRequest(.put, url(name), body: .file("\(folder)/upload"))
            return try await transport.send(request).body.count
        default:
            return try await transport.send(HTTPRequest(.get, url(name))).body.count
        }
    }
}

/// Calls that the server holds.
actor HeldCalls {
    private let server: String
    private var calls: [Task<Void, any Error>] = []

    init(_ server: String) { self.server = server }

    /// - Returns: How many the server holds, once it holds all that have a connection.
    func begin(_ count: Int, _ connections: Int) async throws -> Int {
        let transport = CurlTransport(TransportLimits(connections: connections))
        calls = (0..<count).map { _ in
            Task { [server] in
                let request = HTTPRequest(.get, server + "/hold", timeLimit: .seconds(300))
                let status = try await transport.send(request).status
                precondition(status == 200, "The server answered \(status).")
            }
        }
        while easy_get(server + "/held") < min(count, connections) {
            try await Task.sleep(for: .milliseconds(10))
        }
        return easy_get(server + "/held")
    }

    func end() async throws {
        // Those that waited for a connection are held too.
        for call in calls {
            _ = easy_get(server + "/release")
            try await call.value
        }
        calls = []
        _ = easy_get(server + "/held")
    }
}

func answer(_ words: [String], _ calls: Calls, _ held: HeldCalls) async throws -> String {
    switch words[0] {
    case "call": return try await calls.run(words[1], isEasy: words[2] == "easy", Int(words[3])!)
    case "first":
        return try await Calls(transport: CurlTransport(), server: calls.server, folder: calls.folder)
            .run("small", isEasy: false, 1)
    case "begin": return "\(try await held.begin(Int(words[1])!, Int(words[2])!))"
    default:
        try await held.end()
        return "ended"
    }
}

if CommandLine.arguments[1] == "serve" { exit(serve()) }
Task { @MainActor in
    let (server, folder) = (CommandLine.arguments[1], CommandLine.arguments[2])
    let calls = Calls(transport: CurlTransport(), server: server, folder: folder)
    let held = HeldCalls(server)
    while let line = readLine() {
        let words = line.split(separator: "\t").map(String.init)
        print(try await Task.detached { try await answer(words, calls, held) }.value)
        fflush(nil)
    }
    exit(0)
}
MainQueue.run()
