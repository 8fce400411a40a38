package import AtriumKit
package import AtriumModules
internal import AtriumText

package enum ExplainViews {
    package static func why(_ explanation: ModuleExplanation) -> Content {
        Content {
            Field("name", explanation.name)
            Field("state", explanation.state)
            Field("why", explanation.sentences.first)
            if explanation.sentences.count > 1 {
                Field("besides", explanation.sentences.dropFirst().joined(separator: " "))
            }
            if !explanation.requirements.isEmpty {
                Table(explanation.requirements) {
                    Column("module", label: "Requires") { $0.module }
                    Column("range") { $0.range }
                    Column("version", label: "Installed") { $0.version }
                    Column("state") { $0.state }
                    Column("satisfied") { $0.isSatisfied }
                }
            } else {
                Content.noRows
            }
            if !explanation.uses.isEmpty {
                Table(explanation.uses, key: "uses") {
                    Column("module", label: "Uses") { $0.module }
                    Column("range") { $0.range }
                    Column("version", label: "Installed") { $0.version }
                    Column("state") { $0.state }
                    Column("present", label: "There") { $0.isPresent }
                }
            }
            if !explanation.users.isEmpty {
                Field("usedBy", label: "Used by", Worded(explanation.users))
            }
            if !explanation.dependents.isEmpty {
                Field("requiredBy", label: "Required by", Worded(explanation.dependents))
            }
            if !explanation.libraries.isEmpty {
                Table(explanation.libraries, key: "libraries") {
                    Column("version") { $0.version }
                    Column("verdict", label: "Choice") { $0.verdict }
                    Column("library") { $0.path }
                }
            }
            if let hint = explanation.hint { Notice(.information, "What can be done:", hint: hint) }
        }
    }

    /// The generations of a module that are mapped, what is alive of them, and what holds an old one.
    @ContentBuilder
    package static func generations(_ report: GenerationsReport) -> Content {
        if !report.generations.isEmpty {
            Table(report.generations, key: "generations") {
                Column("generation") { $0.number }
                Column("version") { $0.version }
                Column("digest") { Worded(digest: $0.digest) }
                Column("state") { $0.state.rawValue }
                Column("mapped", label: "Bytes mapped") { $0.mapped }
                Column("objects") { $0.objects }
                Column("tasks") { Worded($0.tasks) }
            }
        }
        if report.drained > 0 {
            Field("drained", label: "Drained before", report.drained)
            Field("drainedBytes", label: "Bytes they map", report.drainedBytes)
        }
        let alive = report.generations.flatMap { generation in generation.alive.map { (generation, $0) } }
        if !alive.isEmpty {
            Table(alive, key: "alive") {
                Column("generation") { $0.0.number }
                Column("type", label: "Alive") { $0.1.type }
                Column("count") { $0.1.count }
            }
        }
        let held = report.generations.flatMap { generation in generation.held.map { (generation, $0) } }
        if !held.isEmpty {
            Table(held, key: "held") {
                Column("generation") { $0.0.number }
                Column("type", label: "Old object") { $0.1.type }
                Column("holder", label: "Held by") {
                    $0.1.holders.isEmpty ? "not known" : $0.1.holders.joined(separator: ", ")
                }
            }
        }
    }

    /// A command's error and its causes, from the screen down to the layer that failed.
    package static func chain(_ failure: (command: String, error: any ExplainedError)?) -> Content {
        Content {
            if let (command, error) = failure {
                Field("command", command)
                Table(Array(causes(of: error).enumerated())) {
                    Column("layer") { $0.offset + 1 }
                    Column("code") { $0.element.code.rawValue }
                    Column("said") { $0.element.message }
                }
                if let hint = error.hint { Notice(.information, "What can be done:", hint: hint) }
            } else {
                Notice(.information, "No command has failed yet.")
                Content.noRows
            }
        }
    }

    /// At most 20: a chain may be circular.
    private static func causes(of error: any ExplainedError) -> [any ExplainedError] {
        var causes: [any ExplainedError] = []
        var next: (any Error)? = error
        while let error = next, causes.count < 20 {
            let explained = ShellError.explain(error)
            causes.append(explained)
            next = (error as? any ExplainedError)?.cause
        }
        return causes
    }
}
