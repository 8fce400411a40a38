@_spi(Host) internal import AtriumKit
internal import FoundationEssentials

/// Replaces the secrets of JSON in a text; the JSON may be cut at both ends, and keeps its form.
struct SecretJSON {
    let walk: SecretWalk
    let bytes: [UInt8]
    /// True if it has the name of a member, unlike `[1]` in a sentence.
    private(set) var hasMembers = false
    private var result: [UInt8] = []
    /// The names that count in the open objects and arrays.
    private var names: [String] = []

    init(walk: SecretWalk, bytes: [UInt8]) { (self.walk, self.bytes) = (walk, bytes) }

    /// What has been read, without secrets.
    var text: String { String(decoding: result, as: UTF8.self) }

    /// Reads an object, an array or members without the object's beginning; returns the end of the JSON.
    mutating func read(from start: Int) -> Int {
        // The name for the next value; nil where none may be.
        var (index, name) = (start, String?.none)
        while index < bytes.count {
            let first = index
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                names.append(name ?? names.last ?? "")
                (index, name) = (index + 1, nil)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard names.popLast() != nil else { return index }
                (index, name) = (index + 1, nil)
            case UInt8(ascii: ","), 9, 10, 13, 32: index += 1
            case UInt8(ascii: "\""):
                let (string, end) = self.string(at: index)
                let next = bytes[end...].firstIndex { ![9, 10, 13, 32].contains($0) }
                if let next, name == nil, bytes[next] == UInt8(ascii: ":") {
                    name = walk.rule.name(of: string, under: names.last ?? "")
                    (hasMembers, index) = (true, next + 1)
                } else {
                    guard name != nil || !names.isEmpty else { return index }
                    let hidden = hiding(string, name ?? names.last ?? "")
                    if hidden != string { result += JSONValue.string(hidden).serialized.utf8 }
                    (index, name) = (end, nil)
                    if hidden != string { continue }
                }
            default:
                let literal = bytes[index...].prefix { $0 > 32 && !",]}".utf8.contains($0) }
                let text = String(decoding: literal, as: UTF8.self)
                guard name != nil || !names.isEmpty, let shown = hidden(literal: text, name ?? names.last ?? "")
                else { return index }
                result += shown.utf8
                (index, name) = (literal.endIndex, nil)
                continue
            }
            result += bytes[first..<index]
            if names.isEmpty, name == nil, "}]".utf8.contains(bytes[first]) { return index }
        }
        return index
    }

    private func hiding(_ string: String, _ name: String) -> String {
        walk.rule.isSecret(name, string) ? walk.credentials(string) : walk(string)
    }

    /// A number, `true`, `false` or `null`; a secret number becomes 0. Nil for another text.
    private func hidden(literal text: String, _ name: String) -> String? {
        guard Double(text) != nil else {
            let isCut = !text.isEmpty && ["true", "false", "null"].contains { $0.hasPrefix(text) }
            return isCut ? text : nil
        }
        guard walk.rule.isSecret(name, text) else { return text }
        if text != "0" { _ = walk.secret(text) }
        return "0"
    }

    /// The text at a quote, decoded, and the index after it; it ends with the line.
    private func string(at start: Int) -> (text: String, end: Int) {
        var (end, isEscaped) = (start + 1, false)
        while end < bytes.count, bytes[end] != 10 {
            if bytes[end] == UInt8(ascii: "\\") {
                (end, isEscaped) = (min(end + 2, bytes.count), true)
            } else if bytes[end] == UInt8(ascii: "\"") {
                break
            } else {
                end += 1
            }
        }
        let text = String(decoding: bytes[(start + 1)..<end], as: UTF8.self)
        let decoded = isEscaped ? try? JSONDecoder().decode(String.self, from: Data("\"\(text)\"".utf8)) : nil
        return (decoded ?? text, end < bytes.count && bytes[end] != 10 ? end + 1 : end)
    }
}
