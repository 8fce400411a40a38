internal import AtriumRedirection
internal import AtriumSession
internal import AtriumText
internal import Dispatch
internal import Glibc

/// A host without a terminal, as run by systemd and the like.
@MainActor
package final class Service {
    private let supervisor = ServiceManager()
    private var signals: [SignalSource] = []
    private var alive: Task<Void, Never>?
    /// Ends ``run(endingWithin:onReady:)`` as a signal does.
    private var ending: AsyncStream<Void>.Continuation?
    private var startsAgain = false

    package init() {}

    /// Ends the service for a restart in the same process.
    package func end() {
        startsAgain = true
        ending?.yield()
    }

    /// Reports that the host is ready, and waits until SIGTERM, SIGINT or SIGHUP ends it.
    ///
    /// A second signal ends the process at once, and so does the first one after `limit` if the main thread
    /// is busy until then; the next start reports with what.
    package func run(endingWithin limit: Duration, onReady: () -> Void = {}) async {
        let (ends, ending) = AsyncStream<Void>.makeStream()
        self.ending = ending
        let isTold = Flag()
        signals = [SIGTERM, SIGINT, SIGHUP].compactMap { signal in
            SignalSource(signal: signal, queue: .global()) {
                if isTold.isSet { EndSignal.end(by: signal) }
                isTold.set()
                EndSignal.expect(signal, within: limit) { ending.yield() }
            }
        }
        // From here on a signal ends the host in order.
        onReady()
        supervisor.tell("READY=1\nMAINPID=\(getpid())")
        if let period = supervisor.watchdogPeriod {
            alive = Task { [supervisor] in
                repeat { supervisor.tell("WATCHDOG=1") } while (try? await Task.sleep(for: period / 2)) != nil
            }
        }
        for await _ in ends { break }
        alive?.cancel()
        signals = []
        if startsAgain { supervisor.keepForNextProcess() } else { supervisor.tell("STOPPING=1") }
    }
}

/// The program that started this process and monitors it: sd_notify(3).
private struct ServiceManager {
    private let address: String?
    /// The watchdog's time limit between two reports; nil without a watchdog.
    let watchdogPeriod: Duration?

    private static let variables = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]
    private let values: [String?]

    /// Restores the variables for the host that is executed in this process.
    func keepForNextProcess() {
        for (variable, value) in zip(Self.variables, values) {
            if let value { setenv(variable, value, 1) }
        }
    }

    init() {
        let values = Self.variables.map { getenv($0).map { String(cString: $0) } }
        self.values = values
        // Not for programs that the host starts.
        for variable in Self.variables { unsetenv(variable) }
        address = values[0].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isWatched = values[2].map { $0 == String(getpid()) } ?? true
        watchdogPeriod = values[1].flatMap { Int($0) }.flatMap {
            isWatched && $0 > 0 ? .microseconds($0) : nil
        }
    }

    func tell(_ state: String) {
        guard let address else { return }
        var socketAddress = sockaddr_un()
        socketAddress.sun_family = sa_family_t(AF_UNIX)
        var path = Array(address.utf8)
        guard path.count < MemoryLayout.size(ofValue: socketAddress.sun_path) else { return }
        // An abstract name, not a file, begins with a zero.
        if address.hasPrefix("@") { path[0] = 0 }
        withUnsafeMutableBytes(of: &socketAddress.sun_path) { $0.copyBytes(from: path) }
        // architecture: allow direct-networking, because both ends are processes of this machine
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        let text = Array(state.utf8)
        _ = withUnsafePointer(to: &socketAddress) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                // architecture: allow direct-networking, because both ends are processes of this machine
                sendto(socket, text, text.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
    }
}
