import FoundationEssentials
import Glibc

/// A symbol's name with the module and types around it, and the type of a property.
///
/// Both are part of the mangled name, even if the source leaves the type to be inferred.
struct QualifiedName {
    /// For example `AtriumKit.SessionManager.shared`.
    let path: String
    /// For example `AtriumKit.SessionManager`; nil if this is not a property.
    let type: String?

    init?(usr: String) {
        guard usr.hasPrefix("s:"), let text = Self.demangled("$s" + usr.dropFirst(2)) else { return nil }
        let plain = Self.simplified(text)
        let colon = plain.firstRange(of: " : ")
        path = String(plain[..<(colon?.lowerBound ?? plain.endIndex)].prefix { $0 != "(" && $0 != "<" })
        type = colon.map { String(plain[$0.upperBound...]) }
    }

    /// The path with Foundation as one module, whichever part of it declares the symbol.
    var foundationPath: String {
        path.hasPrefix("FoundationEssentials.")
            ? path.replacing("FoundationEssentials.", with: "Foundation.") : path
    }

    var module: Substring { path.prefix { $0 != "." } }

    /// The outermost type of a property; for `Swift.Optional<Owner.Item>`, `Owner.Item`.
    static func outermost(_ type: String) -> Substring {
        var rest = type.drop { $0 == "(" }
        while rest.hasPrefix("Swift.Optional<") { rest = rest.dropFirst("Swift.Optional<".count) }
        return rest.prefix { $0.isLetter || $0.isNumber || "._".contains($0) }
    }

    // Constants, for which 'Regex' lacks 'Sendable'; a literal in a function is parsed at each call.
    nonisolated(unsafe) private static let privateName = /\((\w+) in _[0-9A-F]+\)/
    nonisolated(unsafe) private static let extensionModule = /\(extension in \w+\):/

    /// Removes the file of a private name and the module of an extension.
    private static func simplified(_ text: String) -> String {
        guard text.contains(" in ") else {
            return text.hasPrefix("static ") ? String(text.dropFirst(7)) : text
        }
        let plain = text.replacing(privateName) { String($0.output.1) }
            .replacing(extensionModule) { _ in "" }
        return plain.hasPrefix("static ") ? String(plain.dropFirst(7)) : plain
    }

    /// The return type of a function.
    static func result(usr: String) -> String? {
        guard usr.hasPrefix("s:"), let text = demangled("$s" + usr.dropFirst(2)),
            let arrow = text.ranges(of: ") -> ").last ?? text.ranges(of: ") throws -> ").last
        else { return nil }
        return String(text[arrow.upperBound...])
    }

    static func isAsync(usr: String) -> Bool {
        usr.hasPrefix("s:") && demangled("$s" + usr.dropFirst(2))?.contains(") async ") == true
    }

    private static func demangled(_ mangled: String) -> String? {
        let length = mangled.utf8.count
        guard let text = mangled.withCString({ swift_demangle($0, length, nil, nil, 0) }) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}

extension Symbol {
    /// The outermost type of the SDK that it is, or is a member of.
    var sdkType: String? {
        guard usr.hasPrefix("s:9AtriumKit") else { return nil }
        return QualifiedName(usr: usr)?.path.split(separator: ".").dropFirst().first.map(String.init)
    }
}

/// Part of the Swift runtime, which every process has.
@_silgen_name("swift_demangle")
private func swift_demangle(
    _ name: UnsafePointer<CChar>, _ length: Int, _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
