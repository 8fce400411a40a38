internal import AtriumKit
internal import AtriumLibraries
internal import CCrash

/// Records the module step in which a start ended, however it ended: `DATA/start`, written by Steps.c.
package enum StartJournal {
    /// The previous start, if it did not become ready.
    package struct Failure: Hashable, Sendable {
        let process: Int32
        /// The number of consecutive failed starts, including this one.
        package let count: Int
        /// The step of a module in which it ended; nil if it was in none.
        let step: CrashRecord.Step?
        /// The last module step that completed, if none was in progress.
        let lastStep: CrashRecord.Step?
    }

    /// Records that the host is starting.
    ///
    /// - Parameter path: The file.
    /// - Returns: The previous start, if it failed.
    package static func begin(at path: String) -> Failure? {
        let former = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(ccrash_start_size)) {
            guard let text = $0.baseAddress else { return "" }
            ccrash_start_begin(path, text)
            return String(cString: text)
        }
        let failure = Failure(text: former)
        ccrash_start_note(UInt32(clamping: failure?.count ?? 0))
        return failure
    }

    /// Records that the host has started: ending from now on is not a failed start.
    package static func ready() { ccrash_start_end() }
}

extension StartJournal.Failure {
    /// Reads the file of a start; nil if that start became ready, or the text is invalid.
    init?(text: String) {
        guard text.hasPrefix("starting ") else { return nil }
        var fields: [Substring: Substring] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 1)
            if words.count == 2 { fields[words[0]] = words[1] }
        }
        guard let process = fields["starting"].flatMap({ Int32($0) }),
            let earlier = fields["failures"].flatMap({ Int($0) }), (0..<1_000_000).contains(earlier)
        else { return nil }
        let step = CrashRecord.Step(fields)
        fields["step"] = fields["after"]
        self.init(
            process: process, count: earlier + 1, step: step,
            lastStep: step == nil ? CrashRecord.Step(fields) : nil)
    }

    /// The end of the start, completed with facts of a crash record.
    package func complete(_ crash: CrashRecord?) -> CrashRecord? {
        guard var crash else {
            guard let step else { return nil }
            var lost = CrashRecord(process: process, signal: nil, status: nil, time: SystemClock().now())
            lost.kind = .lost
            lost.step = step
            lost.isInStart = true
            return lost
        }
        guard crash.process == process else { return crash }
        crash.isInStart = true
        crash.step = crash.step ?? step
        return crash
    }
}

extension CrashNotice {
    /// Explains how to reach a prompt; nil unless at least two starts in a row have failed.
    package init?(_ failure: StartJournal.Failure) {
        guard failure.count >= 2 else { return nil }
        code = "startsFailed"
        let last =
            failure.lastStep.map { " What ran last was module '\($0.module)', when \($0.phrase)." } ?? ""
        message = "The last \(failure.count) starts of the host did not get to their end.\(last)"
        let module = (failure.step ?? failure.lastStep)?.module ?? "NAME"
        hint = "'atrium --safe' starts without modules, 'atrium --without \(module)' without that one."
    }
}
