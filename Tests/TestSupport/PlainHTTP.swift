import Foundation
import Glibc

/// Sends one HTTP request on its own connection, independently of the transport under test.
enum PlainHTTP {
    /// Sends a request and reads the response to the end of the connection.
    static func ask(
        _ method: String, _ path: String, _ body: Data, port: Int
    ) throws -> (status: Int, body: Data) {
        let descriptor = try connect(to: port)
        defer { close(descriptor) }
        let head = """
            \(method) /\(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r
            Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n
            """
        try send(Data(head.utf8) + body, to: descriptor)
        let answer = try receive(descriptor)
        guard let end = answer.firstRange(of: Data("\r\n\r\n".utf8)),
            let status = Int(String(decoding: answer.dropFirst(9).prefix(3), as: UTF8.self))
        else { throw ServerError("\(method) /\(path) was not answered.") }
        return (status, Data(answer[end.upperBound...]))
    }

    private static func connect(to port: Int) throws -> CInt {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard descriptor >= 0, result == 0 else {
            close(descriptor)
            throw ServerError("No server listens on port \(port).")
        }
        return descriptor
    }

    private static func send(_ bytes: Data, to descriptor: CInt) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw ServerError("The server does not read.") }
            rest = rest.dropFirst(count)
        }
    }

    private static func receive(_ descriptor: CInt) throws -> Data {
        var all = Data()
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count >= 0 else { throw ServerError("The server does not answer: \(errno).") }
            if count == 0 { return all }
            all += chunk.prefix(count)
        }
    }
}
