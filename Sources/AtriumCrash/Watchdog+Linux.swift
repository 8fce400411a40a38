@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
internal import CCrash
internal import Glibc
internal import MainQueue

/// Finds modules that keep the main actor busy: Watchdog.c.
///
/// Time that a module awaits does not count. A module that blocks the start is quarantined, and the host is
/// executed again without it, by its supervisor or on its own; a module that blocks later is reported on
/// standard error and in the journal.
package enum Watchdog {
    /// Starts watching with the first step of a module; call it on the main thread.
    ///
    /// - Parameters:
    ///   - limit: The longest uninterrupted time that a module may keep the main actor busy.
    ///   - journal: The file of the journal.
    ///   - startsAnew: Whether a start that a module blocks is repeated without it.
    package static func watch(limit: Duration, journal: String, startsAnew: Bool) {
        ccrash_watch(
            UInt32(clamping: max(1, limit.wholeMilliseconds)), journal,
            startsAnew ? CommandLine.unsafeArgv : nil)
    }

    /// Makes a module step that exceeds the limit end the process, with a crash record.
    ///
    /// For hosts that no user can interrupt: scripts and services.
    package static func endsSteps() { ccrash_watch_steps() }

    /// Records the host's handling of module state, worded to follow "while"; nil ends it.
    package static func note(_ phrase: StaticString?) {
        guard let phrase else { return ccrash_set_phase(nil) }
        phrase.utf8Start.withMemoryRebound(to: CChar.self, capacity: phrase.utf8CodeUnitCount) {
            ccrash_set_phase($0)
        }
    }

    /// True if a module that still keeps the main actor busy has been reported.
    package static var hasNamed: Bool { ccrash_has_named() }

    /// True if this process was executed again, without a module that it reported.
    package static var hasStartedAnew: Bool { ccrash_times_executed() > 0 }
}

/// A generation of a module whose steps are recorded for the watchdog, the next start, and messages.
@MainActor
package struct WatchedModule {
    private let name: String
    private let module: OpaquePointer?
    package let times = StepTimes()

    package init(_ name: String, digest: String) {
        self.name = name
        module = ccrash_note_module(name, digest)
    }

    /// The time that each step took, with what it awaited.
    @MainActor
    package final class StepTimes {
        package fileprivate(set) var took: [Step: Duration] = [:]
    }

    /// A step that runs code of the module.
    package enum Step {
        case load, create, register, activate, deactivate, snapshot, restore

        /// The step, worded to follow "while".
        fileprivate var phrase: StaticString {
            switch self {
            case .load: "it was opened"
            case .create: "it was created"
            case .register: "it registered"
            case .activate: "it was activated"
            case .deactivate: "it was stopped"
            case .snapshot: "its state was saved"
            case .restore: "its state was restored"
            }
        }
    }

    package func perform<Result>(_ step: Step, _ body: () throws -> Result) rethrows -> Result {
        let (number, start) = (begin(step, isWaiting: false), ContinuousClock.now)
        let work = MainActorTime.begin(name)
        defer {
            work.end()
            ccrash_step_end(number)
            times.took[step] = start.duration(to: .now)
        }
        return try ModulePrints.perform(name, body)
    }

    package func perform<Result: Sendable>(
        _ step: Step, _ body: @MainActor () async throws -> Result
    ) async rethrows -> Result {
        let (number, start) = (begin(step, isWaiting: true), ContinuousClock.now)
        let prints = ModulePrints.Running(name)
        let work = MainActorTime.begin(name)
        defer {
            work.end()
            prints.end()
            ccrash_step_end(number)
            times.took[step] = start.duration(to: .now)
        }
        return try await body()
    }

    private func begin(_ step: Step, isWaiting: Bool) -> CInt {
        step.phrase.utf8Start.withMemoryRebound(to: CChar.self, capacity: step.phrase.utf8CodeUnitCount) {
            ccrash_step_begin(module, $0, isWaiting)
        }
    }
}
