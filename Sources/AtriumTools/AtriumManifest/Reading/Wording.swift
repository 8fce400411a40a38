/// Names and values from a file, as they appear in messages.
///
/// Whatever a file holds, a message stays one printable line of bounded length.
enum Wording {
    /// The longest excerpt in a message, in characters.
    static let longestExcerpt = 60

    /// A name or value in single quotes, shortened and with control characters escaped.
    static func quoted(_ text: String) -> String {
        "'\(clipped(text))'"
    }

    /// The beginning of a string, with control characters escaped.
    static func clipped(_ text: String) -> String {
        var result = ""
        var count = 0
        for scalar in text.unicodeScalars {
            guard count < longestExcerpt else { return result + "…" }
            count += 1
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                result += #"\u{\#(String(scalar.value, radix: 16, uppercase: true))}"#
            default:
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// `a, b or c`.
    static func alternatives(_ items: [String]) -> String {
        guard let last = items.last, items.count > 1 else { return items.joined() }
        return items.dropLast().joined(separator: ", ") + " or " + last
    }

    /// `; did you mean 'requires'?` if an allowed name is similar, else a full stop.
    static func suggestion(for name: String, among names: [String]) -> String {
        nearest(to: name, among: names).map { "; did you mean \(quoted($0))?" } ?? "."
    }

    /// The allowed name nearest to a mistyped one, if it is near enough to be meant.
    ///
    /// A third of the letters may differ; letter case doesn't count.
    static func nearest(to name: String, among names: [String]) -> String? {
        let letters = Array(name.prefix(longestExcerpt).lowercased().unicodeScalars)
        var best: (name: String, distance: Int)?
        for candidate in names {
            let distance = editDistance(letters, Array(candidate.lowercased().unicodeScalars))
            let limit = max(1, max(letters.count, candidate.unicodeScalars.count) / 3)
            if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.name
    }

    /// The number of letters to insert, remove, replace or swap with a neighbour to turn one into the other.
    private static func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for i in left.indices {
            var row = [i + 1]
            for j in right.indices {
                let replaced = last[j] + (left[i] == right[j] ? 0 : 1)
                var distance = min(replaced, last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    distance = min(distance, beforeLast[j - 1] + 1)
                }
                row.append(distance)
            }
            (beforeLast, last) = (last, row)
        }
        return last[right.count]
    }
}
