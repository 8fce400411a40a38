import Foundation
import Testing

/// The resident memory of a process.
struct ProcessMemory {
    /// Bytes of anonymous memory, which includes written pages of mapped files.
    let own: Int
    /// Bytes of mapped files that are not written to.
    let ofFiles: Int

    /// Reads `/proc/PROCESS/status` (proc_pid_status(5)).
    init(of process: Int32) throws {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        func bytes(_ name: String) throws -> Int {
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(name + ":") })
            return try #require(Int(line.filter(\.isNumber))) * 1024
        }
        own = try bytes("RssAnon")
        ofFiles = try bytes("RssFile")
    }
}
