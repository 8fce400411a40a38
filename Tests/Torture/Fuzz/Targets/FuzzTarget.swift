import Dispatch
import Glibc

/// A part of the host that reads bytes from outside, with the rules that hold for all bytes.
///
/// The fuzzer (`Driver`) and the short form in `make test` (`Short`) call the same targets.
struct FuzzTarget: Sendable {
    let name: String
    /// Reads an input, not on the main thread; throws ``BrokenRule``.
    let read: @Sendable ([UInt8]) throws -> Void

    static let all: [FuzzTarget] = [
        .lines, .arguments, .commands, .manifest, .library, .links, .state, .answers, .rows, .text, .trust,
        .messages,
    ]
}

/// A rule that does not hold for the input.
struct BrokenRule: Error, CustomStringConvertible {
    let description: String
}

func require(_ holds: Bool, _ rule: @autoclosure () -> String) throws {
    if !holds { throw BrokenRule(description: rule()) }
}

/// Waits on this thread for asynchronous work.
func wait(for work: @escaping @Sendable () async throws -> Void) throws {
    let outcome = Outcome()
    let done = DispatchSemaphore(value: 0)
    Task {
        do { try await work() } catch { outcome.error = error }
        done.signal()
    }
    done.wait()
    if let error = outcome.error { throw error }
}

/// Written before the semaphore is signalled and read after it.
private final class Outcome: @unchecked Sendable {
    var error: (any Error)?
}

/// Takes numbers and pieces from the front of an input.
struct Choices {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func byte() -> Int { Int(rest.popFirst() ?? 0) }

    mutating func integer() -> Int64 {
        (0..<8).reduce(0) { value, _ in value << 8 | Int64(byte()) }
    }

    /// The bytes up to the next zero byte.
    mutating func piece() -> [UInt8] {
        let piece = rest.prefix { $0 != 0 }
        rest = rest.dropFirst(piece.count + 1)
        return Array(piece)
    }

    mutating func text() -> String { String(decoding: piece(), as: UTF8.self) }
}

/// A file in memory with these bytes, for readers that take a path.
func withFile<Result>(_ bytes: some Sequence<UInt8>, _ body: (String) throws -> Result) throws -> Result {
    let name = "/atrium-fuzz-\(getpid())-\(UInt.random(in: 0 ... .max))"
    let descriptor = shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw BrokenRule(description: "shm_open: \(errno)") }
    shm_unlink(name)
    defer { close(descriptor) }
    let bytes = Array(bytes)
    var written = 0
    while written < bytes.count {
        let count = bytes.withUnsafeBytes {
            write(descriptor, $0.baseAddress! + written, bytes.count - written)
        }
        guard count > 0 else { throw BrokenRule(description: "write: \(errno)") }
        written += count
    }
    return try body("/proc/self/fd/\(descriptor)")
}
