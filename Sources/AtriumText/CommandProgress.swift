@_spi(Host) internal import AtriumKit

/// The status line of a slow command: its name, elapsed time and progress.
@MainActor
package final class CommandProgress {
    private let text: @MainActor () -> String
    private let count: @MainActor () -> String?
    private let now: @MainActor () -> Duration
    private let show: @MainActor (String?) -> Void
    private var start: Duration
    private var isShown = false
    private var hasEnded = false

    package static let patience = Duration.milliseconds(700)
    package static let interval = Duration.milliseconds(100)

    package init(
        text: @escaping @MainActor () -> String, count: @escaping @MainActor () -> String?,
        now: @escaping @MainActor () -> Duration, show: @escaping @MainActor (String?) -> Void
    ) {
        self.text = text
        self.count = count
        self.now = now
        self.show = show
        start = now()
    }

    package func tick() {
        guard !hasEnded else { return }
        let elapsed = now() - start
        guard elapsed >= Self.patience else { return }
        isShown = true
        show("\(text()): " + [elapsed.words, count()].compactMap { $0 }.joined(separator: ", "))
    }

    package func restart() {
        if isShown { show(nil) }
        isShown = false
        start = now()
    }

    package func end() {
        restart()
        hasEnded = true
    }
}

extension Duration {
    /// The duration in words: `1.4 s`, `42 s`, `3 min 5 s`.
    package var words: String {
        let seconds = Int(clamping: components.seconds)
        if seconds >= 60 { return "\(seconds / 60) min \(seconds % 60) s" }
        if seconds >= 10 { return "\(seconds) s" }
        return decimal(in: .seconds(1), digits: 1) + " s"
    }
}
