internal import AtriumKit

/// The path and query of a call, made from its pattern.
enum EndpointPath {
    /// The pattern with its values put in, percent-encoded, behind the base's path: `/v1/entities/42`.
    ///
    /// - Throws: ``APIError`` with code `invalidURL` where a name has no value, or one that would change which
    ///   resource is meant: an empty one, `.` and `..` vanish from paths (RFC 3986, 5.2.4).
    static func path(of call: APICall, behind base: BaseURL) throws -> String {
        var path = base.path
        for segment in call.pattern.split(separator: "/") {
            path += "/"
            guard segment.first == ":" else {
                path += segment
                continue
            }
            guard let value = call.values[String(segment.dropFirst())], !["", ".", ".."].contains(value)
            else { throw APIErrors.invalidPath(call) }
            path += PercentEncoding.component(value)
        }
        return path
    }

    /// The query with its `?`; empty where there is none.
    static func query(of call: APICall) -> String {
        guard !call.query.isEmpty else { return "" }
        let parts = call.query.map {
            "\(PercentEncoding.component($0.name))=\(PercentEncoding.component($0.value))"
        }
        return "?" + parts.joined(separator: "&")
    }
}
