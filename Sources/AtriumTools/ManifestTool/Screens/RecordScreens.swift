import SwiftSyntax

/// The screens of a record, as AtriumKit registers them.
enum RecordScreen: String, CaseIterable {
    case list, detail, new, edit, values

    /// The screen of a destination of AtriumKit, such as `RecordDestination<Book>`; nil for other types.
    init?(destination path: [String]) {
        let names: [String: RecordScreen] = [
            "RecordListDestination": .list, "RecordDestination": .detail, "NewRecordDestination": .new,
            "EditRecordDestination": .edit,
        ]
        guard let screen = path.last.flatMap({ names[$0] }) else { return nil }
        self = screen
    }

    /// The end of the pattern, after the link of the record; the values have one for each filtered field.
    var ending: String {
        switch self {
        case .list: ""
        case .detail: "/:id"
        case .new: "/new"
        case .edit: "/:id/edit"
        case .values: "/"
        }
    }

    func summary(_ noun: RecordNoun) -> String {
        switch self {
        case .list: "All \(noun.plural), by pages"
        case .detail: "One \(noun.singular)"
        case .new: "A form for a new \(noun.singular)"
        case .edit: "A form for \(noun.withArticle)"
        case .values: "The \(noun.plural), to choose one of them"
        }
    }
}

/// The screens that `registry.records(…)` registers: all but those that the module omits.
struct RecordScreens {
    private let record: RecordSource
    private let registration: Registration
    private let code: ModuleCode

    init(_ record: RecordSource, _ registration: Registration, _ code: ModuleCode) {
        self.record = record
        self.registration = registration
        self.code = code
    }

    func all() throws -> [RecordScreen] {
        let omitted = try omitted().union(record.isReadOnly() ? [.new, .edit] : [])
        return RecordScreen.allCases.filter { !omitted.contains($0) }
    }

    /// The screens in `$0.omitted = [.new, .edit]`, a statement of the closure.
    ///
    /// Sources without the word omit nothing, wherever the additions are made.
    private func omitted() throws -> Set<RecordScreen> {
        guard let change, code.files.contains(where: { $0.contains([".omitted"]) }) else { return [] }
        guard let closure = change.as(ClosureExprSyntax.self) else { throw unreadable }
        var omitted: Set<RecordScreen> = []
        for statement in closure.statements {
            // A use of `omitted`, or a call to which the additions are passed on.
            let names = statement.all(MemberAccessExprSyntax.self).map(\.declName.baseName.text)
            guard names.contains("omitted") || !statement.all(InOutExprSyntax.self).isEmpty else { continue }
            guard let screens = Self.assigned(in: statement) else { throw unreadable }
            omitted = screens
        }
        return omitted
    }

    /// The additions of the module: the trailing closure, or the last argument.
    private var change: ExprSyntax? {
        if let closure = registration.call.trailingClosure { return ExprSyntax(closure) }
        guard let last = registration.call.arguments.last, last.label == nil,
            registration.call.arguments.count > 1
        else { return nil }
        return last.expression
    }

    private var unreadable: CodeProblem {
        registration.problem(
            "the build can't read which screens of this record are omitted; write '$0.omitted = [.new]' in the "
                + "closure, or \(ScreenReader.byHand)")
    }

    /// The cases in `$0.omitted = [.new, .edit]`, all in `$0.omitted = Set(RecordScreen.allCases)`; nil if the
    /// statement is another one.
    private static func assigned(in statement: CodeBlockItemSyntax) -> Set<RecordScreen>? {
        guard let parts = statement.item.as(SequenceExprSyntax.self)?.elements.map({ $0 }), parts.count == 3,
            parts[0].as(MemberAccessExprSyntax.self)?.declName.baseName.text == "omitted",
            parts[1].is(AssignmentExprSyntax.self)
        else { return nil }
        if parts[2].trimmedDescription == "Set(RecordScreen.allCases)" { return Set(RecordScreen.allCases) }
        guard let array = parts[2].as(ArrayExprSyntax.self) else { return nil }
        let screens = array.elements.map { element in
            element.expression.as(MemberAccessExprSyntax.self).flatMap {
                RecordScreen(rawValue: $0.declName.baseName.text)
            }
        }
        return screens.contains(nil) ? nil : Set(screens.compactMap { $0 })
    }
}
