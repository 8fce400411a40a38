import Glibc
import TestSupport
import Testing

/// A shared library of this machine, to be read and damaged in copies.
enum SystemLibrary {
    /// The path of the C library's part for mathematics, or of the C library itself, as this process maps it.
    static func path() throws -> String {
        let lines = String(decoding: contents("/proc/self/maps"), as: UTF8.self).split(separator: "\n")
        let mapped = lines.compactMap { line in line.firstIndex(of: "/").map { String(line[$0...]) } }
        return try #require(
            mapped.first { $0.hasSuffix("/libm.so.6") } ?? mapped.first { $0.hasSuffix("/libc.so.6") })
    }

    /// The number by which this machine's libraries tell their machine.
    static func machine() throws -> [UInt8] {
        Array(contents(try path())[18..<20])
    }
}
