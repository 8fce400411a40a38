internal import AtriumKit
internal import AtriumRuntime

/// How the generations of a module are shown: what is mapped, what of them is alive, and what holds an old one.
enum GenerationViews {
    @ContentBuilder
    static func content(_ report: GenerationsReport) -> Content {
        if !report.generations.isEmpty {
            Table(report.generations, key: "generations") {
                Column("generation") { $0.number }
                Column("version") { $0.version }
                Column("digest") { String($0.digest.prefix(16)) }
                Column("state") { $0.state.rawValue }
                Column("mapped", label: "Bytes mapped") { $0.mapped }
                Column("objects") { $0.objects }
                Column("tasks") { NameList($0.tasks) }
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
}
