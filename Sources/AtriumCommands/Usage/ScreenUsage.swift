@_spi(Host) internal import AtriumKit
internal import AtriumNavigation
internal import AtriumNetworking

/// The number and durations of commands on each screen, in any scene.
///
/// Always counted, so that `top` also shows what happened before it was started: two clock readings and a
/// table lookup for each command. The screens are those of the modules, so their number is limited.
@MainActor
final class ScreenUsage {
    /// A screen, by the names that a stack entry keeps.
    struct Key: Hashable {
        let module: String
        let destination: String
    }

    struct Times {
        var calls = 0
        /// The number of failed commands.
        var errors = 0
        /// The durations of the latest commands, except those in which the user was asked.
        var latency = Latencies()
    }

    private(set) var screens: [Key: Times] = [:]
    /// The duration of the command that showed the first screen of each module.
    private(set) var firstScreens: [String: Duration] = [:]

    /// Counts a command on the screen of a stack entry; `time` is nil if it is meaningless, as the command
    /// waited for the user.
    func note(_ entry: StackEntry, _ time: Duration?, failed: Bool) {
        let key = Key(module: entry.module, destination: entry.destination)
        if let index = screens.index(forKey: key) {
            let times = screens.values[index]
            if !failed, times.calls == times.errors, firstScreens[entry.module] == nil {
                firstScreens[entry.module] = time
            }
            return Self.note(time, failed, in: &screens.values[index])
        }
        if !failed, firstScreens[entry.module] == nil { firstScreens[entry.module] = time }
        var times = Times()
        Self.note(time, failed, in: &times)
        screens[key] = times
    }

    private static func note(_ time: Duration?, _ failed: Bool, in times: inout Times) {
        times.calls += 1
        if failed { times.errors += 1 }
        if let time { times.latency.note(time) }
    }
}

struct MeasuredCommand {
    private let start = ContinuousClock.now
    /// The screen on which it began; nil if it leads to one.
    private let entry: StackEntry?
    private let waitsForPerson: Bool

    /// Starts measuring a command, which may ask the user; nil for host commands that use no screen.
    @MainActor
    init?(_ command: ResolvedCommand, waitsForPerson: Bool) {
        if command.isHost {
            guard command.action?.effect == .navigates else { return nil }
            entry = nil
        } else {
            entry = command.preview == nil ? command.coordinator.currentEntry : nil
        }
        self.waitsForPerson = waitsForPerson
    }

    /// Counts the command on the screen on which it began, or to which it led.
    @MainActor
    func end(_ command: ResolvedCommand, in usage: ScreenUsage, failed: Bool) {
        guard let entry = entry ?? (failed && command.isHost ? nil : command.coordinator.currentEntry),
            !entry.isOfHost
        else { return }
        usage.note(entry, waitsForPerson ? nil : start.duration(to: .now), failed: failed)
    }
}
