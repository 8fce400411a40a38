package import AtriumKit

/// The checks made of a module, and their findings.
package struct ConformanceReport: Sendable {
    package let module: String
    package private(set) var findings: [Finding] = []
    /// The number of things that each check looked at; checks that did not run are left out.
    private var counts: [Check: Int] = [:]
    private var known: Set<String> = []

    package enum Check: String, CaseIterable, Sendable {
        case start, container, links, layout, savedState, release, stories, actions, mocks, migrations,
            uses, update, removal

        /// The rule that a check confirms, and the things that it counts.
        var claim: (holds: String, counted: String) {
            switch self {
            case .start: ("It starts, and registers what its manifest declares", "module")
            case .container: ("Everything that it registers can be built", "registration")
            case .links: ("Links print and parse, and stack entries can be kept", "screen")
            case .layout: ("Screens have a body from 20 to 200 columns, and as JSON", "state")
            case .savedState: ("The state of view models survives saving and restoring", "view model")
            case .release: ("Nothing of a screen is alive after it was left", "object")
            case .stories: ("Stories show their screens at 40, 80 and 120 columns", "story")
            case .actions: ("Actions and their arguments have help and completion", "action")
            case .mocks: ("Mock services play success, error and edge", "service")
            case .migrations: ("Migrations run from each version", "migration")
            case .uses: ("It works without the modules that it uses", "module")
            case .update: ("An update to itself keeps stack and state", "update")
            case .removal: ("Nothing is alive after its removal", "removal")
            }
        }
    }

    package struct Finding: Sendable {
        package let check: Check
        package let message: String
        package let hint: String?
    }

    init(module: String) { self.module = module }

    /// The report of a module that does not start.
    package init(module: String, refusedBecause error: any ExplainedError) {
        self.module = module
        looked(at: .start)
        add(.start, error.message, hint: error.hint)
    }

    mutating func looked(at check: Check, _ number: Int = 1) { counts[check, default: 0] += number }

    /// Adds a finding; one that occurs in several states is reported only for the first.
    mutating func add(_ check: Check, _ message: String, in state: String = "", hint: String? = nil) {
        guard known.insert("\(check) \(message)").inserted else { return }
        let message = state.isEmpty ? message : "\(message.dropLast()) (\(state))."
        findings.append(Finding(check: check, message: message, hint: hint))
    }

    /// True if it was found already.
    func has(_ check: Check, _ message: String) -> Bool { known.contains("\(check) \(message)") }

    package var content: Content {
        let rows = Check.allCases.compactMap { check in counts[check].map { (check, $0) } }
        return Content {
            Table(rows) {
                Column("check") { $0.0.rawValue }
                Column("holds", label: "What holds") { $0.0.claim.holds }
                Column("count", isHidden: true) { $0.1 }
                Column("looked", label: "Looked at") { RecordNoun($0.0.claim.counted).counted($0.1) }
                Column("result") { row in
                    let count = findings.count { $0.check == row.0 }
                    return count == 0 ? "ok" : RecordNoun("problem").counted(count)
                }
            }
            for finding in findings {
                Notice(.problem, "\(finding.check.rawValue): \(finding.message)", hint: finding.hint)
            }
        }
    }
}
