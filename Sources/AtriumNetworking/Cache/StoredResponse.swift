internal import AtriumKit

/// An answer that is kept, and how long it is fresh.
struct StoredResponse: Sendable {
    private(set) var response: HTTPResponse
    private(set) var etag: String?
    private var control: CacheControl
    /// How old the answer was when it came, in seconds, by the field `Age`.
    private var initialAge: Int
    private var storedAt: Timestamp

    /// Nil where the answer must not be kept, or keeping it is of no use: one that is neither fresh for some
    /// time nor has an `ETag` to ask by.
    init?(_ response: HTTPResponse, now: Timestamp) {
        self.response = response
        control = CacheControl(response.fields)
        etag = response.fields["ETag"]
        initialAge = Self.age(response.fields)
        storedAt = now
        let isOfUse = etag != nil || (control.maxAge ?? 0) > initialAge && !control.isNoCache
        guard response.status == 200, !control.isNoStore, isOfUse, response.fields["Vary"] != "*"
        else { return nil }
    }

    /// How many bytes it takes, roughly: the body, the fields, and what surrounds them.
    var size: Int {
        response.fields.fields.reduce(response.body.count + 256) {
            $0 + $1.name.utf8.count + $1.value.utf8.count + 64
        }
    }

    /// Whether it may be used without asking the server; not where the clock was set back.
    func isFresh(_ now: Timestamp) -> Bool {
        guard !control.isNoCache, let maxAge = control.maxAge else { return false }
        let kept = now.microseconds - storedAt.microseconds
        return kept >= 0 && kept + Int64(initialAge) * 1_000_000 < Int64(maxAge) * 1_000_000
    }

    /// The stored answer after the server said that it still holds: its fields replace the stored ones of the
    /// same name, but those that describe the body (RFC 9111, 3.2).
    ///
    /// - Returns: The answer for the caller, and what to keep; nil where that is forbidden now.
    func confirmed(by answer: HTTPResponse, now: Timestamp) -> (HTTPResponse, StoredResponse?) {
        var updated = response
        // The age of the stored answer says nothing about the confirmed one.
        updated.fields["Age"] = nil
        for field in answer.fields.fields where !Self.isOfBody(field.name) {
            updated.fields[field.name] = answer.fields[field.name]
        }
        return (updated, StoredResponse(updated, now: now))
    }

    private static let fieldsOfBody: Set = [
        "content-length", "content-encoding", "content-type", "content-range", "transfer-encoding",
    ]

    private static func isOfBody(_ name: String) -> Bool {
        fieldsOfBody.contains(name.lowercased())
    }

    private static func age(_ fields: HTTPFields) -> Int {
        fields["Age"].flatMap { Int($0) }.map { min(max($0, 0), 1 << 31) } ?? 0
    }
}
