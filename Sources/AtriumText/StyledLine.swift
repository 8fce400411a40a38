/// A line of terminal output as runs of equal style, for pictures and pages.
///
/// Control sequences other than colours and weights are left out, and a tab is spaces up to the next multiple
/// of 8.
package struct StyledLine: Equatable, Sendable {
    package struct Run: Equatable, Sendable {
        package let text: String
        /// The classes of ``MarkupStyle/css``, separated by spaces; empty for plain text.
        package let classes: String
    }

    package private(set) var runs: [Run] = []

    package init(_ line: String) {
        var (text, classes, column) = ("", [String](), 0)
        var rest = Substring(line)
        func endRun(_ runs: inout [Run]) {
            if !text.isEmpty { runs.append(Run(text: text, classes: classes.joined(separator: " "))) }
            text = ""
        }
        while let character = rest.popFirst() {
            if character == "\u{1B}" {
                guard rest.first == "[" else { continue }
                let parameters = rest.dropFirst().prefix { !$0.isLetter }
                let end = rest[parameters.endIndex...].first
                rest = rest[parameters.endIndex...].dropFirst()
                guard end == "m" else { continue }
                endRun(&runs)
                for code in parameters.split(separator: ";", omittingEmptySubsequences: false) {
                    if ["", "0"].contains(code) { classes = [] }
                    if let name = Self.names[code] { classes.append(name) }
                }
            } else if character == "\t" {
                let spaces = 8 - column % 8
                (text, column) = (text + String(repeating: " ", count: spaces), column + spaces)
            } else if !character.isASCII || character >= " " && character != "\u{7F}" {
                text.append(character)
                column += TextWidth.of(character)
            }
        }
        endRun(&runs)
    }

    private init(_ runs: [Run]) { self.runs = runs }

    private static let names: [Substring: String] = [
        "1": "b", "2": "f", "4": "u", "31": "r", "32": "g", "33": "y", "34": "p",
    ]

    package var plain: String { runs.map(\.text).joined() }

    /// The rows of a terminal that is `width` columns wide; at least one.
    package func rows(width: Int) -> [StyledLine] {
        var (rows, row, used) = ([StyledLine](), [Run](), 0)
        for run in runs {
            var text = ""
            for character in run.text {
                let columns = TextWidth.of(character)
                if used + columns > width, used > 0 {
                    if !text.isEmpty { row.append(Run(text: text, classes: run.classes)) }
                    rows.append(StyledLine(row))
                    (row, text, used) = ([], "", 0)
                }
                text.append(character)
                used += columns
            }
            if !text.isEmpty { row.append(Run(text: text, classes: run.classes)) }
        }
        return rows + [StyledLine(row)]
    }

    /// The line in a `pre` element of a page.
    package var html: String {
        runs.map { run in
            let text = run.text.xmlEscaped
            return run.classes.isEmpty ? text : "<span class=\"\(run.classes)\">\(text)</span>"
        }.joined()
    }
}

extension String {
    /// Text escaped for XML 1.0 and HTML, without the characters that XML can't contain.
    package var xmlEscaped: String {
        var escaped = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;".unicodeScalars
            case "<": escaped += "&lt;".unicodeScalars
            case ">": escaped += "&gt;".unicodeScalars
            case "\"": escaped += "&quot;".unicodeScalars
            case "\t", "\n": escaped.append(scalar)
            case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": escaped.append("\u{FFFD}")
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}

/// The look of terminal output in pictures and pages, light or dark as the reader's system is.
package enum MarkupStyle {
    package static let font =
        "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"

    /// The rules for the classes of ``StyledLine`` in a text element of SVG, or in a page.
    package static func css(isPicture: Bool) -> String {
        let color = isPicture ? "fill" : "color"
        return """
            .b { font-weight: bold } .f { \(color): #6e7781 } .u { text-decoration: underline }
            .p { \(color): #0550ae } .r { \(color): #cf222e } .g { \(color): #1a7f37 } .y { \(color): #9a6700 }
            @media (prefers-color-scheme: dark) {
              .f { \(color): #8b949e } .p { \(color): #79c0ff } .r { \(color): #ff7b72 }
              .g { \(color): #3fb950 } .y { \(color): #d29922 }
            }
            """
    }

    /// A page without scripts and without anything from elsewhere.
    ///
    /// - Parameters:
    ///   - title: The title, which is also the heading.
    ///   - rules: Further style rules.
    ///   - body: The elements below the heading.
    /// - Returns: The text of the file.
    package static func page(_ title: String, rules: String = "", _ body: [String]) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>\(title.xmlEscaped)</title>
        <style>
        :root { color-scheme: light dark }
        body { margin: 2em auto; padding: 0 1em; max-width: 72em; font-family: system-ui, sans-serif }
        pre { font: 14px/1.36 \(font); padding: 12px 16px; overflow-x: auto }
        pre { border: 1px solid #8884; border-radius: 8px }
        \(css(isPicture: false))
        \(rules)
        </style>
        </head>
        <body>
        <h1>\(title.xmlEscaped)</h1>
        \(body.joined(separator: "\n"))
        </body>
        </html>

        """
    }
}
