internal import AtriumManifest
internal import AtriumText

/// What a transcript needs, from the lines above its first typed line, such as `seed: demo`.
///
/// In Markdown they are comments: `<!-- seed: demo -->`.
struct TranscriptHead {
    /// A module that the host must have.
    struct Need {
        let module: String
        let range: VersionRange
    }

    /// Options of `atrium test`, with the numbers of their lines.
    var options: [(line: Int, words: [String])] = []
    private(set) var needs: [(line: Int, need: Need)] = []
    private(set) var seeds: [(line: Int, name: String)] = []

    /// The words by which `--tag` chooses it.
    private(set) var tags: [String] = []

    private static let optionKeys = ["env", "clock", "size", "timeout", "only", "without"]
    /// The options of a first line.
    static let allowedOptions = (optionKeys + ["safe"]).map { "--\($0)" }
    private static let keys = ["needs", "seed", "tags"] + optionKeys

    /// The key and the value of a line such as `seed: demo`; nil for another line.
    static func parts(_ line: String) -> (key: String, value: String)? {
        guard let end = line.firstIndex(of: ":") else { return nil }
        let (key, rest) = (line[..<end], line[line.index(after: end)...])
        let value = rest.trimmingPrefix { $0 == " " }
        guard !key.isEmpty, key.allSatisfy({ $0.isASCII && $0.isLowercase }) else { return nil }
        // A key without a value is a mistake, not a text.
        guard rest.first == " " && !value.isEmpty || value.isEmpty && has(String(key)) else { return nil }
        return (String(key), String(value))
    }

    /// Reads a line.
    ///
    /// - Throws: ``ShellError`` with code `badTranscript`.
    mutating func add(_ key: String, _ value: String, _ file: String, line: Int) throws(ShellError) {
        let values = value.split(separator: ",", omittingEmptySubsequences: false)
        if Self.has(key), values.contains(where: { $0.allSatisfy { $0 == " " || $0 == "\t" } }) {
            throw .badTranscript(
                file, line, "has '\(key):' with an empty value",
                hint: "Write a value behind it, such as '\(key): \(Self.examples[key] ?? "5")', or remove it."
            )
        }
        switch key {
        case "needs":
            for text in values { needs.append((line, try Self.need(text, file, line))) }
        case "seed":
            for text in values { seeds.append((line, try Self.seed(text, file, line))) }
        case "tags":
            tags += value.split { $0 == "," || $0 == " " }.map(String.init)
        case _ where Self.optionKeys.contains(key):
            options.append((line, ["--\(key)=\(value)"]))
        default:
            throw .badTranscript(
                file, line, "has '\(key):', which is not a key of a head",
                hint:
                    "If it is prose, begin it with '# '; a head may have \(Self.keys.joined(separator: ", "))."
            )
        }
    }

    /// True for a key of a head.
    static func has(_ key: String) -> Bool { keys.contains(key) }

    private static let examples = [
        "needs": "Catalog ^1", "seed": "demo", "tags": "slow", "env": "mock", "clock": "2026-01-01T09:00Z",
        "size": "80x24", "only": "Catalog", "without": "Catalog",
    ]

    /// The name of a seed, which is typed.
    private static func seed(_ text: Substring, _ file: String, _ line: Int) throws(ShellError) -> String {
        let name = text.split(separator: " ").joined(separator: " ")
        let isName = name.allSatisfy { $0.isLetter || $0.isNumber || "-_. ".contains($0) }
        guard isName, !name.hasPrefix("-") else {
            throw .badTranscript(
                file, line, "has a seed '\(name)', which is not a name",
                hint: "A name has letters, digits, spaces, '-', '_' and '.': seed: demo")
        }
        return name
    }

    private static func need(_ text: Substring, _ file: String, _ line: Int) throws(ShellError) -> Need {
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        do {
            let range = words.count > 1 ? words[1].filter { $0 != "\"" } : "*"
            return Need(module: words.first ?? "", range: try VersionRange(parsing: range))
        } catch {
            throw .badTranscript(
                file, line, "needs a module in a version that can't be read: \(error.message)",
                hint: "needs: Catalog ^1")
        }
    }
}
