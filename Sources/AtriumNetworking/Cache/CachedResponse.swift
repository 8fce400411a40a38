internal import AtriumKit

/// A response in the cache and its freshness.
struct CachedResponse: Sendable {
    private(set) var response: HTTPResponse
    private(set) var etag: String?
    private var control: CacheControl
    /// The field `Age` of the response, in seconds.
    private var initialAge: Int
    private var storedAt: Timestamp

    /// Nil if the response must not be cached, or is neither fresh for some time nor has an `ETag`.
    init?(_ response: HTTPResponse, now: Timestamp) {
        self.response = response
        control = CacheControl(response.fields)
        etag = response.fields["ETag"]
        initialAge = response.fields["Age"].flatMap { Int($0) }.map { min(max($0, 0), 1 << 31) } ?? 0
        storedAt = now
        let isUseful = etag != nil || (control.maxAge ?? 0) > initialAge && !control.isNoCache
        guard response.status == 200, !control.isNoStore, isUseful, response.fields["Vary"] != "*"
        else { return nil }
    }

    /// Its approximate size in bytes.
    var size: Int {
        response.fields.fields.reduce(response.body.count + 256) {
            $0 + $1.name.utf8.count + $1.value.utf8.count + 64
        }
    }

    /// True if it may be used without asking the server; false if the clock was set back.
    func isFresh(_ now: Timestamp) -> Bool {
        guard !control.isNoCache, let maxAge = control.maxAge else { return false }
        let (kept, isOverflow) = now.microseconds.subtractingReportingOverflow(storedAt.microseconds)
        return !isOverflow && kept >= 0 && kept < Int64(maxAge - initialAge) * 1_000_000
    }

    /// The response after the server confirmed it: the new fields replace those of the same name, except for
    /// those that describe the body (RFC 9111, 3.2).
    ///
    /// - Returns: The response for the caller, and the one to cache; nil if caching is now forbidden, or if the
    ///   server confirmed another response than this one (RFC 9111, 4.3.4).
    func confirmed(by answer: HTTPResponse, now: Timestamp) -> (HTTPResponse, CachedResponse?) {
        var updated = response
        if let etag, let confirmed = answer.fields["ETag"], Self.tag(etag) != Self.tag(confirmed) {
            return (response, nil)
        }
        // The age of the cached response does not apply to the confirmed one.
        updated.fields["Age"] = nil
        for field in answer.fields.fields where !Self.fieldsOfBody.contains(field.name.lowercased()) {
            updated.fields[field.name] = answer.fields[field.name]
        }
        return (updated, CachedResponse(updated, now: now))
    }

    /// An `ETag` without the mark of a weak one (RFC 9110, 8.8.3.2).
    private static func tag(_ text: String) -> Substring {
        text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
    }

    private static let fieldsOfBody: Set = [
        "content-length", "content-encoding", "content-type", "content-range", "transfer-encoding",
    ]
}

/// The field `Cache-Control` of a response (RFC 9111, 5.2.2), reduced to what a private cache needs.
struct CacheControl: Hashable, Sendable {
    /// The time for which the response is fresh, in seconds after the server made it.
    private(set) var maxAge: Int?
    private(set) var isNoStore = false
    /// True if the server must confirm the response before each use.
    private(set) var isNoCache = false

    // `private` and `public` mean the same to a private cache, which never uses stale responses anyway
    // (`must-revalidate`).
    init(_ fields: HTTPFields) {
        guard let value = fields["Cache-Control"] else { return }
        // By bytes: this runs for every response, and characters cost microseconds.
        for directive in value.utf8.split(separator: UInt8(ascii: ",")) {
            let parts = directive.split(separator: UInt8(ascii: "="), maxSplits: 1).map(Self.word)
            switch parts.first {
            case "no-store": isNoStore = true
            case "no-cache": isNoCache = true
            case "max-age":
                // RFC 9111: an invalid number makes it stale (4.2.1), one too large counts as 2^31 (1.2.2).
                let text = parts.count == 2 ? parts[1] : ""
                let isNumber = !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
                maxAge = isNumber ? min(Int(text) ?? Int.max, 1 << 31) : 0
            default: break
            }
        }
    }

    /// Text in lower case, without the spaces, tabs and quotes around it.
    private static func word(_ bytes: Substring.UTF8View) -> String {
        let around: [UInt8] = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\"")]
        return String(decoding: bytes.filter { !around.contains($0) }, as: UTF8.self).lowercased()
    }
}
