@_spi(Host) import AtriumKit
import AtriumNavigation
import AtriumStorage
import Glibc

@testable import AtriumMCP
@testable import AtriumPrompt
@testable import AtriumServing
@testable import AtriumSession

extension FuzzTarget {
    /// What another process sends to a host: messages, to a scene or before there is one.
    static let messages = FuzzTarget(name: "messages") { bytes in
        var choices = Choices(bytes)
        let hasScene = choices.byte() % 4 != 0
        let input = Array(choices.rest)
        for line in input.split(separator: UInt8(ascii: "\n")) { try readBack(Array(line)) }
        let socket = try connect()
        defer { close(socket) }
        var text = hasScene ? Array((hello + "\n").utf8) : []
        text += input + Array("\n\(last)\n".utf8)
        try converse(text, over: socket)
    }

    private static let hello = #"{"jsonrpc":"2.0","id":"first","method":"hello","params":{"protocol":1}}"#
    private static let last = #"{"jsonrpc":"2.0","id":"last","method":"nosuch"}"#
    private static let numbers: Set = [-32700, -32600]

    /// A message that is sent on is read as the same.
    private static func readBack(_ line: [UInt8]) throws {
        let again: RPCMessage
        switch RPCMessage(line: line) {
        case .request(let id, let method, _):
            again = RPCMessage(line: bytes(of: RPCMessage.request(id, method, [:])))
            guard case .request(id, method: method, _) = again else { throw broken(again) }
        case .notification(let method, _):
            again = RPCMessage(line: bytes(of: RPCMessage.notification(method, [:])))
            guard case .notification(method: method, _) = again else { throw broken(again) }
        case .response(let id, _):
            again = RPCMessage(line: bytes(of: RPCMessage.result(id, [:])))
            guard case .response(id, .success) = again else { throw broken(again) }
        case .refusal(let error):
            again = RPCMessage(line: bytes(of: RPCMessage.failure(nil, error)))
            guard case .refusal = again else { throw broken(again) }
        case .invalid(let id, let error):
            try require(numbers.contains(error.number), "an invalid message has error \(error.number)")
            again = RPCMessage(line: bytes(of: RPCMessage.failure(id ?? .number(0), error)))
            guard case .response(id ?? .number(0), .failure) = again else { throw broken(again) }
        }
    }

    private static func bytes(of line: String) -> [UInt8] { Array(line.utf8.dropLast()) }

    private static func broken(_ message: RPCMessage) -> BrokenRule {
        BrokenRule(description: "a message is read back as \(message)")
    }

    /// A connection to a host that all inputs share.
    private static func connect() throws -> CInt {
        var sockets: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets) == 0 else {
            throw BrokenRule(description: "socketpair: \(errno)")
        }
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let other = sockets[1]
        try wait { @MainActor in try server.get().serve(other) }
        return sockets[0]
    }

    @MainActor private static let server = Result {
        let host = try TestHost()
        hosts.append(host)
        let server = SceneServer(
            host.host, in: try DataFolder(explicit: "/nowhere"),
            as: HostIdentity(
                kind: .none, environment: .mock, api: nil, configurationFile: "/modules.json"),
            restore: { _, _ in NavigationState() }, forget: { _ in })
        server.servePrograms()
        return server
    }
    @MainActor private static var hosts: [TestHost] = []

    /// The host answers up to the last message, or ends the connection.
    private static func converse(_ text: [UInt8], over socket: CInt) throws {
        var rest = text[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
        var answer: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        let end = Array(#""id":"last","#.utf8)
        while true {
            let count = recv(socket, &piece, piece.count, 0)
            if count == 0 || count < 0 && errno == ECONNRESET { return }
            guard count > 0 else { throw BrokenRule(description: "the host is silent: \(errno)") }
            answer += piece[..<count]
            if answer.suffix(count + end.count).firstRange(of: end) != nil { return }
        }
    }
}
