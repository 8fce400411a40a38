import SwiftSyntax

/// The source of the proxies of a module's services: a type that forwards for each protocol that the module
/// registers as a service.
///
/// A protocol that can't be forwarded is left out with the reason; the module is built without its proxy.
struct ProxySource {
    private let code: ModuleCode
    private var imports: [String] = []
    private var types: [String] = []
    private var entries: [String] = []

    init(_ code: ModuleCode) {
        self.code = code
        var seen: Set<String> = []
        for file in code.files where file.contains(["service("]) {
            for service in ServiceRegistration.all(in: file) where seen.insert(service.name).inserted {
                add(service)
            }
        }
    }

    /// The imports that the proxies need, other than AtriumKit.
    var importLines: String { imports.map { $0 + "\n" }.joined() }

    /// The extension of the module's class, and the proxies; empty if no service is a protocol.
    func text(entry: String) -> String {
        guard !entries.isEmpty else { return "" }
        return """

            // The proxies of the module's services, for 'tap', 'call' and 'fault'.

            extension \(entry) {
                static var serviceProxies: [ServiceProxy] {
                    [
            \(entries.map { "            \($0),\n" }.joined())        ]
                }
            }

            """ + types.map { "\n" + $0 }.joined()
    }

    private mutating func add(_ service: ServiceRegistration) {
        do {
            let forwarded = try ForwardedProtocol(service, in: code)
            for line in forwarded.imports where !imports.contains(line) { imports.append(line) }
            types.append(ProxyType(forwarded).text)
            entries.append("Atrium\(forwarded.name)Proxy.proxy")
        } catch let obstacle as ProxyObstacle {
            guard let reason = obstacle.reason else { return }
            let line = reason.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            entries.append("ServiceProxy(\"\(service.name)\", without: #\"\(line)\"#)")
        } catch {}
    }
}

/// Why a service has no proxy; nil if it is registered as a type, which the host sees itself.
struct ProxyObstacle: Error {
    let reason: String?

    init(_ reason: String?) { self.reason = reason }
}

/// A call `registry.service((any PriceService).self, …)`.
struct ServiceRegistration {
    let name: String
    /// True for `(any PriceService).self`.
    let isExistential: Bool
    /// True if it is one protocol or type, by its name.
    let isNamed: Bool

    static func all(in file: SourceFile) -> [ServiceRegistration] {
        file.tree.all(FunctionCallExprSyntax.self).compactMap { call in
            guard call.calledName?.text == "service", call.arguments.count > 1,
                let first = call.arguments.first, first.label == nil
            else { return nil }
            return ServiceRegistration(first.expression)
        }
    }

    /// Reads the first argument of a call; nil if it names no type.
    fileprivate init?(_ argument: ExprSyntax) {
        guard let access = argument.as(MemberAccessExprSyntax.self),
            access.declName.baseName.tokenKind == .keyword(.self), var base = access.base
        else { return nil }
        if let tuple = base.as(TupleExprSyntax.self), tuple.elements.count == 1,
            let only = tuple.elements.first
        {
            base = only.expression
        }
        let some = base.as(TypeExprSyntax.self)?.type.as(SomeOrAnyTypeSyntax.self)
        isExistential = some?.someOrAnySpecifier.tokenKind == .keyword(.any)
        let constraint = some?.constraint.trimmedDescription ?? base.trimmedDescription
        name = String(constraint.split(separator: ".").last ?? "")
        isNamed = constraint.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }
}
