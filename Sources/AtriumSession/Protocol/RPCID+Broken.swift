internal import AtriumManifest

extension RPCID {
    /// The member `id` of a message that is not valid JSON, so that its sender does not wait for an answer;
    /// nil if it can't be found.
    package init?(inBroken line: [UInt8]) {
        var (depth, rest) = (0, line[...])
        /// The string before a colon, if it is a member of the message itself.
        var name: ArraySlice<UInt8>?
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["): (depth, name) = (depth + 1, nil)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): (depth, name) = (depth - 1, nil)
            case UInt8(ascii: "\""):
                guard let text = Self.text(at: &rest) else { return nil }
                name = depth == 1 ? text : nil
                continue
            case UInt8(ascii: ":") where name.map { $0.elementsEqual("\"id\"".utf8) } == true:
                self.init(value: rest.dropFirst())
                return
            case UInt8(ascii: " "), UInt8(ascii: "\t"): break
            default: name = nil
            }
            rest = rest.dropFirst()
        }
        return nil
    }

    private init?(value rest: ArraySlice<UInt8>) {
        var rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let token =
            rest.first == UInt8(ascii: "\"")
            ? Self.text(at: &rest)
            : rest.prefix { !", }\t".utf8.contains($0) }
        guard let token, let (json, refused) = try? LocatedJSON.replacingValues(in: Array(token)),
            refused == nil
        else { return nil }
        self.init(json)
    }

    /// Consumes the string that begins here, with its quotes; nil if it is not terminated.
    private static func text(at rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var end = rest.startIndex + 1
        while end < rest.endIndex, rest[end] != UInt8(ascii: "\"") {
            end += rest[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard end < rest.endIndex else { return nil }
        defer { rest = rest[(end + 1)...] }
        return rest[...end]
    }
}
