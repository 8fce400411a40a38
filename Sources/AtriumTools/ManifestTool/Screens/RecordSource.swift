import AtriumManifest
import SwiftSyntax

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
