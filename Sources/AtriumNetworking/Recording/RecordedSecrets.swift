/// The secrets of a recording, each with its stand-in, so that equal secrets stay equal: `redacted-1`.
struct RecordedSecrets {
    private static let standIn = "redacted-"
    private static let hiddenText = "(hidden)"
    private var standIns: [String: String] = [:]
    /// The secrets that are replaced wherever they occur, oldest first.
    private var searched: [String] = []
    /// The highest number of a stand-in.
    private var highest: Int

    /// Begins after the stand-ins of earlier entries.
    init(after highest: Int = 0) { self.highest = highest }

    /// The highest number of a stand-in in a file.
    static func highest(in bytes: [UInt8]) -> Int {
        let mark = Array(standIn.utf8)
        var (highest, index) = (0, 0)
        while let start = bytes[index...].firstIndex(of: mark[0]) {
            index = start + 1
            guard bytes[start...].starts(with: mark) else { continue }
            let digits = bytes[(start + mark.count)...].prefix(9).prefix { (48...57).contains($0) }
            highest = max(highest, Int(String(decoding: digits, as: UTF8.self)) ?? 0)
        }
        return highest
    }

    /// The number of secrets that are replaced wherever they occur.
    var count: Int { searched.count }

    /// Finds those after the first `count`.
    func finder(after count: Int) -> SecretFinder {
        SecretFinder(
            standIns: Dictionary(uniqueKeysWithValues: searched[count...].map { ($0, standIns[$0] ?? "") }))
    }

    /// The stand-in of a secret, a new one for a new secret.
    mutating func standIn(for secret: String) -> String {
        guard !secret.isEmpty, !Self.isStandIn(secret) else { return secret }
        if let known = standIns[secret] { return known }
        highest += 1
        let standIn = Self.standIn + "\(highest)"
        standIns[secret] = standIn
        if Self.isDistinct(secret) { searched.append(secret) }
        return standIn
    }

    /// True for a secret of a recording that is continued, or replayed while another is made.
    static func isStandIn(_ text: String) -> Bool {
        guard text.hasPrefix(standIn) else { return text == hiddenText }
        let number = text.dropFirst(standIn.count)
        return !number.isEmpty && number.allSatisfy { $0.isASCII && $0.isNumber }
    }

    /// False for a secret that other texts have by chance, so it is only hidden by its name.
    static func isDistinct(_ secret: String) -> Bool {
        secret.utf8.count >= 6 && !secret.allSatisfy(\.isLetter) && !standIn.contains(secret)
            && !hiddenText.contains(secret)
    }

    /// The walk that hides all secrets of a request alike; `visit` takes all its parts along a walk.
    static func hiding(_ rule: SecretRule, _ visit: (SecretWalk) -> Void) -> SecretWalk {
        var secrets: [String] = []
        let note = { (secret: String) -> String in
            secrets.append(secret)
            return secret
        }
        visit(SecretWalk(rule: rule, secret: note, text: { $0 }))
        let finder = SecretFinder(secrets.filter { isDistinct($0) && !isStandIn($0) })
        return SecretWalk(
            rule: rule, secret: { _ in hiddenText }, text: { withoutStandIns(finder.hiding($0)) })
    }

    /// A text with `(hidden)` for each stand-in.
    private static func withoutStandIns(_ text: String) -> String {
        text.split(separator: standIn, omittingEmptySubsequences: false).enumerated().map { index, part in
            guard index > 0 else { return String(part) }
            let rest = part.drop { $0.isASCII && $0.isNumber }
            return rest.count < part.count ? hiddenText + rest : standIn + part
        }.joined()
    }
}
