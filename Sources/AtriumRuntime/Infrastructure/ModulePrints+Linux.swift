@_spi(Host) package import AtriumKit
internal import CCrash
internal import Glibc
internal import Synchronization

/// Makes what modules print, by `print`, `puts` or a write to descriptor 1 or 2, lines of the log.
///
/// The process's descriptors 1 and 2 are a pipe from ``begin(log:)`` on, and the host writes to copies of the real
/// ones: ``HostOutput``. A synchronous step of a module is noted by ``perform(_:_:)``, so that what it printed is
/// told under its name; for what awaits, ``Running`` tells which modules may have printed. Both read the pipe when
/// they end; the main loop reads what is printed at other times.
package enum ModulePrints {
    fileprivate struct State {
        /// Where lines go; nil before the start.
        var log: (any LogSink)?
        /// The synchronous steps under way, the innermost last.
        var steps: [String] = []
        /// What awaits, with its module if that is known.
        var running: [Int: String?] = [:]
        var nextNumber = 0
        var active: [String] = []
        /// A line without its end, and who printed it.
        var line: [UInt8] = []
        var source = ""
    }

    private static let state = Mutex(State())
    /// Longer lines are cut.
    private static let longestLine = 4_096

    /// Begins; call it once, before the first module is loaded.
    ///
    /// - Returns: The descriptor to wait at, with ``read()`` for what arrives; nil if nothing is diverted.
    package static func begin(log: any LogSink) -> CInt? {
        let pipe = ccrash_divert_outputs()
        guard pipe >= 0 else { return nil }
        state.withLock { $0.log = log }
        return pipe
    }

    /// Reads what is printed between steps.
    package static func read() { state.withLock { $0.read() } }

    /// Which modules are active, in case it is not known which one printed.
    static func setActive(_ modules: [String]) {
        state.withLock { $0.active = modules }
    }

    /// Runs code of a module that does not await.
    package static func perform<Value>(_ module: String, _ body: () throws -> Value) rethrows -> Value {
        state.withLock { $0.steps.append(module) }
        defer {
            ccrash_flush_prints()
            state.withLock { state in
                state.read()
                state.endLine()
                state.steps.removeLast()
            }
        }
        return try body()
    }

    /// Reads what was printed so far, as before the end of the process.
    package static func settle() {
        ccrash_flush_prints()
        state.withLock { state in
            state.read()
            state.endLine()
        }
    }

    /// Something that may run code of a module, and awaits in between.
    package struct Running: Sendable {
        private let number: Int

        /// - Parameter module: Whose code it is, if that is known.
        package init(_ module: String? = nil) {
            number = state.withLock { state in
                state.nextNumber += 1
                state.running.updateValue(module, forKey: state.nextNumber)
                return state.nextNumber
            }
        }

        /// Says whose code it is.
        package func belongs(to module: String?) {
            state.withLock { state in _ = state.running.updateValue(module, forKey: number) }
        }

        /// Reads what was printed, and ends.
        ///
        /// - Parameter hasRun: Whether code of a module has run at all; if not, nothing is read.
        package func end(hasRun: Bool = true) {
            if hasRun { ccrash_flush_prints() }
            state.withLock { state in
                if hasRun {
                    state.read()
                    state.endLine()
                }
                state.running.removeValue(forKey: number)
            }
        }
    }
}

extension ModulePrints.State {
    /// Reads what is in the pipe, and not what a thread prints as fast as it is read.
    fileprivate mutating func read() {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4_096) { buffer in
            guard let start = buffer.baseAddress else { return }
            var total = 0
            while total < Self.mostAtOnce,
                case let count = ccrash_read_prints(start, buffer.count), count > 0
            {
                take(UnsafeRawBufferPointer(start: start, count: count), from: printers)
                total += count
            }
            guard ccrash_has_lost_prints(total) else { return }
            endLine()
            log?.log(.warning, module: source, message: "More was printed at once than is kept; it is lost.")
        }
    }

    private static let mostAtOnce = 1 << 20

    /// Who printed what is read now: the step under way, else what is running, else all that are active.
    private var printers: String {
        if let step = steps.last { return step }
        let known = Set(running.values.compactMap { $0 }).sorted()
        let names = known.isEmpty ? active : known
        guard !names.isEmpty else { return "modules" }
        let more = names.count > 6 ? ", and \(names.count - 5) more" : ""
        return names.prefix(more.isEmpty ? 6 : 5).joined(separator: ", ") + more
    }

    private mutating func take(_ bytes: UnsafeRawBufferPointer, from source: String) {
        if source != self.source { endLine() }
        self.source = source
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                log(line)
                line.removeAll(keepingCapacity: true)
            } else {
                line.append(byte)
                if line.count == ModulePrints.longestLine { endLine() }
            }
        }
    }

    /// Logs a line that has no end yet.
    fileprivate mutating func endLine() {
        guard !line.isEmpty else { return }
        log(line)
        line.removeAll(keepingCapacity: true)
    }

    private func log(_ line: [UInt8]) {
        log?.log(.info, module: source, message: String(decoding: line, as: UTF8.self))
    }
}
