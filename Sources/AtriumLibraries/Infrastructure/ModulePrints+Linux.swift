@_spi(Host) package import AtriumKit
internal import CCrash
internal import Glibc
internal import Synchronization

/// Turns output of modules, by `print`, `puts` or a write to descriptor 1 or 2, into log lines.
///
/// From ``begin(log:)`` on, the process's descriptors 1 and 2 are a pipe, and the host writes to copies of
/// the real ones: ``HostOutput``. Synchronous steps of a module run in ``perform(_:_:)``, so that their
/// output is logged under its name; for asynchronous work, ``Running`` records which modules may have
/// printed. Both read the pipe when they end; the main loop reads output at other times.
package enum ModulePrints {
    fileprivate struct State {
        /// The destination of lines; nil before the start.
        var log: (any LogSink)?
        /// The synchronous steps in progress, innermost last.
        var steps: [String] = []
        /// Asynchronous work, with its module if known.
        var running: [Int: String?] = [:]
        var nextNumber = 0
        var active: [String] = []
        /// A line that has not ended, and its source.
        var line: [UInt8] = []
        var source = ""
    }

    private static let state = Mutex(State())
    /// Longer lines are cut.
    private static let longestLine = 4_096

    /// Starts capturing; call it once, before the first module is loaded.
    ///
    /// - Returns: The descriptor to wait on before ``read()``; nil if nothing is diverted.
    package static func begin(log: any LogSink) -> CInt? {
        let pipe = ccrash_divert_outputs()
        guard pipe >= 0 else { return nil }
        state.withLock { $0.log = log }
        return pipe
    }

    /// Reads output that was printed between steps.
    package static func read() { state.withLock { $0.read() } }

    /// Sets the active modules, for output of unknown source.
    package static func setActive(_ modules: [String]) {
        state.withLock { $0.active = modules }
    }

    /// Runs synchronous code of a module.
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

    /// Reads the output so far, such as before the process ends.
    package static func settle() {
        ccrash_flush_prints()
        state.withLock { state in
            state.read()
            state.endLine()
        }
    }

    /// Asynchronous work that may run code of a module.
    package struct Running: Sendable {
        private let number: Int

        /// - Parameter module: The module whose code it is, if known.
        package init(_ module: String? = nil) {
            number = state.withLock { state in
                state.nextNumber += 1
                state.running.updateValue(module, forKey: state.nextNumber)
                return state.nextNumber
            }
        }

        /// Sets the module whose code it is.
        package func belongs(to module: String?) {
            state.withLock { state in _ = state.running.updateValue(module, forKey: number) }
        }

        /// Reads the output, and ends.
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
    /// Reads the pipe's contents, up to a limit: a thread may print as fast as it is read.
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

    /// The source of the present output: the step in progress, else running work, else all active modules.
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

    /// Logs an unfinished line.
    fileprivate mutating func endLine() {
        guard !line.isEmpty else { return }
        log(line)
        line.removeAll(keepingCapacity: true)
    }

    private func log(_ line: [UInt8]) {
        log?.log(.info, module: source, message: String(decoding: line, as: UTF8.self))
    }
}
