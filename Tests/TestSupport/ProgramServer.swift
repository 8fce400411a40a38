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

    /// A port that the system gives to nobody: one that it gave could be another server's before this one listens.
    private static func freePort() -> Int {
        while true {
            let port = in_port_t.random(in: 10_000..<32_768)
            let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            let isFree = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            if isFree { return Int(port) }
        }
    }
}
