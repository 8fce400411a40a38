internal import AtriumKit
internal import AtriumRuntime

/// How changes of the modules are shown.
enum ChangeViews {
    /// What would be done.
    static func plan(_ plan: ChangePlan) -> Content {
        Content {
            if plan.steps.isEmpty {
                Notice(.information, "Nothing would change.")
            } else {
                Table(plan.steps, key: "steps") {
                    Column("step") { $0.kind.rawValue }
                    Column("module") { $0.module }
                    Column("from") { $0.from }
                    Column("to") { $0.to }
                    Column("tried", label: "Tried first") { $0.isTried }
                    Column("why") { $0.reason }
                }
            }
            effects(of: plan)
        }
    }

    @ContentBuilder
    private static func effects(of plan: ChangePlan) -> Content {
        if !plan.rebuilt.isEmpty { Field("rebuilt", NameList(plan.rebuilt)) }
        if !plan.places.isEmpty {
            Field("places", label: "Screens built anew", NameList(plan.places))
        }
    }

    /// What was done, for programs and for who wants to know more.
    static func report(_ report: ChangeReport) -> Content {
        Content {
            Table(report.plan.steps, key: "steps") {
                Column("step", isHidden: true) { $0.kind.rawValue }
                Column("module", isHidden: true) { $0.module }
                Column("from", isHidden: true) { $0.from }
                Column("to", isHidden: true) { $0.to }
                Column("why", isHidden: true) { $0.reason }
            }
            effects(of: report.plan)
            for warning in report.warnings { Notice(.warning, warning) }
        }
    }

    /// What was done, in a sentence or two.
    static func sentence(_ report: ChangeReport) -> String {
        let steps = report.plan.steps.map { step in
            switch step.kind {
            case .load: "loaded \(step.module) \(step.to ?? "")"
            case .replace where step.from == step.to:
                "replaced \(step.module) \(step.from ?? "") by another build of it"
            case .replace: "replaced \(step.module) \(step.from ?? "") by \(step.to ?? "")"
            case .stop: "stopped \(step.module), which waits: \(step.reason)"
            case .remove: "removed \(step.module)"
            case .install:
                "installed \(step.module) \(step.to ?? ""), which is loaded when it is first wanted"
            case .wait: "\(step.module) \(step.to ?? "") waits: \(step.reason)"
            }
        }
        return steps.map { text in
            text.prefix(1).uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
        }.joined(separator: " ")
    }
}
