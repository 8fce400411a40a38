/// A graph in the language of Graphviz, DOT (graphviz.org/doc/info/lang.html), written line by line.
package struct GraphText {
    package private(set) var lines = ["digraph Atrium {"]
    private var indent = "  "
    private var clusters = 0

    package init() {
        add("rankdir=TB;")
        add("node [shape=box, fontname=\"sans-serif\"];")
    }

    private mutating func add(_ line: String) { lines.append(indent + line) }

    /// Adds a node.
    ///
    /// - Parameters:
    ///   - id: Letters and digits.
    ///   - label: Its text, of any characters; a line for each element.
    ///   - style: Further attributes, such as `style=dotted`.
    package mutating func node(_ id: String, _ label: String..., style: String? = nil) {
        add("\(id) [label=\(Self.quoted(label.joined(separator: "\n")))\(style.map { ", " + $0 } ?? "")];")
    }

    package mutating func arrow(from: String, to: String, label: String? = nil, style: String? = nil) {
        let attributes = [label.map { "label=\(Self.quoted($0))" }, style].compactMap { $0 }
        let list = attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]"
        add("\(from) -> \(to)\(list);")
    }

    /// Adds a frame around what `body` adds.
    package mutating func cluster(_ label: String, _ body: (inout GraphText) -> Void) {
        add("subgraph cluster_\(clusters) {")
        clusters += 1
        indent += "  "
        add("label=\(Self.quoted(label));")
        body(&self)
        indent.removeLast(2)
        add("}")
    }

    package var ended: [String] { lines + ["}"] }

    /// Quotes and escapes text, so that it can't end the string, or begin an escape or entity.
    package static func quoted(_ text: String) -> String {
        var quoted = ""
        for character in text.unicodeScalars {
            switch character {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "&": quoted += "&amp;"
            case "\n": quoted += "\\n"
            case "\r": continue
            case "\0"..<" ", "\u{7F}"..<"\u{A0}": quoted += "\u{FFFD}"
            default: quoted.unicodeScalars.append(character)
            }
        }
        return "\"\(quoted)\""
    }
}
