/// Makes the names of functions readable.
enum SymbolName {
    /// A function's name as people write it, such as `ChimesView.actions`, without the name of its own module.
    ///
    /// A name that is not Swift's is returned unchanged.
    static func readable(_ name: String, in module: String) -> String {
        guard name.hasPrefix("$s"), let text = LoadedSymbols.demangled(name) else { return name }
        return simplified(text, in: module)
    }

    /// A demangled declaration without the compiler's additions, types and the name of its module.
    static func simplified(_ text: String, in module: String) -> String {
        var text = Substring(text)
        while let inner = declaration(behind: text) { text = inner }
        if let (requirement, conformance) = witness(text) {
            let member = name(of: requirement, in: module).split(separator: ".").last ?? ""
            return "\(name(of: conformance, in: module)).\(member)"
        }
        let isClosure = text.hasPrefix("closure #") || text.hasPrefix("implicit closure #")
        guard isClosure, let function = text.parts(around: " in ", backwards: true)?.after else {
            return name(of: text, in: module)
        }
        return "a closure in \(name(of: function, in: module))"
    }

    /// The declaration that a function made by the compiler is a part or a special form of.
    private static func declaration(behind text: Substring) -> Substring? {
        for prefix in ["merged ", "partial apply forwarder for "] where text.hasPrefix(prefix) {
            return text.dropFirst(prefix.count)
        }
        if text.hasPrefix("("), let part = text.parts(around: " resume partial function for ") {
            return part.after
        }
        if let part = text.parts(around: " specialization <"), !part.before.contains(".") {
            return part.after.parts(around: "> of ")?.after
        }
        return nil
    }

    /// The two parts of "protocol witness for A in conformance B : C in D".
    private static func witness(_ text: Substring) -> (requirement: Substring, conformance: Substring)? {
        let prefix = "protocol witness for "
        guard text.hasPrefix(prefix) else { return nil }
        return text.dropFirst(prefix.count).parts(around: " in conformance ").map { ($0.before, $0.after) }
    }

    /// The name up to the arguments or the type, without modules and the kind of accessor.
    private static func name(of declaration: Substring, in module: String) -> String {
        var rest = declaration.hasPrefix("static ") ? declaration.dropFirst(7) : declaration
        var name = ""
        // A name that is private to a file is written "(name in _7E2C…)".
        while let open = rest.parts(around: "("), let inner = open.after.parts(around: " in _"),
            !open.before.contains(where: { "<: ".contains($0) }),
            !inner.before.contains(where: { ",: ()".contains($0) }),
            let close = inner.after.parts(around: ")")
        {
            name += open.before + inner.before
            rest = close.after
        }
        name += rest.prefix { !"(<: ".contains($0) }
        for prefix in ["\(module).", "Swift.", "AtriumKit."] where name.hasPrefix(prefix) {
            name.removeFirst(prefix.count)
        }
        for accessor in [".getter", ".setter", ".modify", ".read"] where name.hasSuffix(accessor) {
            name.removeLast(accessor.count)
        }
        return name.isEmpty ? String(declaration) : name
    }
}

extension Substring {
    /// The text before and after the first, or the last, occurrence of `part`; nil if there is none.
    fileprivate func parts(
        around part: String, backwards: Bool = false
    ) -> (before: Substring, after: Substring)? {
        let starts = indices.lazy.filter { self[$0...].hasPrefix(part) }
        guard let start = backwards ? starts.last : starts.first else { return nil }
        return (self[..<start], self[start...].dropFirst(part.count))
    }
}
