import AtriumBackup
import AtriumHosts
import AtriumKit
internal import AtriumModules
import AtriumPrompt
import AtriumStorage
internal import AtriumText
internal import AtriumViews
import Glibc

extension Host {
    /// Runs the missing migrations of the modules and of the hosts' own tables in the database.
    func migrateData() async throws -> ExitStatus {
        guard let server = site.server else { return .usage }
        var failures: [any Error] = runtime.problems
        var owners: [String] = []
        let modules = runtime.modules.compactMap(\.current).filter { !$0.migrations.isEmpty }
        for (owner, migrations) in [(HostTable.owner, HostTable.migrations)]
            + modules.map({ ($0.name, $0.migrations) })
        {
            do {
                // The first use migrates.
                try await server.database(of: owner, migrations).read { _ in }
                owners.append(owner)
            } catch { failures.append(error) }
        }
        await site.close()
        let content = Content { Table(owners) { Column("schema") { $0 } } }
        return conclude(
            "database migrate", content,
            owners.isEmpty ? nil : "The tables of these schemas are up to date.", failures)
    }

    /// Prints what a command did and then each failure once; for programs, one line.
    private func conclude(
        _ command: String, _ content: Content, _ message: String?, _ errors: [any Error]
    ) -> ExitStatus {
        var known: Set<String> = []
        let failures = errors.map(ShellError.explain).filter { known.insert($0.message).inserted }
        guard let first = failures.first else {
            return Report.print(content, message, of: command, isJSON: setup.options.isJSON)
        }
        guard setup.options.isJSON else {
            if let message { _ = Report.print(content, message, of: command, isJSON: false) }
            for failure in failures { _ = Report.failure(failure, isJSON: false) }
            return ExitStatus(first)
        }
        let details = Content {
            content
            if failures.count > 1 {
                Table(failures, key: "failures") {
                    Column("message") { $0.message }
                    Column("hint") { $0.hint }
                }
            }
        }
        return Report.failure(
            ShellError(
                first.code, first.message, hint: first.hint, cause: first, category: first.category,
                details: details), of: command, isJSON: true)
    }

    /// Copies the modules' data from the data folder into the database.
    func copyData() async throws -> ExitStatus {
        let data = setup.data
        // The options have set both.
        guard let server = site.server else { return .usage }
        var report = DatabaseMove.Report()
        var failures: [any Error] = []
        let configured = Set(runtime.modules.map { "\($0.name).sqlite" })
        report.left = (Folder.names(in: data.path) ?? []).filter {
            $0.hasSuffix(".sqlite") && !configured.contains($0)
        }
        for module in runtime.modules where module.current == nil {
            guard access(data.path("\(module.name).sqlite"), F_OK) == 0 else { continue }
            failures.append(MoveError(notLoaded: module))
        }
        let copying = Task {
            var interrupted: [String] = []
            for generation in runtime.modules.compactMap(\.current) {
                let file = data.path("\(generation.name).sqlite")
                guard !generation.migrations.isEmpty, access(file, F_OK) == 0 else { continue }
                let move = DatabaseMove(file, of: generation.name, generation.migrations)
                do {
                    try Task.checkCancellation()
                    let moved = try await move.run(
                        to: server.database(of: generation.name, generation.migrations))
                    report.copied += moved.copied
                    report.left += moved.left.map { "\(generation.name).\($0)" }
                } catch is CancellationError {
                    interrupted.append(generation.name)
                } catch { failures.append(error) }
            }
            if !interrupted.isEmpty { failures.append(MoveError(interrupted: interrupted)) }
        }
        let interruption = Interruption()
        let interrupts = InterruptSource { interruption.handle() }
        interruption.begin(copying)
        await copying.value
        interrupts.stop()
        for problem in runtime.problems { Report.warning(problem) }
        await site.close()
        let (content, message) = BackupViews.copied(report)
        return conclude("database copy", content, message, failures)
    }
}
