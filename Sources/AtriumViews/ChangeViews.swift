package import AtriumKit
package import AtriumModules
internal import AtriumText

package enum ChangeViews {
    /// The effects of a planned change, a sentence for each step; the steps as rows for programs.
    package static func plan(_ plan: ChangePlan) -> Content {
        Content {
            for step in consequencesLast(plan.steps) {
                Field("rows", label: "", Worded(sentence(step), .null))
            }
            // Under the same key, so that programs get these rows.
            if plan.steps.isEmpty { Content.noRows }
            Table(plan.steps) {
                Column("step", isHidden: true) { $0.kind.rawValue }
                Column("module", isHidden: true) { $0.module }
                Column("from", isHidden: true) { $0.from }
                Column("to", isHidden: true) { $0.to }
                Column("tried", isHidden: true) { $0.isTried }
                Column("why", isHidden: true) { $0.reason }
            }
            contracts(plan.contracts, would: true)
            reaches(plan.reaches)
            for doubt in plan.doubts { Notice(.warning, doubt) }
            uses(plan.uses, would: true)
            for note in plan.notes { Notice(.information, note) }
            if !plan.values.isEmpty { ConfigurationViews.changes(plan.values, isHidden: false) }
            effects(of: plan, would: true)
        }
    }

    /// The requested steps first, then the stops that they cause.
    private static func consequencesLast(_ steps: [ChangePlan.Step]) -> [ChangePlan.Step] {
        steps.filter { $0.kind != .stop } + steps.filter { $0.kind == .stop }
    }

    /// A sentence that says what a step would do, and why.
    private static func sentence(_ step: ChangePlan.Step) -> String {
        let (module, from, to) = (step.module, step.from ?? "", step.to ?? "")
        let what =
            switch step.kind {
            case .load: "\(module) \(to) would be loaded"
            case .replace where from == to: "\(module) \(from) would be replaced by another build"
            case .replace: "\(module) \(from) would be replaced by \(to)"
            case .configure: "\(module) would be configured"
            case .stop: "\(module) would stop"
            case .remove: "\(module) would be removed"
            case .install: "\(module) \(to) would be installed"
            case .wait: "\(module) \(to) would be installed, and wait"
            }
        if step.kind == .remove { return what + "." }
        let tried =
            step.kind == .configure
            ? " It would be tried with them first." : " Its library is new here, so it would be tried first."
        let trial = step.isTried ? tried : ""
        // A plan has not removed anything yet.
        let reason = step.reason.replacing(", which is not installed", with: "")
        return "\(what): \(reason.hasSuffix(".") ? reason : reason + ".")\(trial)"
    }

    @ContentBuilder
    private static func effects(of plan: ChangePlan, would: Bool = false) -> Content {
        if !plan.rebuilt.isEmpty {
            Field("rebuilt", label: would ? "Would be rebuilt" : "Rebuilt", Worded(plan.rebuilt))
        }
        if !plan.screens.isEmpty { Field("screens", label: "Affected screens", Worded(plan.screens)) }
    }

    /// The reach of new libraries, and their calls beside their contexts.
    @ContentBuilder
    private static func reaches(_ reaches: [Reach]) -> Content {
        if !reaches.isEmpty {
            Table(reaches, key: "capabilities") {
                Column("module") { $0.module }
                Column("capabilities", label: "May reach") {
                    Worded($0.words, $0.declared == nil ? .null : .string($0.words))
                }
                Column("limit", label: "At most", isHidden: reaches.allSatisfy { $0.limitWords == nil }) {
                    $0.limitWords
                }
            }
        }
        for sentence in reaches.flatMap(\.sentences) { Notice(.warning, sentence) }
    }

    /// The contracts that a change opens, and those of which newer versions count from the next start.
    @ContentBuilder
    private static func contracts(_ contracts: [ChangePlan.Contract], would: Bool = false) -> Content {
        for contract in contracts {
            let users = contract.modules.joined(separator: ", ")
            if let from = contract.from {
                Notice(
                    .information,
                    "The contract \(contract.name) \(contract.to) counts from the next start; this host has opened "
                        + "\(from), for \(users).", hint: contract.problems.isEmpty ? "exit --restart" : nil)
                for problem in contract.problems { Notice(.warning, problem) }
            } else {
                let opened = would ? "would be opened" : "was opened"
                Notice(.information, "The contract \(contract.name) \(contract.to) \(opened) for \(users).")
            }
        }
        if !contracts.isEmpty {
            Table(contracts, key: "contracts") {
                Column("contract", isHidden: true) { $0.name }
                Column("from", isHidden: true) { $0.from }
                Column("to", isHidden: true) { $0.to }
                Column("modules", isHidden: true) { Worded($0.modules) }
                Column("problems", isHidden: true) { Worded($0.problems) }
            }
        }
    }

    /// The modules that get, exchange or lose a module that they use.
    @ContentBuilder
    private static func uses(_ uses: [ChangePlan.Use], would: Bool = false) -> Content {
        for use in uses { Notice(.information, sentence(use, would: would)) }
        if !uses.isEmpty {
            Table(uses, key: "uses") {
                Column("module", isHidden: true) { $0.module }
                Column("uses", isHidden: true) { $0.used }
                Column("range", isHidden: true) { $0.range }
                Column("from", isHidden: true) { $0.from }
                Column("to", isHidden: true) { $0.to }
            }
        }
    }

    private static func sentence(_ use: ChangePlan.Use, would: Bool) -> String {
        let be = would ? "would be" : "is"
        let what = use.isRebuilt ? "\(be) rebuilt" : would ? "would run" : "runs"
        let reason =
            if let version = use.to {
                "with \(use.used) \(version), which it uses"
            } else if let version = use.unfit {
                "without \(use.used): it uses \(use.used) \(use.range), but \(use.used) \(be) \(version)"
            } else {
                "without \(use.used), which it uses"
            }
        return "\(use.module) \(what) \(reason)."
    }

    /// The result of a change: only its effects for users, everything for programs.
    package static func report(_ report: ChangeReport) -> Content {
        Content {
            Table(report.plan.steps) {
                Column("step", isHidden: true) { $0.kind.rawValue }
                Column("module", isHidden: true) { $0.module }
                Column("from", isHidden: true) { $0.from }
                Column("to", isHidden: true) { $0.to }
                Column("why", isHidden: true) { $0.reason }
            }
            contracts(report.plan.contracts)
            uses(report.plan.uses)
            for note in report.plan.notes { Notice(.information, note) }
            if !report.plan.values.isEmpty { ConfigurationViews.changes(report.plan.values, isHidden: true) }
            effects(of: report.plan)
            for event in report.events where event.level == .note { Notice(.information, event.message) }
            for warning in report.warnings { Notice(.warning, warning.message) }
        }
    }

    /// The result of a change, a sentence for each module.
    package static func sentence(_ report: ChangeReport) -> String {
        report.plan.steps.map { step in
            let (module, from, to) = (step.module, step.from ?? "", step.to ?? "")
            return switch step.kind {
            case .load: "Loaded \(module) \(to)."
            case .replace where from == to:
                "Replaced \(module) \(from) by \(step.formerBuild ?? "another build")."
            case .replace: "Replaced \(module) \(from) by \(to)."
            case .configure: "Configured \(module): \(step.reason)."
            case .stop: "Stopped \(module), which waits: \(step.reason)"
            case .remove: "Removed \(module)."
            case .install: "Installed \(module) \(to), which is loaded on demand."
            case .wait: "\(module) \(to) waits: \(step.reason)"
            }
        }.joined(separator: " ")
    }
}
