internal import AtriumKit
internal import AtriumLibraries
internal import CCrash

/// Records the host's activity in a file that survives the process: `DATA/running`, written by Note.c.
package enum RunningNote {
    /// Starts recording.
    ///
    /// - Parameter path: The file; a clean end removes it.
    /// - Returns: The activity of a process that ended without removing its file.
    package static func begin(at path: String) -> CrashRecord? {
        let former = ccrash_note_begin(path)
        guard former.process > 0 else { return nil }
        let running = UnsafeBufferPointer(start: former.activities, count: Int(former.activity_count))
        var record = CrashRecord(
            process: former.process, signal: nil, status: nil, time: SystemClock().now(),
            commands: running.filter(\.is_command).map(CrashRecord.Command.init),
            activities: running.filter { !$0.is_command }.map { String(cString: $0.text) })
        record.kind = .lost
        record.step = former.step.map { CrashRecord.Step($0.pointee) }
        return record
    }
}

extension CrashRecord.Command {
    init(_ activity: ccrash_activity) {
        let (scene, module) = (String(cString: activity.scene), String(cString: activity.module))
        self.init(
            text: String(cString: activity.text), scene: scene.isEmpty ? nil : scene,
            module: module.isEmpty ? nil : module,
            since: Timestamp(microseconds: activity.since))
    }
}

extension CrashRecord.Step {
    fileprivate init(_ step: ccrash_note_step) {
        func text(_ bytes: some Any) -> String {
            withUnsafeBytes(of: bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        self.init(
            module: text(step.module), digest: text(step.digest), phrase: text(step.phrase),
            since: Timestamp(microseconds: step.since))
    }
}
