import AtriumManifest
import SwiftSyntax

/// Reads the screens that a module registers from its sources.
///
/// `registry.screen(Detail.self)` gives the pattern of `Detail`, with the first sentence of its documentation
/// comment; `registry.records(Book.self)` the screens of the record. Only literals can be read: the rest is a
/// problem, and such a module lists its screens in `module.json`.
struct ScreenReader {
    /// The end of every problem's sentence.
    static let byHand = "list the module's screens as \"screens\" in module.json"

    private(set) var screens: [ScreenDeclaration] = []
    /// The problems, in the order of files and lines.
    private(set) var problems: [CodeProblem] = []

    private let code: ModuleCode
    private var found: [FoundScreen] = []
    /// The names of the registered records, and what their fields refer to.
    private var records: Set<String> = []
    private var references: [(type: TypeName, problem: CodeProblem)] = []

    init(_ code: ModuleCode) {
        self.code = code
        for file in code.files where file.contains(Registration.words) {
            for registration in Registration.all(in: file) {
                do {
                    try read(registration).forEach { add($0) }
                } catch let problem as CodeProblem {
                    problems.append(problem)
                } catch {
                    problems.append(registration.problem("\(error)"))
                }
            }
        }
        problems += references.filter { !records.contains(code.resolved($0.type).path.last ?? "") }.map(
            \.problem)
        screens = found.map(\.declaration).sorted { $0.pattern < $1.pattern }
        problems.sort { ($0.path, $0.line, $0.column) < ($1.path, $1.line, $1.column) }
    }

    private mutating func read(_ registration: Registration) throws -> [FoundScreen] {
        let type = code.resolved(try registration.type())
        switch registration.kind {
        case .records:
            let record = try record(type, registration)
            records.insert(type.path.last ?? "")
            references += record.references()
            let screens = try RecordScreens(record, registration, code).all()
            return try screens.flatMap { try record.screens($0, registration) }
        case .screen:
            if let screen = RecordScreen(destination: type.path), let item = type.arguments.first {
                return try record(item, registration).screens(screen, registration)
            }
            return [try DestinationSource(code.type(type, of: registration)).screen()]
        }
    }

    private func record(_ name: TypeName, _ registration: Registration) throws -> RecordSource {
        RecordSource(try code.type(name, of: registration))
    }

    /// Adds a screen; one that is registered in two branches counts once.
    private mutating func add(_ screen: FoundScreen) {
        let own = screen.declaration
        if found.contains(where: { ($0.type, $0.declaration.pattern) == (screen.type, own.pattern) }) {
            return
        }
        if !TextFormat.linkPattern.accepts(own.pattern) {
            return problems.append(screen.problem(TextFormat.linkPattern.refusal(of: own.pattern)))
        }
        if let mistake = own.mistakes.first { return problems.append(screen.problem(mistake)) }
        if let other = found.first(where: { !Set($0.declaration.shapes).isDisjoint(with: own.shapes) }) {
            return problems.append(
                screen.problem(
                    "'\(own.pattern)' of \(screen.type) answers the same links as "
                        + "'\(other.declaration.pattern)' of \(other.type); remove one of them."))
        }
        found.append(screen)
    }
}

/// A screen with the type of its destination, and the place of its pattern.
struct FoundScreen {
    let declaration: ScreenDeclaration
    let type: String
    let problem: (String) -> CodeProblem
}

struct DestinationSource {
    private let type: ModuleType

    init(_ type: ModuleType) {
        self.type = type
    }

    func screen() throws -> FoundScreen {
        guard let (property, file) = type.property("pattern") else {
            throw type.problem(
                "'\(type.name)' has no static property 'pattern' that the build can read; write one, or "
                    + "\(ScreenReader.byHand)")
        }
        guard let pattern = property.value?.literalText else {
            throw file.problem(
                at: property.pattern,
                "the pattern of '\(type.name)' is not a literal, so the build can't read it; write it as one, "
                    + "or \(ScreenReader.byHand)")
        }
        guard let summary = type.summary else {
            throw type.problem(
                "'\(type.name)' has no documentation comment, whose first sentence is the summary of its "
                    + "screen; write one, or \(ScreenReader.byHand)")
        }
        return FoundScreen(
            declaration: ScreenDeclaration(pattern: pattern, summary: summary), type: type.name
        ) {
            file.problem(at: property.pattern, $0)
        }
    }
}
