@_spi(Host) package import AtriumKit

/// Values of Swift code as content.
@MainActor
package enum SnippetViews {
    package static func content(of value: Any?, printed: String, dropped: Int) -> Content {
        var content = Content()
        if !printed.isEmpty {
            var lines = printed.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            if lines.last?.isEmpty == true { lines.removeLast() }
            content.append(Content { Verbatim("printed", lines) })
        }
        if dropped > 0 {
            content.append(Content { Notice(.warning, "\(dropped) more bytes were printed, and left out.") })
        }
        if let value { content.append(shown(value)) }
        return content
    }

    private static func shown(_ value: Any) -> Content {
        guard let value = StoredParts.unwrapped(value) else {
            return JSONViews.content(of: .null)
        }
        if value is Void { return Content() }
        if let encodable = value as? any Encodable, let json = json(encodable) {
            return JSONViews.content(of: json)
        }
        return ReflectedValue(value).content
    }

    private static func json(_ value: some Encodable) -> JSONValue? {
        try? StateCoding.decode(JSONValue.self, from: StateCoding.encode(value))
    }
}
