@_spi(Host) internal import AtriumKit
internal import AtriumText
internal import AtriumViews

/// The running taps of a front end: each prints the calls of a service above the prompt.
@MainActor
package final class ServiceTaps {
    struct Running {
        let tap: CallTap
        let conditions: String
        fileprivate let timer: Task<Void, Never>?
    }

    private(set) var all: [Running] = []
    private let monitor: CallMonitor
    private let scene: String
    private let display: Display
    private let announce: (String) -> Void
    /// The command whose calls were printed last, so that its name is printed once; nil at first.
    private var printed: CommandOrigin??

    init(_ monitor: CallMonitor, scene: String, display: Display, announce: @escaping (String) -> Void) {
        (self.monitor, self.scene, self.display, self.announce) = (monitor, scene, display, announce)
    }

    /// Starts a tap, which replaces one of the same calls.
    func start(
        _ target: CallTap.Target, _ filter: CallTap.Filter, limit: Int, for time: Duration?,
        _ conditions: String
    ) {
        end { $0 == target }
        let tap = CallTap(target, filter, limit: limit) { [weak self] records, dropped in
            self?.report(records, dropped, of: target)
        }
        let timer = time.map { time in
            Task { [weak self] in
                guard (try? await Task.sleep(for: time)) != nil, !Task.isCancelled else { return }
                self?.finish(target)
            }
        }
        all.append(Running(tap: tap, conditions: conditions, timer: timer))
        monitor.start(tap)
    }

    /// Ends the taps of these targets; returns their number.
    @discardableResult
    func end(_ isMeant: (CallTap.Target) -> Bool) -> Int {
        let ended = all.filter { isMeant($0.tap.target) }
        all.removeAll { isMeant($0.tap.target) }
        for running in ended {
            running.timer?.cancel()
            monitor.end(running.tap)
        }
        return ended.count
    }

    func endAll() { end { _ in true } }

    /// Prints the calls of a command before its result.
    func deliver() {
        for running in all { running.tap.deliver() }
        printed = nil
    }

    /// Ends the taps of services that no active module has any more.
    func settle(_ services: () -> Set<MockDirector.Key>) {
        deliver()
        guard !all.isEmpty else { return }
        let present = services()
        for target in all.map(\.tap.target) where !present.contains(target.key) {
            end { $0 == target }
            announce("The tap of \(target.name) ended: no active module has the service.")
        }
    }

    private func finish(_ target: CallTap.Target) {
        guard let running = all.first(where: { $0.tap.target == target }) else { return }
        running.tap.deliver()
        let count = RecordNoun("call").counted(running.tap.count)
        guard end({ $0 == target }) > 0 else { return }
        announce("The tap of \(target.name) ended after \(count).")
    }

    private func report(_ records: [CallRecord], _ dropped: Int, of target: CallTap.Target) {
        for record in records { report(record) }
        if dropped > 0 { announce("… \(dropped) more calls of \(target.name) were too many to print.") }
        if let running = all.first(where: { $0.tap.target == target }), running.tap.count >= running.tap.limit
        {
            finish(target)
        }
    }

    private func report(_ record: CallRecord) {
        guard display.form != .objects else {
            let object = JSONObject(command: "tap", result: record.json)
            do { try display.write(object.line) } catch { endAll() }
            return
        }
        if printed != .some(record.origin) {
            printed = .some(record.origin)
            announce(record.heading(in: scene))
        }
        for line in record.lines { announce(line) }
    }
}

extension CallRecord {
    /// The command that caused the call, and where it was typed.
    fileprivate func heading(in scene: String) -> String {
        guard let origin else { return "Not by a command:" }
        let screen = origin.link.map { ", on '\($0.printableLine)'" } ?? ""
        let other = origin.scene == scene ? "" : ", in scene \(origin.scene)"
        return "By '\(origin.command.printableLine.excerpt)'\(screen)\(other):"
    }

    /// The call, and below it its statements and requests.
    fileprivate var lines: [String] {
        let given = arguments.map { "\($0.name): \($0.text)" }.joined(separator: ", ")
        let outcome = failure.map { " failed: \($0)" } ?? result.map { " = \($0)" } ?? ""
        return ["  \(key.service).\(method)(\(given))\(outcome), \(APIViews.milliseconds(duration))"]
            .map(\.printableLine)
            + steps.map { "    \($0.text.printableLine), \(APIViews.milliseconds($0.duration))" }
    }

    fileprivate var json: JSONObject {
        var object: JSONObject = ["service": .string(key.service), "module": .string(key.module)]
        object["method"] = .string(method)
        object["arguments"] = .object(
            arguments.reduce(into: [:]) { $0[$1.name] = .string($1.text) })
        object["result"] = result.map { .string($0) } ?? .null
        object["error"] = failure.map { .string($0) } ?? .null
        object["milliseconds"] = .number(duration / .milliseconds(1))
        object["command"] = origin.map { .string($0.command) } ?? .null
        object["scene"] = origin.map { .string($0.scene) } ?? .null
        object["link"] = (origin?.link).map { .string($0) } ?? .null
        object["steps"] = .array(
            steps.map {
                ["text": .string($0.text), "milliseconds": .number($0.duration / .milliseconds(1))]
            })
        return object
    }
}
