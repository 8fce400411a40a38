internal import Glibc

/// A server that is a program of the system, on a free local port, with TLS.
///
/// It may not listen yet when it is made. It stops when it is released, and when the test process ends.
package final class ProgramServer: Sendable {
    /// Its address: `https://127.0.0.1:PORT`.
    package let url: String
    private let process: ServerProcess

    /// Starts a server; `words` are the program and its arguments for a port.
    package init(_ words: (_ port: Int) -> [String]) throws {
        let port = Self.freePort()
        let script = "echo Listening on https://127.0.0.1:\(port); exec \"$@\" >/dev/null 2>&1"
        process = try ServerProcess(["sh", "-c", script, "sh"] + words(port))
        url = "https://127.0.0.1:\(port)"
    }

    private static func freePort() -> Int {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                precondition(bind(descriptor, $0, length) == 0)
                getsockname(descriptor, $0, &length)
            }
        }
        return Int(in_port_t(bigEndian: address.sin_port))
    }
}
