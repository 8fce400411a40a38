/// Finds the name that somebody probably meant.
public enum NearestName {
    /// The candidate closest to `name`, where one is close enough to be a slip of the fingers.
    ///
    /// Distance is optimal string alignment (insertions, deletions, substitutions, swapped neighbours),
    /// without regard to case. A name that starts with what was typed always counts as close.
    public static func of(_ name: String, among candidates: some Sequence<String>) -> String? {
        let typed = Array(name.lowercased())
        // Nobody types so long a name by a slip, and comparing it would take long.
        guard !typed.isEmpty, typed.count <= 80 else { return nil }
        let limit = max(1, typed.count / 3)
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let other = Array(candidate.lowercased())
            guard other.count <= 200 else { continue }
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

/// Names that say that what they stand for is a secret.
@_spi(Host) public enum SecretName {
    @_spi(Host) public static let words = ["password", "secret", "token"]

    @_spi(Host) public static func matches(_ text: some StringProtocol) -> Bool {
        // By bytes: every call of an API passes here, and characters cost microseconds.
        let text = Array(text.lowercased().utf8)
        return words.contains { word in
            let word = Array(word.utf8)
            return text.indices.contains { text[$0...].starts(with: word) }
        }
    }
}
