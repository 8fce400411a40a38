/// Suggestions for mistyped names.
public enum NearestName {
    /// Returns the candidate closest to `name`, if it is close enough for a typo.
    ///
    /// Distance is optimal string alignment (insertions, deletions, substitutions, swapped neighbours),
    /// ignoring case; at most a third of `name` may differ, not counting the leading words that both share.
    /// A candidate that starts with `name` always counts as close.
    public static func of(_ name: String, among candidates: some Sequence<String>) -> String? {
        let typed = Array(name.lowercased())
        // Too long to be a typo, and slow to compare.
        guard !typed.isEmpty, typed.count <= 80 else { return nil }
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let other = Array(candidate.lowercased())
            guard other.count <= 200 else { continue }
            let common = zip(typed, other).prefix { $0 == $1 }.count
            let shared = typed[..<common].lastIndex(of: " ").map { $0 + 1 } ?? 0
            let limit = max(1, (typed.count - shared) / 3)
            var distance = self.distance(typed, other)
            if typed.count >= 2, other.starts(with: typed) { distance = min(distance, limit) }
            if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.name
    }

    private static func distance(_ a: [Character], _ b: [Character]) -> Int {
        var older: [Int] = []
        var previous = Array(0...b.count)
        for i in 0..<a.count {
            var current = [i + 1]
            for j in 0..<b.count {
                var cost = min(previous[j + 1] + 1, current[j] + 1, previous[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, older[j - 1] + 1) }
                current.append(cost)
            }
            (older, previous) = (previous, current)
        }
        return previous[b.count]
    }
}

/// Names that mark a value as secret.
@_spi(Host) public enum SecretName {
    @_spi(Host) public static let words = ["password", "secret", "token"]

    /// True if a name contains one of ``words``, in any case.
    @_spi(Host) public static func matches(_ text: some StringProtocol) -> Bool {
        // By bytes: every API call passes here, and characters cost microseconds.
        let text = Array(text.lowercased().utf8)
        return words.contains { word in
            let word = Array(word.utf8)
            return text.indices.contains { text[$0...].starts(with: word) }
        }
    }
}
