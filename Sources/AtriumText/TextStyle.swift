/// Colours and weights; none carries meaning alone: without them the text is the same.
///
/// Headings are bold, as is the value that names a row; labels and secondary text are faint. The colour of a
/// state is its meaning to the user.
package struct TextStyle: Sendable {
    typealias Paint = (String) -> String

    package let isColored: Bool

    package init(isColored: Bool) {
        self.isColored = isColored
    }

    package func bold(_ text: String) -> String { paint(text, "1") }
    package func faint(_ text: String) -> String { paint(text, "2") }
    package func red(_ text: String) -> String { paint(text, "31") }
    package func green(_ text: String) -> String { paint(text, "32") }
    package func yellow(_ text: String) -> String { paint(text, "33") }
    func columnHeading(_ text: String) -> String { paint(text, "2;4") }

    /// The style of a value under a key: a state by its word, a digest faint; nil for plain text.
    func paint(ofValue key: String) -> Paint? {
        guard isColored else { return nil }
        if StateWord.keys.contains(key) { return { state($0) } }
        return key == "digest" ? { faint($0) } : nil
    }

    private func state(_ text: String) -> String {
        switch StateWord(text) {
        case .good?: green(text)
        case .pending?: yellow(text)
        case .bad?: red(text)
        case .resting?: faint(text)
        case nil: text
        }
    }

    private func paint(_ text: String, _ code: String) -> String {
        isColored && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

/// The meaning of a state's word to the user.
private enum StateWord {
    case good, pending, bad
    /// Nothing is wrong, and nothing is running.
    case resting

    /// The keys whose values are states.
    static let keys: Set<String> = [
        "state", "status", "event", "outcome", "verdict", "pending", "step", "works", "satisfied",
    ]

    /// Matches the first word, as in `waiting for Session`, ignoring the indentation of a step.
    init?(_ text: String) {
        let word = text.drop { $0 == " " }.prefix { $0.isLetter }
        switch word {
        case "active", "started", "loaded", "replaced", "installed", "released", "restored", "done", "opened",
            "allowed", "yes":
            self = .good
        case "failed", "quarantined", "refused", "crashed", "denied", "no", "changedProcess", "unavailable",
            "blocked":
            self = .bad
        case "waiting", "waits", "stopping", "starting", "pending", "stopped", "stop", "draining",
            "cancelled",
            "redirected", "creating", "updating", "deleting", "invited":
            self = .pending
        case "resolved", "discovered", "removed", "drained": self = .resting
        default: return nil
        }
    }
}
