internal import Glibc

/// The environment of the process.
package enum ProcessVariables {
    /// Environment variables by name.
    package static var all: [String: String] { parse(bytes) }

    /// Variables by name, of ``bytes``; for a name that occurs twice, the value that `getenv` returns.
    package static func parse(_ bytes: [UInt8]) -> [String: String] {
        let entries = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        let pairs = entries.map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
        return Dictionary(
            pairs.filter { $0.count == 2 }.map { (String($0[0]), String($0[1])) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The entries, each with its zero byte, which are cheap to compare.
    package static var bytes: [UInt8] {
        var bytes: [UInt8] = []
        guard var next = list else { return [] }
        while let entry = next.pointee {
            bytes.append(contentsOf: UnsafeRawBufferPointer(start: entry, count: strlen(entry) + 1))
            next += 1
        }
        return bytes
    }

    /// A number made of the addresses of the entries, which change with each variable that is set or removed.
    package static var fingerprint: UInt {
        guard var next = list else { return 0 }
        var fingerprint: UInt = 1
        while let entry = next.pointee {
            fingerprint = fingerprint &* 31 &+ UInt(bitPattern: entry)
            next += 1
        }
        return fingerprint
    }

    /// The C library's `environ`; nil after `clearenv`, when Swift's `environ` traps.
    static var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
        dlsym(nil, "environ")?.load(as: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?.self)
    }
}
