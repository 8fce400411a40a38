internal import Dispatch
internal import Glibc

/// Ctrl-C while a command runs: calls a handler instead of ending the process.
///
/// The handler runs on a private queue, so it is called while the main thread is busy too; it has to be quick
/// and to call nothing that waits for the main actor. While a ``LineEditor`` reads a line or a secret, Ctrl-C
/// is a key of the editor and does not come here.
package final class InterruptSource: Sendable {
    private let source: SignalSource?

    /// Takes SIGINT over until ``stop()``; does nothing where whoever started the process had it ignored, as
    /// shells do for what runs in the background.
    package init(handler: @escaping @Sendable () -> Void) {
        var current = sigaction()
        let isIgnored = sigaction(SIGINT, nil, &current) == 0 && current.isIgnoring
        guard !isIgnored else {
            source = nil
            return
        }
        let queue = DispatchQueue(label: "atrium.interrupt", qos: .userInteractive)
        source = SignalSource(signal: SIGINT, queue: queue, handler: handler)
    }

    /// Leaves SIGINT to whoever had it before: by default it ends the process again.
    package func stop() {
        source?.stop()
    }
}

extension sigaction {
    /// Whether the signal is ignored.
    ///
    /// SIG_IGN is the pointer 1, which Swift does not import.
    fileprivate var isIgnoring: Bool {
        unsafeBitCast(__sigaction_handler.sa_handler, to: Int.self) == 1
    }
}
