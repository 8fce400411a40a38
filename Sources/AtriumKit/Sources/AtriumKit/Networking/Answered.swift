/// An answer with the header fields that came with it, such as its `ETag`.
///
/// ```swift
/// let answer = try await api.request(Endpoint<Answered<EntityAnswer>>(.get, "v1/entities/42"))
/// let tag = answer.fields["ETag"]
/// ```
public struct Answered<Value: Decodable & Sendable>: Decodable, Sendable {
    public let value: Value
    /// The fields; none if the answer does not come from a server, as in tests.
    public let fields: HTTPFields

    /// Creates an answer, as for a test or a mock.
    public init(_ value: Value, fields: HTTPFields = HTTPFields()) {
        self.value = value
        self.fields = fields
    }

    /// Decodes the value; the fields come from the decoder's `userInfo`.
    public init(from decoder: any Decoder) throws {
        value = try Value(from: decoder)
        fields = decoder.userInfo[Self.fieldsKey] as? HTTPFields ?? HTTPFields()
    }
}

/// An answer that a client decodes with the header fields that came with it.
public protocol AnswerWithFields {
    /// The key in the decoder's `userInfo` for the ``HTTPFields``.
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
