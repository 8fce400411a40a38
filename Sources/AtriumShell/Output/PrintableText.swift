extension String {
    /// The text without control characters, which could move the cursor or change colours; lines stay.
    var printable: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars { text.append(scalar.isControl ? "\u{FFFD}" : scalar) }
        return String(text)
    }

    /// The printable text with blanks in place of line ends, for a cell or a label.
    var printableLine: String {
        printable.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: " ")
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { properties.generalCategory == .control && self != "\n" }
}
