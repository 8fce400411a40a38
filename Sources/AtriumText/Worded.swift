package import AtriumKit

/// A value with different text for users and programs.
package struct Worded: Displayable {
    package let displayText: String
    package let json: JSONValue

    package init(_ text: String, _ json: JSONValue) {
        displayText = text
        self.json = json
    }

    package init(_ text: String, _ word: String) { self.init(text, .string(word)) }

    /// A digest: for users its beginning, which is enough to compare.
    package init(digest: String) { self.init(String(digest.prefix(16)) + "…", digest) }

    /// A list: for users separated by commas, and broken only there.
    package init(_ names: [String]) {
        let whole = names.map { $0.replacing(" ", with: "\u{A0}") }
        self.init(whole.joined(separator: ", "), .array(names.map { .string($0) }))
    }
}

extension Worded {
    /// A time in ISO 8601, to the second: for users without the year, `11-21 12:57:10`.
    package init(time: String) { self.init(Self.short(time), time) }

    static func short(_ time: String) -> String {
        String(time.dropFirst(5).prefix(14)).replacing("T", with: " ")
    }
}
