import SwiftSyntax

/// The sources of a module.
///
/// A file is parsed only if it has a word that is looked for, since the tool runs with every build.
struct ModuleCode {
    let files: [SourceFile]

    init(_ paths: [String]) {
        files = paths.sorted().compactMap { SourceFile($0) }
    }

    /// The type that an alias outside of types stands for; the name itself if it is no alias.
    func resolved(_ name: TypeName) -> TypeName {
        let aliases = files.lazy.filter { $0.contains(["typealias \(name) "]) }
        return aliases.compactMap { $0.aliases[name.description] }.first ?? name
    }

    /// The declaration and the extensions of a type that a registration names.
    ///
    /// - Throws: ``CodeProblem`` if the module's sources do not declare it, or declare several.
    func type(_ name: TypeName, of registration: Registration) throws -> ModuleType {
        let named = files.filter { name.path.contains(where: $0.mayDeclare) }.flatMap(\.types)
            .filter { $0.path.suffix(name.path.count) == name.path[...] }
        let declared = named.filter { !$0.isExtension }
        let exact = declared.filter { $0.path == name.path }
        let candidates = exact.isEmpty ? declared : exact
        guard let found = candidates.first else {
            throw registration.problem(
                "the sources of the module do not declare '\(name)', so the build can't read its screen; "
                    + "\(ScreenReader.byHand)")
        }
        guard candidates.count == 1 else {
            throw registration.problem(
                "the sources of the module declare '\(name)' \(candidates.count) times, so the build can't "
                    + "tell which one is meant; write its full name, or \(ScreenReader.byHand)")
        }
        return ModuleType(
            declaration: found, extensions: named.filter { $0.isExtension && $0.path == found.path })
    }
}

/// A type that the module declares, with its extensions.
struct ModuleType {
    let declaration: DeclaredType
    let extensions: [DeclaredType]

    var name: String { declaration.path.joined(separator: ".") }

    /// The static property of a name, with the file that has it; nil if the sources have none.
    func property(_ name: String) -> (binding: PatternBindingSyntax, file: SourceFile)? {
        for part in [declaration] + extensions {
            for member in part.group.memberBlock.members {
                guard let variable = member.decl.as(VariableDeclSyntax.self),
                    variable.modifiers.contains(where: { ["static", "class"].contains($0.name.text) })
                else { continue }
                let binding = variable.bindings.first {
                    $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text == name
                }
                if let binding { return (binding, part.file) }
            }
        }
        return nil
    }

    /// The first sentence of the documentation comment, without its full stop; nil if there is none.
    var summary: String? { DocumentationComment(declaration.group.leadingTrivia).firstSentence }

    func problem(_ message: String) -> CodeProblem {
        let named = declaration.group.asProtocol((any NamedDeclSyntax).self)
        guard let named else { return declaration.file.problem(at: declaration.group, message) }
        return declaration.file.problem(at: named.name, message)
    }
}
