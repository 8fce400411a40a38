internal import Glibc

/// Makes the names of functions readable.
enum SymbolName {
    private typealias Demangle =
        @convention(c) (
            UnsafePointer<CChar>?, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
        ) -> UnsafeMutablePointer<CChar>?

    /// Exported by libswiftCore for tools; in no header.
    private static let demangle = dlsym(nil, "swift_demangle").map { unsafeBitCast($0, to: Demangle.self) }

    /// Says what a person calls the function of a mangled name.
    ///
    /// - Parameters:
    ///   - name: The name in the library; one that is not Swift's stays as it is.
    ///   - module: The library's own module, whose name is left out.
    /// - Returns: A name such as `ChimesView.actions`.
    static func readable(_ name: String, in module: String) -> String {
        guard name.hasPrefix("$s"), let text = demangle?(name, name.utf8.count, nil, nil, 0) else {
            return name
        }
        defer { free(text) }
        return simplified(String(cString: text), in: module)
    }

    /// A demangled declaration without what the compiler adds, without types, and without its module.
    static func simplified(_ text: String, in module: String) -> String {
        var text = Substring(text)
        while let inner = stoodFor(by: text) { text = inner }
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

    /// The declaration that a function of the compiler's is about: a part of it, or a special form of it.
    private static func stoodFor(by text: Substring) -> Substring? {
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

    /// The name alone: up to the arguments or the type, without modules and the kind of accessor.
    private static func name(of declaration: Substring, in module: String) -> String {
        var rest = declaration.hasPrefix("static ") ? declaration.dropFirst(7) : declaration
        var name = ""
        // What is private to a file is written "(name in _7E2C…)".
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
    /// What is before and after the first, or the last, occurrence of `part`; nil where there is none.
    fileprivate func parts(
        around part: String, backwards: Bool = false
    ) -> (before: Substring, after: Substring)? {
        let places = indices.lazy.filter { self[$0...].hasPrefix(part) }
        guard let place = backwards ? places.last : places.first else { return nil }
        return (self[..<place], self[place...].dropFirst(part.count))
    }
}
