/// An answer with the header fields that came with it, such as its `ETag`.
///
/// ```swift
/// let answer = try await api.request(Endpoint<Answered<EntityAnswer>>(.get, "v1/entities/42"))
/// let tag = answer.fields["ETag"]
/// ```
public struct Answered<Value: Decodable & Sendable>: Decodable, Sendable {
    public let value: Value
    /// The fields; none where the answer comes from no server, as in tests.
    public let fields: HTTPFields

    public init(_ value: Value, fields: HTTPFields = HTTPFields()) {
        self.value = value
        self.fields = fields
    }

    public init(from decoder: any Decoder) throws {
        value = try Value(from: decoder)
        fields = decoder.userInfo[Self.fieldsKey] as? HTTPFields ?? HTTPFields()
    }
}

/// An answer that a client decodes with the header fields that came with it.
public protocol AnswerWithFields {
    /// Where the decoder has the ``HTTPFields``.
    static var fieldsKey: CodingUserInfoKey { get }
}

extension Answered: AnswerWithFields {
    public static var fieldsKey: CodingUserInfoKey {
        guard let key = CodingUserInfoKey(rawValue: "atrium.fields") else {
            preconditionFailure("Each text is a key.")
        }
        return key
    }
}
