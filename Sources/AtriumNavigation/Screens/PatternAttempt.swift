@_spi(Host) package import AtriumKit

/// A pattern that a link was held against, and what came of it.
package struct PatternAttempt: Sendable, Hashable {
    package let pattern: LinkPattern
    /// The module that registered the pattern's screen.
    package let module: String
    /// What came of it.
    package let outcome: Outcome

    package enum Outcome: Sendable, Hashable {
        /// The link leads to its screen; why, and the message about a value that it refuses.
        case won(because: String, refusal: String?)
        /// The link has its form, and another pattern comes first.
        case matched(lostTo: LinkPattern)
        /// The link does not have its form.
        case differs(String)
    }

    /// Whether the link leads to the pattern's screen.
    package var isWinner: Bool {
        if case .won = outcome { true } else { false }
    }

    /// The outcome in words, without a full stop.
    package var explanation: String {
        switch outcome {
        case .won(let reason, nil): "won because \(reason)"
        case .won(let reason, let refusal?): "won because \(reason); a value was wrong: \(refusal)"
        case .matched(let winner): "matched, after '\(winner)'"
        case .differs(let reason): reason
        }
    }
}

extension PatternAttempt {
    /// Why a link does not have the form of a pattern, which it doesn't.
    static func difference(of link: Link, from pattern: LinkPattern) -> String {
        for (index, (segment, text)) in zip(pattern.segments, link.segments).enumerated() {
            guard case .literal(let literal) = segment, literal != text else { continue }
            return "segment \(index + 1) is '\(text)', not '\(literal)'"
        }
        let missing = pattern.segments.filter { !$0.mayBeAbsent }.count - link.segments.count
        let isLong = missing <= 0
        let count = isLong ? link.segments.count - pattern.segments.count : missing
        return "the link has \(count) \(count == 1 ? "segment" : "segments") \(isLong ? "more" : "less")"
    }
}
