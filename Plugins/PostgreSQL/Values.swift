import AtriumKit
import CPostgreSQL

/// The arguments of a statement for libpq: text, parsed by the server as the expected type; bytes for blobs.
struct Arguments {
    private var texts: [[UInt8]?] = []
    private var formats: [Int32] = []
    private var lengths: [Int32] = []

    init(_ values: [DatabaseValue]) {
        for value in values {
            switch value {
            case .null: append(nil)
            case .integer, .real: append(Array(Self.text(of: value).utf8))
            case .text(let text): append(Array(text.utf8))
            case .blob(let bytes): append(bytes, isBinary: true)
            }
        }
    }

    private mutating func append(_ bytes: [UInt8]?, isBinary: Bool = false) {
        lengths.append(Int32(bytes?.count ?? 0))
        formats.append(isBinary ? 1 : 0)
        // A text ends with a zero byte.
        texts.append(bytes.map { isBinary ? $0 : $0 + [0] })
    }

    static func text(of value: DatabaseValue) -> String {
        switch value {
        case .integer(let integer): String(integer)
        case .real(let real): text(of: real)
        default: ""
        }
    }

    private static func text(of real: Double) -> String {
        real.isNaN ? "NaN" : real == .infinity ? "Infinity" : real == -.infinity ? "-Infinity" : "\(real)"
    }

    func withPointers<Result>(
        _ body: (Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?)
            -> Result
    ) -> Result {
        var storage: [UInt8] = []
        let offsets = texts.map { text -> Int? in
            guard let text else { return nil }
            defer { storage += text }
            return storage.count
        }
        // Never empty, so that it has an address.
        storage.append(0)
        return storage.withUnsafeBytes { bytes in
            let pointers = offsets.map { offset -> UnsafePointer<CChar>? in
                offset.flatMap { bytes.baseAddress?.advanced(by: $0).assumingMemoryBound(to: CChar.self) }
            }
            return pointers.withUnsafeBufferPointer { pointers in
                lengths.withUnsafeBufferPointer { lengths in
                    formats.withUnsafeBufferPointer { formats in
                        body(
                            Int32(texts.count), pointers.baseAddress, lengths.baseAddress, formats.baseAddress
                        )
                    }
                }
            }
        }
    }
}

/// The kind of a column, which determines how the text of its values is read.
enum ColumnKind {
    case integer, real, numeric, boolean, bytes, text

    /// The kind of a type, by its number in the server's catalogue (pg_type.dat).
    init(type: Oid) {
        self =
            switch type {
            case 20, 21, 23, 26: .integer
            case 700, 701: .real
            case 1700: .numeric
            case 16: .boolean
            case 17: .bytes
            default: .text
            }
    }

    func value(_ bytes: UnsafeBufferPointer<UInt8>) -> DatabaseValue {
        let text = String(decoding: bytes, as: UTF8.self)
        switch self {
        case .integer: return Int64(text).map { .integer($0) } ?? .text(text)
        case .real: return Double(text).map { .real($0) } ?? .text(text)
        // A sum of integers is an integer in SQLite.
        case .numeric: return Int64(text).map { .integer($0) } ?? Self.real.value(bytes)
        case .boolean: return .integer(text == "t" ? 1 : 0)
        case .bytes: return .blob(Self.unhexed(bytes.dropFirst(2)))
        case .text: return .text(text)
        }
    }

    private static func unhexed(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            let value =
                digit <= UInt8(ascii: "9") ? digit - UInt8(ascii: "0") : digit - UInt8(ascii: "a") + 10
            if let upper = high {
                bytes.append(upper << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }
}
