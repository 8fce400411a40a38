extension HostConfiguration {
    /// The folder that an entry of ``repositories`` names; relative paths stay as written.
    public static func folder(ofRepository text: String) -> String {
        guard text.hasPrefix(TextFormat.fileURL) else { return text }
        var bytes: [UInt8] = []
        var rest = text.utf8.dropFirst(TextFormat.fileURL.utf8.count)
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(Substring(rest.prefix(2)), radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension TextFormat {
    fileprivate static let fileURL = "file://"

    static let repository = TextFormat(
        name: "repository",
        allowed: "a folder, or a URL of one that begins with file:///; what is on another machine has to be "
            + "brought into a folder first", example: "/srv/atrium"
    ) { text in
        guard let scheme = scheme(of: text) else { return !text.isEmpty }
        let path = text.utf8.dropFirst(fileURL.utf8.count)
        guard scheme.elementsEqual("file".utf8), path.first == UInt8(ascii: "/") else { return false }
        let pieces = path.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
        return !path.contains { "?#".utf8.contains($0) }
            && pieces.dropFirst().allSatisfy { piece in
                let digits = piece.prefix(2)
                return digits.count == 2 && digits.allSatisfy(isHexDigit)
                    && !digits.elementsEqual("00".utf8)
            }
    }

    /// The part before the first `://` of a URL; nil for anything else.
    private static func scheme(of text: String) -> Substring.UTF8View? {
        let scheme = text.utf8.prefix { $0 != UInt8(ascii: ":") }
        let isScheme = scheme.first.map { $0.isAlphanumeric && !$0.isDigit } ?? false
        return isScheme && scheme.allSatisfy { $0.isAlphanumeric || "+-.".utf8.contains($0) }
            && text.utf8.dropFirst(scheme.count).starts(with: "://".utf8) ? scheme : nil
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }
}
