extension String {
    /// The text without control characters, which could move the cursor or change colours; lines stay.
    var printable: String {
        // Most text is ASCII, which is told without looking characters up.
        if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F || $0 == UInt8(ascii: "\n") }) { return self }
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars { text.append(scalar.isControl ? "\u{FFFD}" : scalar) }
        return String(text)
    }

    /// The printable text with blanks in place of line ends, for a cell or a label.
    var printableLine: String {
        let text = printable
        guard text.utf8.contains(UInt8(ascii: "\n")) else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: " ")
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { properties.generalCategory == .control && self != "\n" }
}
