/// A JSON Schema, compiled once and then asked any number of times, from any task.
///
/// Knows what the schemas of this package use of draft 2020-12: `type`, `enum`, `required`, `properties`,
/// `additionalProperties`, `propertyNames`, `pattern`, `minLength`, `items`, `minItems`, `uniqueItems`,
/// `minimum`, `maximum`, and `$ref` to `#` and `#/$defs/…`. Any other keyword that constrains values is an
/// error when the schema is compiled, so that no constraint is silently without effect. `title`,
/// `description` and `examples` are annotations; messages about a `pattern` take their words from them.
public struct JSONSchema: Sendable {
    /// The subschemas; they refer to each other by index, the root is the first.
    let nodes: [Node]

    /// Compiles the text of a schema.
    ///
    /// - Throws: ``SchemaError`` with the first place that is no JSON or no supported schema.
    public init(text: String) throws(SchemaError) {
        let document: LocatedJSON
        do {
            document = try LocatedJSON(parsing: Array(text.utf8))
        } catch {
            throw SchemaError(position: error.position, message: error.message)
        }
        var compiler = SchemaCompiler(document)
        nodes = try compiler.compile()
    }

    /// Compiles a schema of this package, which the tests keep valid.
    static func embedded(_ text: String) -> JSONSchema {
        do {
            return try JSONSchema(text: text)
        } catch {
            preconditionFailure("A schema of AtriumManifest is invalid at \(error)")
        }
    }

    /// Everything in a document that the schema does not allow, in the order of the file.
    ///
    /// A value of the wrong type gives one finding; what it holds is not looked at.
    public func findings(in document: LocatedJSON) -> [Finding] {
        var validator = SchemaValidator(nodes)
        validator.check(document, against: 0)
        return validator.findings.inFileOrder()
    }
}

/// Why a text is no schema that ``JSONSchema`` supports.
public struct SchemaError: Error, Sendable, Hashable {
    /// Where it is.
    public let position: SourcePosition

    /// A sentence: what was found and what is allowed.
    public let message: String
}

extension SchemaError: CustomStringConvertible {
    /// `12:5: error: …`.
    public var description: String { "\(position): error: \(message)" }
}
