/// Finds the numbers of a module's migrations in its sources, and problems with them.
///
/// Only literal numbers can be checked before the module runs: `Migration(2, …)` and
/// `OfflineStore.migration(3)`. If one is computed, as those of records are, nothing is reported here; the host checks all when it
/// loads the module.
struct MigrationNumbers {
    private struct Found {
        let number: Int
        let file: String
        let line: Int
    }

    private var found: [Found] = []
    private var hasComputed = false

    mutating func add(_ source: String, file: String) {
        let code = SwiftCode(source)
        for (text, line) in code.arguments(of: ["Migration", "migration", "records"]) {
            // A declaration has a label and no number.
            guard !text.contains(":") || text.first?.isNumber == true else { continue }
            guard let number = Int(text.prefix { $0.isNumber || $0 == "-" }) else {
                hasComputed = true
                continue
            }
            found.append(Found(number: number, file: file, line: line))
        }
    }

    /// The problem, as compilers print it; nil if there is none, or a number is computed.
    var fault: String? {
        guard !hasComputed else { return nil }
        let sorted = found.sorted { $0.number < $1.number }
        for (index, migration) in sorted.enumerated() where migration.number != index + 1 {
            let isTwice = index > 0 && sorted[index - 1].number == migration.number
            let problem =
                isTwice
                ? "there are two migrations \(migration.number)"
                : migration.number < 1
                    ? "migrations count from 1"
                    : "migration \(migration.number) has no migration \(index + 1) before it"
            return "\(migration.file):\(migration.line): error: \(problem); number them 1, 2, 3 and so on"
        }
        return nil
    }
}

/// Swift code without comments and string literals.
private struct SwiftCode {
    private var characters: [Character] = []

    init(_ source: String) {
        var rest = Array(source)[...]
        while let next = rest.first {
            if rest.starts(with: "//") {
                skip(&rest, while: { $0 != "\n" })
            } else if rest.starts(with: "/*") {
                skipComment(&rest)
            } else if next == "\"" || next == "#" && rest.drop(while: { $0 == "#" }).first == "\"" {
                skipText(&rest)
            } else {
                characters.append(rest.removeFirst())
            }
        }
    }

    /// The beginning of the arguments of each call of one of these names, with its line.
    func arguments(of names: [String]) -> [(text: String, line: Int)] {
        var calls: [(String, Int)] = []
        var (word, line) = ("", 1)
        for (index, character) in characters.enumerated() {
            if character.isNewline { line += 1 }
            if character.isLetter || character.isNumber || character == "_" {
                word.append(character)
                continue
            }
            if character == "(", names.contains(word) {
                let text = characters[(index + 1)...].drop(while: \.isWhitespace).prefix {
                    !",)(".contains($0)
                }
                calls.append((String(text), line))
            }
            word = ""
        }
        return calls
    }

    // MARK: - Skipping; line numbers are kept

    private mutating func drop(_ rest: inout ArraySlice<Character>, _ count: Int = 1) {
        for _ in 0..<min(count, rest.count) {
            if rest.removeFirst().isNewline { characters.append("\n") }
        }
    }

    private mutating func skip(_ rest: inout ArraySlice<Character>, while isSkipped: (Character) -> Bool) {
        while let next = rest.first, isSkipped(next) { drop(&rest) }
    }

    private mutating func skipComment(_ rest: inout ArraySlice<Character>) {
        var depth = 0
        repeat {
            if rest.starts(with: "/*") {
                depth += 1
                drop(&rest, 2)
            } else if rest.starts(with: "*/") {
                depth -= 1
                drop(&rest, 2)
            } else {
                drop(&rest)
            }
        } while depth > 0 && !rest.isEmpty
    }

    private mutating func skipText(_ rest: inout ArraySlice<Character>) {
        let marks = String(repeating: "#", count: rest.prefix { $0 == "#" }.count)
        drop(&rest, marks.count)
        let quotes = rest.starts(with: "\"\"\"") ? "\"\"\"" : "\""
        drop(&rest, quotes.count)
        while !rest.isEmpty, !rest.starts(with: quotes + marks) {
            if rest.starts(with: "\\" + marks + "(") {
                drop(&rest, marks.count + 1)
                skipParentheses(&rest)
            } else {
                drop(&rest, rest.starts(with: "\\" + marks) ? marks.count + 2 : 1)
            }
        }
        drop(&rest, quotes.count + marks.count)
    }

    /// Skips an interpolation, which may contain other strings.
    private mutating func skipParentheses(_ rest: inout ArraySlice<Character>) {
        var depth = 0
        repeat {
            if rest.first == "\"" {
                skipText(&rest)
                continue
            }
            if rest.first == "(" { depth += 1 }
            if rest.first == ")" { depth -= 1 }
            drop(&rest)
        } while depth > 0 && !rest.isEmpty
    }
}
