import AtriumManifest
import SwiftSyntax

/// The screens of a record, as AtriumKit registers them.
enum RecordScreen: String, CaseIterable {
    case list, detail, new, edit, values

    /// The screen of a destination of AtriumKit, such as `RecordDestination<Book>`; nil for other types.
    init?(destination path: [String]) {
        let names: [String: RecordScreen] = [
            "RecordListDestination": .list, "RecordDestination": .detail, "NewRecordDestination": .new,
            "EditRecordDestination": .edit, "RecordValuesDestination": .values,
        ]
        guard let screen = path.last.flatMap({ names[$0] }) else { return nil }
        self = screen
    }

    /// The end of the pattern, after the link of the record.
    var ending: String {
        switch self {
        case .list: ""
        case .detail: "/:id"
        case .new: "/new"
        case .edit: "/:id/edit"
        case .values: "/values/:field"
        }
    }

    func summary(_ noun: RecordNoun) -> String {
        switch self {
        case .list: "All \(noun.plural), by pages"
        case .detail: "One \(noun.singular)"
        case .new: "A form for a new \(noun.singular)"
        case .edit: "A form for \(noun.withArticle)"
        case .values: "The values of a field, to choose one of them"
        }
    }
}

/// The source of a record: its link, its noun and its fields.
struct RecordSource {
    private let type: ModuleType

    init(_ type: ModuleType) {
        self.type = type
    }

    func screen(_ screen: RecordScreen, _ registration: Registration) throws -> FoundScreen {
        let noun = try noun()
        let declaration = ScreenDeclaration(
            pattern: try link(noun) + screen.ending, summary: screen.summary(noun))
        return FoundScreen(declaration: declaration, type: "\(type.name), \(screen)") {
            registration.problem($0)
        }
    }

    /// True if users can limit the list by a field, so that its values have a screen.
    func isFiltered() throws -> Bool {
        guard let (property, file) = type.property("fields") else {
            throw type.problem(unreadable("fields"))
        }
        let fields = property.value?.as(ArrayExprSyntax.self)?.elements.map {
            $0.expression.as(FunctionCallExprSyntax.self)
        }
        guard let fields else { throw file.problem(at: property.pattern, unreadable("fields")) }
        if fields.contains(where: { $0?.hasOption("filtered") == true }) { return true }
        guard fields.allSatisfy({ $0?.isInitializer == true }) else {
            throw file.problem(at: property.pattern, unreadable("fields"))
        }
        return false
    }

    private func link(_ noun: RecordNoun) throws -> String {
        guard let (property, file) = type.property("link") else {
            return noun.plural.replacing(" ", with: "-")
        }
        guard let link = property.value?.literalText else {
            throw file.problem(at: property.pattern, unreadable("link"))
        }
        guard TextFormat.linkPattern.accepts(link) else {
            throw file.problem(at: property.pattern, TextFormat.linkPattern.refusal(of: link))
        }
        return link
    }

    private func noun() throws -> RecordNoun {
        guard let (property, file) = type.property("noun") else {
            return RecordNoun(typeName: type.declaration.path.last ?? "")
        }
        guard let call = property.value?.as(FunctionCallExprSyntax.self), call.isInitializer,
            let first = call.arguments.first, first.label == nil, let singular = first.expression.literalText,
            call.arguments.allSatisfy({ $0.expression.literalText != nil })
        else { throw file.problem(at: property.pattern, unreadable("noun")) }
        let plural = call.arguments.first { $0.label?.text == "plural" }
        return RecordNoun(singular, plural: plural?.expression.literalText)
    }

    private func unreadable(_ property: String) -> String {
        "the \(property) of '\(type.name)' can't be read by the build; write literals, or "
            + "\(ScreenReader.byHand)"
    }
}

extension FunctionCallExprSyntax {
    /// True if an argument is an option such as `.filtered`.
    fileprivate func hasOption(_ name: String) -> Bool {
        arguments.contains {
            $0.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == name
        }
    }
}

/// The words for a record, by the rules of `RecordNoun` in AtriumKit.
struct RecordNoun {
    let singular: String
    let plural: String

    init(_ singular: String, plural: String? = nil) {
        self.singular = singular
        self.plural = plural ?? Self.plural(of: singular)
    }

    /// Creates the words from a type's name: `book loan` from `BookLoan`.
    init(typeName: String) {
        var words = ""
        for letter in typeName where typeName.utf8.allSatisfy({ $0 < 0x80 }) {
            if letter.isUppercase, !words.isEmpty { words += " " }
            words += letter == "_" ? " " : letter.lowercased()
        }
        self.init(words.isEmpty ? typeName.lowercased() : words)
    }

    /// `a book`, `an order`.
    var withArticle: String {
        "\(singular.first.map("aeiou".contains) == true ? "an" : "a") \(singular)"
    }

    private static func plural(of word: String) -> String {
        if word.hasSuffix("y"), word.dropLast().last.map("aeiou".contains) == false {
            return word.dropLast() + "ies"
        }
        return word + (["s", "x", "z", "ch", "sh"].contains(where: word.hasSuffix) ? "es" : "s")
    }
}
