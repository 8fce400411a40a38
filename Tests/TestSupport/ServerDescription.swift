@_spi(Host) package import AtriumKit
import FoundationEssentials

/// The description of the reference server (OpenAPI), with which the endpoints of modules are compared.
///
/// Of JSON Schema it knows what the description uses for bodies, answers and parameters; patterns and lengths are
/// left to the tests of the server.
package struct ServerDescription: Sendable {
    private let document: JSONValue
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    package init() throws {
        let file = Self.root.appending(path: "Demos/server/openapi.json")
        try self.init(String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }

    package init(_ text: String) throws {
        document = try StateCoding.decode(JSONValue.self, from: text)
    }

    /// The endpoints in the sources of a bundled module, as `GET /v1/entities/{id}`.
    package static func endpoints(ofModule name: String) throws -> Set<String> {
        let folder = root.appending(path: "Plugins/\(name)").path
        let expression = try Regex(
            #"Endpoint\(\s*\.(\w+),\s*"([^"]+)""#, as: (Substring, Substring, Substring).self)
        var found: Set<String> = []
        for file in try FileManager.default.subpathsOfDirectory(atPath: folder) where file.hasSuffix(".swift")
        {
            let text = String(
                decoding: try Data(contentsOf: URL(filePath: "\(folder)/\(file)")), as: UTF8.self)
            for match in text.matches(of: expression) {
                found.insert("\(match.1.uppercased()) \(path(String(match.2)))")
            }
        }
        return found
    }

    private static func path(_ pattern: String) -> String {
        "/"
            + pattern.split(separator: "/").map { $0.first == ":" ? "{\($0.dropFirst())}" : String($0) }
            .joined(separator: "/")
    }

    /// Compares an endpoint with the description of its operation; `unread` has the members of the answer that the
    /// endpoint has no use for, as `rows.status`.
    package func compare<Answer>(
        _ endpoint: Endpoint<Answer>, unread: Set<String> = []
    ) throws -> Comparison {
        let call = endpoint.call
        let path = Self.path(call.pattern)
        let name = "\(call.method) \(path)"
        guard let operation = document["paths"]?[path]?[call.method.rawValue.lowercased()] else {
            return Comparison(endpoint: name, differences: ["it is not described"])
        }
        let differences =
            parameterDifferences(call, operation) + accessDifferences(call, operation)
            + (try bodyDifferences(call, operation))
            + answerDifferences(Answer.self, operation, unread: unread)
        return Comparison(endpoint: name, differences: differences)
    }

    package struct Comparison: Sendable {
        /// The method and the path: `GET /v1/entities/{id}`.
        package let endpoint: String
        /// Parts of sentences; empty if the endpoint is as described.
        package let differences: [String]
    }

    // MARK: - The description

    /// A part of the description, by the names and indices that lead there.
    package func part(_ path: String...) -> JSONValue? {
        path.reduce(Optional(document)) { part, name in
            guard let part = part.map(resolved) else { return nil }
            guard let index = Int(name) else { return part[name] }
            return part.items.dropFirst(index).first
        }
    }

    private func resolved(_ part: JSONValue) -> JSONValue {
        guard let reference = part["$ref"]?.stringValue else { return part }
        let names = reference.dropFirst(2).split(separator: "/").map(String.init)
        return names.reduce(document) { $0[$1] ?? .null }
    }

    private func parameters(_ operation: JSONValue, in place: String) -> [String: JSONValue] {
        let parameters = (operation["parameters"]?.items ?? []).map(resolved)
        return Dictionary(
            parameters.filter { $0["in"]?.stringValue == place }
                .map { ($0["name"]?.stringValue ?? "", $0["schema"] ?? .null) }, uniquingKeysWith: { $1 })
    }

    // MARK: - The request

    private func parameterDifferences(_ call: APICall, _ operation: JSONValue) -> [String] {
        var headers = parameters(operation, in: "header")
        let takesKey = headers.removeValue(forKey: "Idempotency-Key") != nil
        var differences: [String] = []
        if takesKey != (call.effectiveRepetition == .withKey) {
            differences.append(
                takesKey
                    ? "it sends no Idempotency-Key, which is described"
                    : "it sends an Idempotency-Key, which is not described")
        }
        for field in call.fields.fields where field.name != "Accept" && headers[field.name] == nil {
            differences.append("it sends the header '\(field.name)', which is not described")
        }
        let described = parameters(operation, in: "query")
        for item in call.query(APIConventions().paging) {
            guard let schema = described[item.name] else {
                differences.append("it sends the parameter '\(item.name)', which is not described")
                continue
            }
            let value = Int64(item.value).map(JSONValue.integer) ?? .string(item.value)
            differences += problems(value, schema, [item.name])
        }
        return differences
    }

    private func accessDifferences(_ call: APICall, _ operation: JSONValue) -> [String] {
        let security = operation["security"]?.items ?? []
        let isOpen = security.isEmpty || security.contains(.object([:]))
        let takesToken = security.contains { $0["bearer"] != nil }
        switch call.access {
        case .anonymous, .optional: return isOpen ? [] : ["it needs a token"]
        case .required, .explicit: return takesToken ? [] : ["it takes no token"]
        @unknown default: return ["it has an access that this test does not know"]
        }
    }

    private func bodyDifferences(_ call: APICall, _ operation: JSONValue) throws -> [String] {
        let content = operation["requestBody"]?["content"]
        switch call.body {
        case .none: return content == nil ? [] : ["it sends no body"]
        case .form: return content?["application/x-www-form-urlencoded"] == nil ? ["it takes no form"] : []
        case .file(_, let type): return content?[type] == nil ? ["it takes no \(type)"] : []
        case .json(let value):
            guard let schema = content?["application/json"]?["schema"] else { return ["it takes no JSON"] }
            return problems(
                try StateCoding.decode(JSONValue.self, from: StateCoding.encode(value)), schema, ["body"])
        @unknown default: return ["it has a body that this test does not know"]
        }
    }

    /// What a value has that its schema does not allow.
    private func problems(_ value: JSONValue, _ schema: JSONValue, _ path: [String]) -> [String] {
        let schema = resolved(schema), name = path.joined(separator: ".")
        guard schema.types.isEmpty || schema.types.contains(value.type) else {
            return ["'\(name)' is \(value.type), not \(schema.types.joined(separator: " or "))"]
        }
        if let choices = schema["enum"]?.items, !choices.contains(value) {
            return ["'\(name)' has a value that is not described"]
        }
        guard case .object(let members) = value else { return [] }
        let missing = schema.required.filter { members[$0] == nil }.map { "'\(name).\($0)' is missing" }
        return missing.sorted()
            + members.members.flatMap { member in
                guard let property = schema["properties"]?[member.key] else {
                    return ["'\(name).\(member.key)' is not described"]
                }
                return problems(member.value, property, path + [member.key])
            }
    }

    // MARK: - The answer

    private func answerDifferences<Answer: Decodable>(
        _ type: Answer.Type, _ operation: JSONValue, unread: Set<String>
    ) -> [String] {
        let answers = operation["responses"]?.members.filter { $0.key.first == "2" } ?? []
        let schema = answers.lazy.compactMap { $0.value["content"]?["application/json"]?["schema"] }.first
        guard let schema, type != NoAnswer.self else {
            return (schema == nil) == (type == NoAnswer.self)
                ? [] : ["only one of both has an answer in JSON"]
        }
        let sample = sample(schema)
        func decoded(_ value: JSONValue) -> Answer? {
            (try? StateCoding.encode(value)).flatMap { try? StateCoding.decode(type, from: $0) }
        }
        guard let answer = decoded(sample) else { return ["it can't decode the answer"] }
        var differences = undescribed(answer, schema, [])
        for member in members(schema) {
            let name = member.path.filter { $0 != Self.item }.joined(separator: ".")
            func accepts(_ value: JSONValue?) -> Bool {
                decoded(sample.replacing(member.path[...], value)) != nil
            }
            if member.schema.types.contains("null"), !accepts(.null) {
                differences.append("'\(name)' may be null")
            }
            if !member.isRequired, !accepts(nil) { differences.append("'\(name)' may be missing") }
            let isRead = !accepts(member.schema.types.contains("object") ? .integer(1) : .object([:]))
            if isRead == unread.contains(name) {
                differences.append("it \(isRead ? "reads" : "does not read") '\(name)'")
            }
        }
        return differences
    }

    /// Stands for every item of an array in a path.
    fileprivate static let item = "[]"

    private struct Member {
        let path: [String]
        let schema: JSONValue
        let isRequired: Bool
    }

    private func members(_ schema: JSONValue, _ path: [String] = []) -> [Member] {
        let schema = resolved(schema)
        if let items = schema["items"] { return members(items, path + [Self.item]) }
        return (schema["properties"]?.members ?? []).flatMap { property in
            let path = path + [property.key], value = resolved(property.value)
            return [Member(path: path, schema: value, isRequired: schema.required.contains(property.key))]
                + members(value, path)
        }
    }

    private func sample(_ schema: JSONValue) -> JSONValue {
        let schema = resolved(schema)
        if let value = schema["const"] ?? schema["enum"]?.items.first ?? schema["examples"]?.items.first {
            return value
        }
        switch schema.types.first {
        case "object":
            var object = JSONObject()
            for property in schema["properties"]?.members ?? [] {
                object[property.key] = sample(property.value)
            }
            return .object(object)
        case "array": return .array([sample(schema["items"] ?? .null)])
        case "integer": return schema["minimum"] ?? .integer(1)
        case "boolean": return .bool(true)
        default: return .string("text")
        }
    }

    /// The stored properties of an answer that its schema does not have.
    private func undescribed(_ value: Any, _ schema: JSONValue, _ path: [String]) -> [String] {
        let schema = resolved(schema), mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional {
            return mirror.children.first.map { undescribed($0.value, schema, path) } ?? []
        }
        if value is any AnswerWithFields {
            return mirror.children.first.map { undescribed($0.value, schema, path) } ?? []
        }
        if let items = schema["items"] {
            return mirror.children.flatMap { undescribed($0.value, items, path) }
        }
        guard let properties = schema["properties"] else { return [] }
        // The conventions of an API name the members of the kit's own types.
        let isOfKit = String(reflecting: mirror.subjectType).hasPrefix("AtriumKit.")
        return mirror.children.flatMap { child -> [String] in
            guard var label = child.label else { return [] }
            // What a property wrapper stores is called after its property.
            if label.hasPrefix("_") { label.removeFirst() }
            let path = path + [label]
            guard let property = properties[label] else {
                return isOfKit ? [] : ["'\(path.joined(separator: "."))' is not described"]
            }
            return undescribed(child.value, property, path)
        }
    }
}

// MARK: - JSON

extension JSONValue {
    fileprivate var items: [JSONValue] {
        if case .array(let items) = self { items } else { [] }
    }

    fileprivate var members: [JSONObject.Member] {
        if case .object(let object) = self { object.members } else { [] }
    }

    /// The types that a schema allows.
    fileprivate var types: [String] {
        guard let type = self["type"] else { return [] }
        return type.stringValue.map { [$0] } ?? type.items.compactMap(\.stringValue)
    }

    /// The members that a schema requires.
    fileprivate var required: Set<String> { Set((self["required"]?.items ?? []).compactMap(\.stringValue)) }

    /// The type of this value, as JSON Schema names it.
    fileprivate var type: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .integer: "integer"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    /// This value with another one at a path, or with none.
    fileprivate func replacing(_ path: ArraySlice<String>, _ value: JSONValue?) -> JSONValue {
        guard let name = path.first else { return value ?? .null }
        switch self {
        case .array(let items): return .array(items.map { $0.replacing(path.dropFirst(), value) })
        case .object(var object):
            object[name] = path.count == 1 ? value : object[name]?.replacing(path.dropFirst(), value)
            return .object(object)
        default: return self
        }
    }
}
