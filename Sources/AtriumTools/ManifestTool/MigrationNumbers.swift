import SwiftSyntax

/// Finds the numbers of a module's migrations in its sources, and problems with them.
///
/// Only literal numbers can be checked before the module runs: `Migration(2, …)` and
/// `OfflineStore.migration(3)`. If one is computed, as those of records are, nothing is reported here; the
/// host checks all when it loads the module.
struct MigrationNumbers {
    private struct Found {
        let number: Int
        let file: String
        let line: Int
    }

    private var found: [Found] = []
    private var hasComputed = false

    init(_ code: ModuleCode) {
        for file in code.files where file.contains(["igration"]) {
            for call in file.tree.all(FunctionCallExprSyntax.self) {
                guard let name = call.calledName, let number = call.migrationNumber else { continue }
                if let number {
                    found.append(Found(number: number, file: file.path, line: file.location(of: name).line))
                } else {
                    hasComputed = true
                }
            }
        }
    }

    /// The problem, as compilers print it; nil if there is none, or a number is computed.
    var fault: String? {
        guard !hasComputed else { return nil }
        let sorted = found.sorted { $0.number < $1.number }
        for (index, migration) in sorted.enumerated() where migration.number != index + 1 {
            let isTwice = index > 0 && sorted[index - 1].number == migration.number
            let problem =
                isTwice
                ? "there are two migrations \(migration.number)"
                : migration.number < 1
                    ? "migrations count from 1"
                    : "migration \(migration.number) has no migration \(index + 1) before it"
            return "\(migration.file):\(migration.line): error: \(problem); number them 1, 2, 3 and so on"
        }
        return nil
    }
}

extension FunctionCallExprSyntax {
    /// The number of the migration that the call makes; `.some(nil)` if it is computed, nil for other calls.
    fileprivate var migrationNumber: Int?? {
        switch calledName?.text {
        case "records" where isOfMigration: return .some(nil)
        case "Migration", "migration":
            guard let first = arguments.first, first.label == nil else { return nil }
            return .some(Int(first.expression.trimmedDescription.replacing("_", with: "")))
        default: return nil
        }
    }

    /// True for `Migration.records(…)` and `.records(…)`; `registry.records(…)` makes no migration.
    private var isOfMigration: Bool {
        let base = calledExpression.as(MemberAccessExprSyntax.self)?.base
        return base.map { $0.trimmedDescription == "Migration" } ?? true
    }
}
