import Glibc
import TestSupport
import Testing

/// A shared library of this system, for tests to read and to damage copies of it.
enum SystemLibrary {
    /// The path of libm, or otherwise libc, as mapped into this process.
    static func path() throws -> String {
        let lines = String(decoding: contents("/proc/self/maps"), as: UTF8.self).split(separator: "\n")
        let mapped = lines.compactMap { line in line.firstIndex(of: "/").map { String(line[$0...]) } }
        return try #require(
            mapped.first { $0.hasSuffix("/libm.so.6") } ?? mapped.first { $0.hasSuffix("/libc.so.6") })
    }

    /// The value of `e_machine` in this system's libraries.
    static func machine() throws -> [UInt8] {
        Array(contents(try path())[18..<20])
    }
}
