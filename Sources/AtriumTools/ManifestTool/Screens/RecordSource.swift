import AtriumManifest
import SwiftSyntax

/// The source of a record: its link, its noun and its fields.
struct RecordSource {
    private let type: ModuleType

    init(_ type: ModuleType) {
        self.type = type
    }

    /// The screens of one kind: one, but one for each filtered field with its values.
    func screens(_ screen: RecordScreen, _ registration: Registration) throws -> [FoundScreen] {
        let noun = try noun()
        let link = try link(noun)
        func found(_ ending: String, _ noun: RecordNoun) -> FoundScreen {
            let declaration = ScreenDeclaration(
                pattern: link + screen.ending + ending, summary: screen.summary(noun))
            return FoundScreen(declaration: declaration, type: "\(type.name), \(screen)\(ending)") {
                registration.problem($0)
            }
        }
        guard screen == .values else { return [found("", noun)] }
        return try filteredFields().map { name in
            let noun = RecordNoun(typeName: name)
            return found(noun.plural.replacing(" ", with: "-"), noun)
        }
    }

    /// True if users can't change the records; there are no forms then.
    func isReadOnly() throws -> Bool {
        guard let (property, file) = type.property("isReadOnly") else { return false }
        switch property.value?.trimmedDescription {
        case "true": return true
        case "false": return false
        default: throw file.problem(at: property.pattern, unreadable("isReadOnly"))
        }
    }

    /// The names of the fields that users can limit the list by.
    private func filteredFields() throws -> [String] {
        try fields().compactMap { name, options in
            options.contains { ["filtered", "reference"].contains($0.name) } ? name : nil
        }
    }

    /// The records that fields refer to, each with the problem that it is none of the module; none if the fields
    /// can't be read, which the registration of the module checks too.
    func references() -> [(type: TypeName, problem: CodeProblem)] {
        guard let file = type.property("fields")?.file, let fields = try? fields() else { return [] }
        return fields.flatMap { name, options in
            options.compactMap { option in
                guard option.name == "reference", let argument = option.call?.arguments.first?.expression,
                    let other = TypeName(metatype: argument)
                else { return nil }
                return (
                    other,
                    file.problem(
                        at: argument,
                        "the field '\(name)' refers to \(other), which the module does not "
                            + "register as a record.")
                )
            }
        }
    }

    private func fields() throws -> [(name: String, options: [FieldOption])] {
        guard let (property, file) = type.property("fields") else {
            throw type.problem(unreadable("fields"))
        }
        let fields = property.value?.as(ArrayExprSyntax.self)?.elements.map {
            $0.expression.as(FunctionCallExprSyntax.self)
        }
        guard let fields else { throw file.problem(at: property.pattern, unreadable("fields")) }
        return try fields.map { field in
            guard let field, field.isInitializer, let name = field.arguments.first?.expression.literalText
            else { throw file.problem(at: property.pattern, unreadable("fields")) }
            return (name, field.arguments.compactMap { FieldOption($0.expression) })
        }
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

/// An option of a field, such as `.filtered` or `.reference(to: Book.self)`.
private struct FieldOption {
    let name: String
    let call: FunctionCallExprSyntax?

    init?(_ expression: ExprSyntax) {
        call = expression.as(FunctionCallExprSyntax.self)
        let option = call?.calledExpression ?? expression
        guard let access = option.as(MemberAccessExprSyntax.self), access.base == nil else { return nil }
        name = access.declName.baseName.text
    }
}
