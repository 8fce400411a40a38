import AtriumKit

extension EntityFile {
    /// How many rows are between two looks at whether the task was cancelled, and between two reports of
    /// progress.
    static let stride = 1_000

    /// Reads the whole file, and does nothing with it.
    ///
    /// - Throws: ``EntityFileError`` with a finding for each row that can't be read or breaks a rule.
    @concurrent func check() async throws {
        var findings: [EntityFileFinding] = []
        var reader = try EntityFileReader(self)
        var rows = 0
        while findings.count < EntityFileFinding.maximum, let row = try reader.nextValid() {
            if case .wrong(let found) = row { findings += found }
            rows += 1
            if rows.isMultiple(of: Self.stride) { try Task.checkCancellation() }
        }
        guard findings.isEmpty else {
            throw EntityFileError.invalid(path, Array(findings.prefix(EntityFileFinding.maximum)))
        }
    }

    /// Calls `body` with each row; for a file that was checked before.
    ///
    /// - Parameters:
    ///   - checksCancellation: False where there is no task to be cancelled.
    ///   - body: Receives each row as a draft that keeps every rule.
    /// - Returns: How many there were.
    /// - Throws: ``EntityFileError`` for the first row that is wrong now; what `body` throws.
    func forEachDraft(
        checksCancellation: Bool = true, _ body: (EntityDraft) throws -> Void
    ) throws -> Int {
        var reader = try EntityFileReader(self)
        var rows = 0
        while let row = try reader.nextValid() {
            switch row {
            case .draft(let draft, _): try body(draft)
            case .wrong(let findings): throw EntityFileError.invalid(path, findings)
            }
            rows += 1
            if checksCancellation, rows.isMultiple(of: Self.stride) { try Task.checkCancellation() }
        }
        return rows
    }
}
