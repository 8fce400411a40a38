/// The parts of a manifest that need more than the schema can say.
extension DocumentReader {
    /// Takes the keys that the build stamps out of the document.
    mutating func takeStamps(_ form: ModuleManifest.Form) -> (sdk: SemanticVersion?, compiler: String?) {
        let sdk = takeStamp("sdk", form)
        let compiler = takeStamp("compiler", form)
        guard let sdk else { return (nil, compiler?.text) }
        return (version(sdk, at: "sdk"), compiler?.text)
    }

    /// Takes the number of the inlined layout out of the document, where it has one.
    mutating func takeLayout(_ form: ModuleManifest.Form) -> Int? {
        let key = "inlinedLayout"
        guard root[key] != nil else { return nil }
        return takeStamp(key, form)?.text.flatMap { Int($0) }
    }

    private mutating func takeStamp(_ key: String, _ form: ModuleManifest.Form) -> LocatedJSON? {
        let member = remove(key)
        switch (form, member) {
        case (.authored, let member?):
            report(
                at: member.keyPosition, field: FieldPath(.key(key)),
                "'\(key)' is stamped by the build; remove it.")
            return nil
        case (.embedded, let member) where member?.value.text?.isEmpty ?? true:
            report(
                at: member?.value.position ?? root.position, field: FieldPath(.key(key)),
                "'\(key)' is missing or no text; build the module with the plugin EmbedManifest.")
            return nil
        default:
            return member?.value
        }
    }

    /// Reads `requires`.
    mutating func requirements(of module: String) -> [Requirement] {
        var requirements: [Requirement] = []
        for member in root["requires"]?.members ?? [] {
            if member.key == module {
                report(
                    at: member.keyPosition, field: FieldPath(.key("requires"), .key(member.key)),
                    "A module can't require itself; remove it.")
            }
            guard let text = member.value.text else { continue }
            do {
                requirements.append(Requirement(name: member.key, range: try VersionRange(parsing: text)))
            } catch {
                report(
                    at: member.value.position, field: FieldPath(.key("requires"), .key(member.key)),
                    error.message)
            }
        }
        return requirements
    }

    /// Reads `screens`.
    mutating func screens() -> [ScreenDeclaration] {
        var screens: [ScreenDeclaration] = []
        var places = FirstPlaces<String>()
        for member in root["screens"]?.members ?? [] {
            let screen = ScreenDeclaration(pattern: member.key, summary: member.value.text ?? "")
            var first: SourcePosition?
            for shape in screen.shapes { first = places.insert(shape, at: member.keyPosition) ?? first }
            check(screen, at: member.keyPosition, sameShape: first)
            screens.append(screen)
        }
        return screens
    }

    /// Two patterns that differ only in the names of parameters would answer the same links; two
    /// parameters of one name would be one value.
    private mutating func check(
        _ screen: ScreenDeclaration, at position: SourcePosition, sameShape first: SourcePosition?
    ) {
        if let first {
            let other = root["screens"]?.members.first { $0.keyPosition == first }?.key ?? ""
            report(
                at: position, field: FieldPath(.key("screens"), .key(screen.pattern)),
                "\(Wording.quoted(screen.pattern)) answers the same links as "
                    + "\(Wording.quoted(other)) on line \(first.line); remove one of them.")
        }
        var names = FirstPlaces<String>()
        for name in screen.parameters where names.insert(name, at: position) != nil {
            report(
                at: position, field: FieldPath(.key("screens"), .key(screen.pattern)),
                "Parameter \(Wording.quoted(":" + name)) appears twice; each needs a name of its own.")
        }
    }

    /// Reads `configuration`; choices and the default must be of the declared type, and the default one of
    /// the choices.
    mutating func configuration() -> [ConfigurationDeclaration] {
        var declarations: [ConfigurationDeclaration] = []
        for member in root["configuration"]?.members ?? [] {
            let type = member.value["type"]?.text.flatMap(ConfigurationDeclaration.ValueType.init)
            guard let type else { continue }
            let choices = member.value["choices"]?.items ?? []
            let plain = ConfigurationDeclaration(key: member.key, type: type, summary: "")
            for (index, choice) in choices.enumerated() {
                check(choice, "A choice", plain, at: .key("choices"), .index(index))
            }
            let declaration = ConfigurationDeclaration(
                key: member.key, type: type, defaultValue: member.value["default"].map(ManifestValue.init),
                choices: choices.map(ManifestValue.init), summary: member.value["summary"]?.text ?? "")
            if let value = member.value["default"] {
                check(value, "The default", declaration, at: .key("default"))
            }
            declarations.append(declaration)
        }
        return declarations
    }

    private mutating func check(
        _ value: LocatedJSON, _ name: String, _ declaration: ConfigurationDeclaration,
        at steps: FieldPath.Step...
    ) {
        guard let problem = declaration.problem(with: ManifestValue(value)) else { return }
        var field = FieldPath(.key("configuration"), .key(declaration.key))
        for step in steps { field.append(step) }
        report(at: value.position, field: field, "\(name) \(problem).")
    }
}
