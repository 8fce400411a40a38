/// A declaration of AtriumKit that a symbol belongs to, in words for people.
///
/// One declaration has many symbols: `Navigator.push(_:)` has a dispatch thunk, a method descriptor and, as
/// it is asynchronous, a pointer to each; a type has metadata, an accessor of it and a descriptor.
struct KitDeclaration: Hashable {
    /// What is declared.
    enum Kind: Hashable {
        case member
        case type
        case `protocol`
        /// The conformance of a type to the protocol of this name.
        case conformance(to: String)
    }

    let kind: Kind
    /// Its name as documentation writes it, without the module: `Navigator.push(_:)`.
    let name: String

    private static let module = "AtriumKit"

    /// Reads the text that the demangler makes of a symbol.
    ///
    /// The text has no grammar that is written down. What is not understood is no declaration, so that
    /// the loader judges its symbol.
    ///
    /// - Returns: Nil where the symbol is not one that AtriumKit defines: other libraries too extend its
    ///   types, and have theirs conform to its protocols.
    init?(demangled text: String) {
        if let end = Self.conformanceKinds.lazy.compactMap({ text.firstRange(of: $0)?.upperBound }).first {
            guard let conformance = Self.conformance(text[end...]) else { return nil }
            self = conformance
            return
        }
        guard let (words, subject) = Self.parts(text) else { return nil }
        if words.contains("protocol") {
            kind = .protocol
        } else if ["nominal", "metadata", "metaclass", "lookup"].contains(where: words.contains) {
            kind = .type
        } else {
            kind = .member
        }
        let isCase = words.starts(with: ["enum", "case"])
        name = DemangledName(subject).short(withLabels: !isCase)
    }

    private init(kind: Kind, name: String) {
        self.kind = kind
        self.name = name
    }

    /// The kind of a symbol, in words, and the text behind, where that is a declaration of AtriumKit.
    private static func parts(_ text: String) -> (words: [Substring], subject: Substring)? {
        let markers = ["(extension in \(module)):", "\(module)."]
        let places = markers.compactMap { text.firstRange(of: $0) }
        guard let place = places.min(by: { $0.lowerBound < $1.lowerBound }) else { return nil }
        let kind = text[..<place.lowerBound]
        // "dispatch thunk of static ", but not "Contracts.Price.init(of: ".
        let isWords = kind.allSatisfy { $0 == " " || $0.isNumber || $0.isLowercase }
        guard isWords, kind.isEmpty || kind.hasSuffix(" ") else { return nil }
        return (kind.split(separator: " "), text[place.upperBound...])
    }

    private static let conformanceKinds = ["conformance descriptor for ", "protocol witness table for "]

    /// Reads "SUBJECT : PROTOCOL in MODULE"; a protocol's demand on who conforms has no module.
    private static func conformance(_ text: Substring) -> KitDeclaration? {
        guard let (subject, rest) = DemangledName(text).parts() else { return nil }
        let words = rest.split(separator: " ")
        let isOfKit =
            words.dropFirst().first == "in"
            ? words.last.map(String.init) == module : subject.hasPrefix("\(module).")
        guard isOfKit, let conformed = words.first else { return nil }
        return KitDeclaration(
            kind: .conformance(to: DemangledName(conformed).short()), name: DemangledName(subject).short())
    }
}

extension KitDeclaration {
    var isType: Bool { kind == .type || kind == .protocol }

    /// Whether it is declared in one of these types, or says what one of them conforms to.
    func isPart(ofAny types: Set<String>) -> Bool {
        if case .conformance(let conformed) = kind {
            return types.contains(name) || types.contains(conformed)
        }
        var outer = name[...]
        while let dot = outer.lastIndex(of: ".") {
            outer = outer[..<dot]
            if types.contains(String(outer)) { return true }
        }
        return false
    }
}

extension KitDeclaration: CustomStringConvertible {
    var description: String {
        switch kind {
        case .member: "`\(name)`"
        case .type: "type `\(name)`"
        case .protocol: "protocol `\(name)`"
        case .conformance(let conformed): "the conformance of `\(name)` to `\(conformed)`"
        }
    }
}
