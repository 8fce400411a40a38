internal import Synchronization

/// Makes ids: random ones, or the same in each run of a host with `--clock`.
///
/// ```swift
/// let note = Note(id: context.ids.next(), text: text)
/// ```
///
/// Ids of a host with `--clock` can be guessed. Make tokens, passwords and encryption keys with the system's
/// random numbers.
public struct IDSource: Sendable {
    /// Returns the next position in a fixed sequence; nil for random ids.
    private let position: (@Sendable () -> UInt64)?
    private let seed: UInt64

    /// Random ids.
    public static let random = IDSource(seed: 0, position: nil)

    /// The ids of a seed, always in the same order; for tests.
    public static func fixed(seed: UInt64 = 0) -> IDSource {
        let count = Counter()
        return IDSource(seed: seed) { count.next() }
    }

    /// The ids of a seed at positions that the host counts.
    @_spi(Host) public init(seed: UInt64, position: (@Sendable () -> UInt64)?) {
        (self.seed, self.position) = (Self.mixed(seed), position)
    }

    /// Returns a new id: 32 hexadecimal digits in lower case.
    public func next() -> String {
        guard let position else {
            return Self.text(.random(in: 0 ... .max)) + Self.text(.random(in: 0 ... .max))
        }
        let first = position() &* 2
        return Self.text(bits(first)) + Self.text(bits(first &+ 1))
    }

    /// The number at an index of SplitMix64: none occurs twice.
    private func bits(_ index: UInt64) -> UInt64 {
        Self.mixed(seed &+ (index &+ 1) &* 0x9E37_79B9_7F4A_7C15)
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var bits = value
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    private static func text(_ bits: UInt64) -> String {
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private final class Counter: Sendable {
        private let count = Atomic<UInt64>(0)
        func next() -> UInt64 { count.wrappingAdd(1, ordering: .relaxed).oldValue }
    }
}
