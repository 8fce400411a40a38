@_spi(Host) internal import AtriumKit
package import AtriumText

/// The variables of a scene: results, whose values replace `$NAME` and paths such as `$NAME.rows[0].id`.
package struct Variables {
    /// The name of the last result.
    package static let last = "_"
    /// The command that takes `$_` at the start of a word as the value of code itself, not as its text.
    private static let inspection = "inspect"

    private var results: [String: Reply.Output] = [:]

    package init() {}

    package var names: [String] { results.keys.sorted() }

    package mutating func set(_ name: String, to result: Reply.Output) { results[name] = result }

    /// The command with values for its references; each stays in its word, and is never an option.
    ///
    /// - Throws: ``ShellError`` if a variable is not set or has no value at a path.
    package func expand(_ command: Command) throws(ShellError) -> Command {
        guard command.hasReferences else { return command }
        let isInspection = command.words[0].text == Self.inspection
        // Null can only be used in a comparison.
        let takesNull = command.words[0].text == Assertion.word
        var expanded = command
        for index in expanded.words.indices {
            let word = expanded.words[index]
            guard let first = word.references.first else { continue }
            if isInspection, first.lowerBound == 0, Self.name(in: word.text(in: first)) == Self.last {
                continue
            }
            var (text, end) = ("", 0)
            for reference in word.references {
                text += word.text(in: end..<reference.lowerBound)
                text += try value(of: word.text(in: reference), takesNull)
                end = reference.upperBound
            }
            text += word.text(in: end..<word.text.utf8.count)
            expanded.words[index].text = text
            expanded.words[index].references = []
            if !word.text(in: 0..<first.lowerBound).utf8.contains(UInt8(ascii: "=")) {
                expanded.words[index].isQuoted = true
            }
        }
        return expanded
    }

    /// The references that begin with the typed text: names, members and elements.
    package func references(typing text: String) -> [CompletionCandidate] {
        guard let mark = text.lastIndex(where: { $0 == "." || $0 == "[" }) else {
            return names.map { CompletionCandidate(text: "$" + $0, isFinal: false) }
        }
        guard let (value, _) = try? value(of: String(text[..<mark])) else { return [] }
        let start = text[...mark]
        switch value {
        case .object(let object) where text[mark] == ".":
            return object.members.map { member in
                let end: String? =
                    switch member.value {
                    case .object: "."
                    case .array: "["
                    default: nil
                    }
                return CompletionCandidate(text: start + member.key + (end ?? ""), isFinal: end == nil)
            }
        case .array(let elements) where text[mark] == "[":
            return elements.indices.prefix(Self.mostElements).map {
                CompletionCandidate(text: "\(start)\($0)]", isFinal: false)
            }
        default: return []
        }
    }

    /// The most elements of a list that are offered.
    private static let mostElements = 20

    private func value(of reference: String, _ takesNull: Bool) throws(ShellError) -> String {
        let (value, path) = try value(of: reference)
        switch value {
        case .string(let text): return text
        case .null where takesNull: return "null"
        case .null:
            throw ShellError(
                "noValue", "'\(path.shortened)' is null, so it has no value.",
                hint: "Choose another part of it.")
        default: return value.serialized
        }
    }

    /// The value at a reference, and its path as messages name it.
    private func value(of reference: String) throws(ShellError) -> (JSONValue, path: String) {
        let name = Self.name(in: reference)
        var rest = reference.dropFirst(1 + name.count)
        guard let result = results[name] else { throw unset(name) }
        var value = JSONValue.object(result.json)
        var path = "$" + name
        while let mark = rest.first {
            let part = rest.dropFirst().prefix { mark == "[" ? $0 != "]" : $0 != "." && $0 != "[" }
            rest = rest.dropFirst(part.count + (mark == "[" ? 2 : 1))
            let shown = path.shortened
            value =
                try mark == "["
                ? element(String(part), of: value, shown) : member(String(part), of: value, shown)
            path += mark == "[" ? "[\(part)]" : ".\(part)"
        }
        return (value, path)
    }

    /// The name in a reference, which begins with `$`.
    private static func name(in reference: String) -> String {
        String(reference.dropFirst().prefix { $0 != "." && $0 != "[" })
    }

    private func unset(_ name: String) -> ShellError {
        guard name != Self.last else {
            return ShellError(
                "unsetVariable", "There is no result yet, so '$_' has no value.",
                hint: "Run a command first, such as 'modules'; '$_' is its result then.")
        }
        return ShellError.unknown(
            "unsetVariable", name, among: names.filter { $0 != Self.last },
            else:
                "Set it with 'let \(name.shortened) = COMMAND', or write '\\$' where a dollar sign is meant."
        ) { "The variable '$\($0)' is not set." }
    }

    private func member(
        _ key: String, of value: JSONValue, _ path: String
    ) throws(ShellError) -> JSONValue {
        guard case .object(let object) = value else {
            throw ShellError(
                "noValue", "'\(path)' is not an object, so it has no member '\(key.shortened)'.",
                hint: isList(value) ? "Choose one of its rows: \(path)[0]" : nil)
        }
        if let member = object[key] { return member }
        let keys = object.members.map(\.key)
        let known = keys.isEmpty ? "It has none." : "It has \(keys.joined(separator: ", "))."
        throw ShellError.unknown("noValue", key, among: keys, else: known) {
            "'\(path)' has no member '\($0)'."
        }
    }

    private func element(
        _ index: String, of value: JSONValue, _ path: String
    ) throws(ShellError) -> JSONValue {
        guard case .array(let elements) = value else {
            throw ShellError("noValue", "'\(path)' is not a list, so it has no element \(index.shortened).")
        }
        if let number = Int(index), elements.indices.contains(number) { return elements[number] }
        throw ShellError(
            "noValue", "'\(path)' has no element \(index.shortened).",
            hint: elements.isEmpty
                ? "The list is empty." : "They are numbered from 0 to \(elements.count - 1).")
    }

    private func isList(_ value: JSONValue) -> Bool {
        if case .array = value { true } else { false }
    }
}

extension Command {
    var hasReferences: Bool { words.contains { !$0.references.isEmpty } }
}

extension Word {
    fileprivate func text(in range: Range<Int>) -> String {
        String(decoding: text.utf8.dropFirst(range.lowerBound).prefix(range.count), as: UTF8.self)
    }
}

extension Unicode.Scalar {
    var beginsName: Bool { self == "_" || properties.isAlphabetic && isASCII }
    var continuesName: Bool { beginsName || ("0"..."9").contains(self) }
}
