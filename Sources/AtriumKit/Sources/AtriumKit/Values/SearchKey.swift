// The standard library compares texts in these forms, and has no public way to them; Foundation's costs a start
// of the host 9 ms.
@_spi(_Unicode) internal import Swift

/// The form of texts under which they are compared, sorted and found.
///
/// Case is ignored by Unicode's lower-case mapping, the same in every language; accents are not. What is stored
/// was normalized when it was typed or read from a file; texts of servers and of earlier builds may not be, so
/// typed text is compared in each of its ``forms(of:)``.
public enum SearchKey {
    /// Returns the form of a stored text.
    public static func of(_ text: String) -> String { text.lowercased() }

    /// Returns the forms under which a typed text may be stored: normalized first, then as it is, and decomposed.
    public static func forms(of text: String) -> [String] {
        let key = of(text.normalized)
        guard !text.isASCII else { return [key] }
        let others = [of(text), of(text.decomposed)]
        return others.reduce(into: [key]) { forms, form in
            // By bytes: `==` compares normalized texts.
            if !forms.contains(where: { $0.utf8.elementsEqual(form.utf8) }) { forms.append(form) }
        }
    }

    /// True if a stored text is the same as one of the ``forms(of:)`` another.
    static func isSame(_ stored: String, _ forms: [String]) -> Bool {
        let key = of(stored)
        return forms.contains { $0.utf8.elementsEqual(key.utf8) }
    }
}

extension String {
    /// The text in Unicode's normal form C, in which `e` and a separate accent are `é`.
    public var normalized: String {
        // No scalar below U+0300, where the lead bytes are less than 0xCC, composes with another.
        utf8.allSatisfy { $0 < 0xCC } ? self : String(unicodeScalars: _nfc)
    }

    /// The text in Unicode's normal form D, in which `é` is `e` and a separate accent.
    @_spi(Host) public var decomposed: String { String(unicodeScalars: _nfd) }

    fileprivate var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }

    fileprivate init(unicodeScalars scalars: some Sequence<Unicode.Scalar>) {
        var view = UnicodeScalarView()
        view.append(contentsOf: scalars)
        self.init(view)
    }
}
