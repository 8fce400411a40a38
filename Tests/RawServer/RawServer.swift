internal import Foundation
internal import Glibc
internal import Synchronization

/// A server that answers with any bytes, valid or not, and stops when it is released.
package final class RawServer: Sendable {
    /// A received request.
    package struct Request: Sendable {
        /// The number of the connection, from 0; `number` counts its requests, from 0.
        package let connection: Int
        package let number: Int
        package let head: String
        package let body: [UInt8]

        package var line: String { String(head.prefix { $0 != "\r\n" }) }
    }

    /// The bytes of a response; afterwards the connection stays open or is closed.
    package struct Answer: Sendable {
        package var bytes: [UInt8]
        package var closes = false
        /// Whether the connection is reset, so that the client may lose what it has not read.
        package var resets = false
        /// Repeats the bytes until the connection is closed.
        package var isEndless = false
        /// What is sent once ``RawServer/sendIdle()`` is called, before the connection stays open or is closed.
        package var idle: [UInt8]?
        /// Sends each byte by itself.
        package var isDripped = false
        /// Closes the connection unless another request follows within a few milliseconds.
        package var isImpatient = false

        package init(_ text: String, closes: Bool = false) {
            self.init(bytes: Array(text.utf8), closes: closes)
        }

        package init(bytes: [UInt8], closes: Bool = false) {
            self.bytes = bytes
            self.closes = closes
        }

        /// A valid response.
        package static func body(_ body: String, status: String = "200 OK", fields: String = "") -> Answer {
            Answer("HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }

        /// No response: the connection is closed.
        package static let nothing = Answer("", closes: true)
    }

    package let url: String
    private let listener: CInt
    private let record = Record()

    private final class Record: Sendable {
        let (idle, idleSent) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let state = Mutex((requests: [Request](), connections: [CInt](), count: 0))
    }

    /// - Parameters:
    ///   - greeting: Text that is sent on each new connection before any request.
    ///   - answer: Returns the response to each request.
    package convenience init(greeting: String = "", _ answer: @escaping @Sendable (Request) -> Answer) {
        self.init(greeting, resetAfter: nil, answer)
    }

    /// A server that resets each connection after reading so many bytes of it.
    package convenience init(resettingAfter count: Int) {
        self.init("", resetAfter: count) { _ in .nothing }
    }

    private init(
        _ greeting: String, resetAfter: Int?, _ answer: @escaping @Sendable (Request) -> Answer
    ) {
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                precondition(bind(listener, $0, length) == 0 && listen(listener, 128) == 0)
                getsockname(listener, $0, &length)
            }
        }
        self.listener = listener
        url = "http://127.0.0.1:\(in_port_t(bigEndian: address.sin_port))"
        let record = record
        Thread.detachNewThread { Self.accept(listener, greeting, resetAfter, record, answer) }
    }

    deinit {
        shutdown(listener, CInt(SHUT_RDWR))
        record.state.withLock { for connection in $0.connections { shutdown(connection, CInt(SHUT_RDWR)) } }
    }

    /// The requests so far.
    package var requests: [Request] { record.state.withLock { $0.requests } }

    package var openConnections: Int { record.state.withLock { $0.connections.count } }

    /// Sends what an answer has for its idle connection, and returns once that has arrived.
    package func sendIdle() {
        record.idle.signal()
        record.idleSent.wait()
    }

    /// How many connections there have been.
    package var connectionCount: Int { record.state.withLock { $0.count } }

    // MARK: - Connections

    private static func accept(
        _ listener: CInt, _ greeting: String, _ resetAfter: Int?, _ record: Record,
        _ answer: @escaping @Sendable (Request) -> Answer
    ) {
        var count = 0
        while true {
            let connection = Glibc.accept(listener, nil, nil)
            if connection < 0 { break }
            let number = count
            count += 1
            record.state.withLock {
                $0.connections.append(connection)
                $0.count += 1
            }
            if let resetAfter {
                Thread.detachNewThread { readAndReset(connection, resetAfter, record) }
                continue
            }
            if !greeting.isEmpty { _ = send(Array(greeting.utf8), connection) }
            Thread.detachNewThread { serve(connection, number, record, answer) }
        }
        close(listener)
    }

    private static func serve(
        _ connection: CInt, _ number: Int, _ record: Record,
        _ answer: @escaping @Sendable (Request) -> Answer
    ) {
        var count = 0
        while let (head, body) = read(connection) {
            let request = Request(connection: number, number: count, head: head, body: body)
            count += 1
            record.state.withLock { $0.requests.append(request) }
            let answer = answer(request)
            repeat {
                guard send(answer.bytes, connection, inSteps: answer.isDripped) else { break }
            } while answer.isEndless
            if answer.resets { reset(connection) }
            if let idle = answer.idle {
                record.idle.wait()
                _ = send(idle, connection)
                if answer.closes { shutdown(connection, CInt(SHUT_WR)) }
                record.idleSent.signal()
            }
            if answer.closes || answer.resets || answer.isImpatient && !isReadable(connection) { break }
        }
        record.state.withLock { $0.connections.removeAll { $0 == connection } }
        close(connection)
    }

    private static func isReadable(_ connection: CInt) -> Bool {
        var entry = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 5) > 0
    }

    private static func readAndReset(_ connection: CInt, _ count: Int, _ record: Record) {
        var rest = count
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while rest > 0 {
            let read = recv(connection, &chunk, min(rest, chunk.count), 0)
            guard read > 0 else { break }
            rest -= read
        }
        reset(connection)
        record.state.withLock { $0.connections.removeAll { $0 == connection } }
        close(connection)
    }

    /// Makes closing the connection a reset.
    static func reset(_ connection: CInt) {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(connection, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    }

    private static func send(_ bytes: [UInt8], _ connection: CInt, inSteps: Bool = false) -> Bool {
        var rest = bytes[...]
        if inSteps {
            var isOn: CInt = 1
            setsockopt(
                connection, CInt(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<CInt>.size))
            return bytes.allSatisfy { send([$0], connection) }
        }
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Reads one request; nil at the end of the connection.
    private static func read(_ connection: CInt) -> (head: String, body: [UInt8])? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        var end: Int?
        var length = 0
        while end == nil || bytes.count < end! + length {
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            bytes += chunk.prefix(count)
            if end == nil, let range = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                end = range.upperBound
                length = contentLength(String(decoding: bytes[..<range.upperBound], as: UTF8.self))
            }
        }
        guard let end else { return nil }
        return (String(decoding: bytes[..<end], as: UTF8.self), Array(bytes[end...]))
    }

    private static func contentLength(_ head: String) -> Int {
        head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
    }
}
