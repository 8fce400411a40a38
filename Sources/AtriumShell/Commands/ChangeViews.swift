internal import AtriumKit
internal import AtriumRuntime

enum ChangeViews {
    static func plan(_ plan: ChangePlan) -> Content {
        Content {
            if !plan.steps.isEmpty {
                Table(plan.steps) {
                    Column("step") { $0.kind.rawValue }
                    Column("module") { $0.module }
                    Column("from") { $0.from }
                    Column("to") { $0.to }
                    Column("tried", label: "Tried first") { $0.isTried }
                    Column("why") { $0.reason }
                }
            } else {
                Content.noRows
            }
            if !plan.values.isEmpty { ConfigurationViews.changes(plan.values, isHidden: false) }
            effects(of: plan)
        }
    }

    @ContentBuilder
    private static func effects(of plan: ChangePlan) -> Content {
        if !plan.rebuilt.isEmpty { Field("rebuilt", Worded(plan.rebuilt)) }
        if !plan.screens.isEmpty { Field("screens", label: "Affected screens", Worded(plan.screens)) }
    }

    /// What was done: only its effects for people, everything for programs.
    static func report(_ report: ChangeReport) -> Content {
        Content {
            Table(report.plan.steps) {
                Column("step", isHidden: true) { $0.kind.rawValue }
                Column("module", isHidden: true) { $0.module }
                Column("from", isHidden: true) { $0.from }
                Column("to", isHidden: true) { $0.to }
                Column("why", isHidden: true) { $0.reason }
            }
            if !report.plan.values.isEmpty {
                ConfigurationViews.changes(report.plan.values, isHidden: true)
            }
            effects(of: report.plan)
            for note in report.notes { Notice(.information, note) }
            for warning in report.warnings { Notice(.warning, warning) }
        }
    }

    /// What was done, in a sentence for each module.
    static func sentence(_ report: ChangeReport) -> String {
        report.plan.steps.map { step in
            let (module, from, to) = (step.module, step.from ?? "", step.to ?? "")
            return switch step.kind {
            case .load: "Loaded \(module) \(to)."
            case .replace where from == to: "Replaced \(module) \(from) by another build."
            case .replace: "Replaced \(module) \(from) by \(to)."
            case .configure: "Configured \(module): \(step.reason)."
            case .stop: "Stopped \(module), which waits: \(step.reason)"
            case .remove: "Removed \(module)."
            case .install: "Installed \(module) \(to), which is loaded on demand."
            case .wait: "\(module) \(to) waits: \(step.reason)"
            }
        }.joined(separator: " ")
    }

    static func bisect(_ report: BisectReport) -> Content {
        Content {
            Field("commands", Redaction.line(report.script))
            Field("guilty", Worded(report.guilty))
            if let crash = report.crash { Field("crash", crash) }
            Table(report.tries) {
                Column("modules") { Worded($0.modules) }
                Column("crashed") { $0.crashed }
            }
            switch report.guilty.count {
            case 0: Notice(.information, "With all modules, the crash did not happen again.")
            case 1: Notice(.problem, "The crash needs only \(report.guilty[0]), with what it requires.")
            default:
                Notice(
                    .problem,
                    "The crash needs \(report.guilty.joined(separator: " and ")) together, with what they require."
                )
            }
        }
    }
}
