import AtriumKit

/// Rows in the format of `COPY … FROM STDIN`: one per line, with tabs between the values.
struct CopyText {
    private(set) var bytes: [UInt8] = []

    var count: Int { bytes.count }

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    mutating func append(_ row: [DatabaseValue]) {
        for (index, value) in row.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "\t")) }
            switch value {
            case .null: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "N")]
            case .text(let text): append(text)
            case .blob(let blob): append(blob)
            case .integer, .real: bytes += Arguments.text(of: value).utf8
            }
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    private mutating func append(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\t"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
            case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case UInt8(ascii: "\r"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
            default: bytes.append(byte)
            }
        }
    }

    private mutating func append(_ blob: [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        bytes += [UInt8(ascii: "\\"), UInt8(ascii: "\\"), UInt8(ascii: "x")]
        for byte in blob { bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
    }
}
