internal import AtriumKit
internal import AtriumManifest

/// The path and query of a call, made from its pattern.
enum EndpointPath {
    /// The pattern with its values put in, percent-encoded, behind the base's path: `/v1/entities/42`.
    ///
    /// - Throws: ``APIError`` with code `invalidURL` where a name has no value, or one that would change which
    ///   resource is meant: an empty one, `.` and `..` vanish from paths (RFC 3986, 5.2.4).
    static func path(of call: APICall, behind base: ServerURL) throws -> String {
        var path = base.path
        // By bytes: every call passes here, and characters cost microseconds.
        for segment in call.pattern.utf8.split(separator: UInt8(ascii: "/")) {
            path += "/"
            guard segment.first == UInt8(ascii: ":") else {
                path += Substring(segment)
                continue
            }
            let name = String(Substring(segment.dropFirst()))
            guard let value = call.values[name], !value.isEmpty, value != ".", value != ".."
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
