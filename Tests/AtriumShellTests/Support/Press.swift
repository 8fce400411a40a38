@_spi(Host) import AtriumKit
import AtriumModules

private struct Press: Destination {
    static let pattern: LinkPattern = "press"
}

@MainActor
final class PressLog { var runs = 0 }

/// A screen whose action `print` has doubts that a user may confirm: one more each time that it runs.
private struct PressView: View {
    let log: PressLog

    var body: Content { Title("Press") }

    var actions: [Action] {
        Action("print", "Prints", loadsFirst: false, Action.yes) { isConfirmed in
            log.runs += 1
            let doubts = ["There is no ink.", "There is no paper."].prefix(log.runs)
            guard isConfirmed || doubts.allSatisfy(UnconfirmedChange.confirmed.contains) else {
                throw UnconfirmedChange(doubts: Array(doubts))
            }
            return .updated("Printed.")
        }
    }
}

extension TestHost {
    func addPress() throws -> PressLog {
        let log = PressLog()
        try add("Press") { registry in registry.screen(Press.self) { _ in PressView(log: log) } }
        return log
    }
}
