/// The content of a view: blocks from top to bottom.
public struct Content: Sendable {
    public private(set) var blocks: [Block]

    public init(_ blocks: [Block] = []) {
        self.blocks = blocks
    }

    /// Creates the content that a builder closure returns.
    public init(@ContentBuilder _ build: () -> Content) {
        self = build()
    }

    /// Appends the blocks of `other`.
    public mutating func append(_ other: Content) {
        blocks += other.blocks
    }

    /// One block of content; later versions may add kinds.
    public enum Block: Sendable {
        case title(String)
        case text(String)
        case field(Field)
        case table(Content.TableData)
        case notice(Notice)
        case group(key: String, Content)
        case verbatim(Verbatim)
        case progress(Progress)
    }
}

/// An element that a content builder accepts.
public protocol ContentElement {
    var content: Content { get }
}

extension Content: ContentElement {
    public var content: Content { self }
}

/// Builds content from elements, one below the other.
@resultBuilder
public enum ContentBuilder {
    /// Accepts an element.
    public static func buildExpression(_ element: some ContentElement) -> Content { element.content }
    /// Accepts a list of elements, such as those made by `map`.
    public static func buildExpression(_ elements: [some ContentElement]) -> Content {
        Content(elements.flatMap(\.content.blocks))
    }
    /// Accepts another view, and shows its body without its actions.
    @MainActor public static func buildExpression(_ view: some View) -> Content { view.body }
    @available(*, unavailable, message: "A text is shown as Text(…), Title(…) or Field(…).")
    public static func buildExpression(_ text: String) -> Content { Content() }
    @available(*, unavailable, message: "Only elements such as Text, Field and Table are shown, and views.")
    public static func buildExpression<Other>(_ other: Other) -> Content { Content() }
    /// Joins the elements of a block, one below the other.
    public static func buildBlock(_ parts: Content...) -> Content { Content(parts.flatMap(\.blocks)) }
    /// Accepts an `if` without `else`, which shows nothing if its condition is false.
    public static func buildOptional(_ part: Content?) -> Content { part ?? Content() }
    /// Accepts the first branch of an `if` with `else`, or of a `switch`.
    public static func buildEither(first part: Content) -> Content { part }
    /// Accepts another branch of an `if` with `else`, or of a `switch`.
    public static func buildEither(second part: Content) -> Content { part }
    /// Accepts a `for` loop.
    public static func buildArray(_ parts: [Content]) -> Content { Content(parts.flatMap(\.blocks)) }
}

extension Content {
    /// The content for programs: fields, groups and progress as members, tables as lists of objects under
    /// their key, the heading as `title`, paragraphs as `text`, messages as `notices`.
    public var json: JSONObject {
        var object = JSONObject()
        var paragraphs: [JSONValue] = []
        var notices: [JSONValue] = []
        for block in blocks {
            switch block {
            case .title(let text): if object["title"] == nil { object["title"] = .string(text) }
            case .text(let text): paragraphs.append(.string(text))
            case .field(let field): object[field.key] = field.value
            case .table(let table): object[table.key] = .array(table.rows.map { .object(table.json(of: $0)) })
            case .notice(let notice): notices.append(.object(notice.json))
            case .group(let key, let content): object[key] = .object(content.json)
            case .verbatim(let verbatim): object[verbatim.key] = verbatim.value
            case .progress(let progress): object[progress.key] = .object(progress.json)
            }
        }
        if !paragraphs.isEmpty { object["text"] = .array(paragraphs) }
        if !notices.isEmpty { object["notices"] = .array(notices) }
        return object
    }
}

extension Content.TableData {
    func json(of row: [Cell]) -> JSONObject {
        var object = JSONObject()
        for (heading, cell) in zip(headings, row) { object[heading.key] = cell.value }
        return object
    }
}

extension Notice {
    var json: JSONObject {
        var object: JSONObject = ["kind": .string(kind.rawValue), "text": .string(text)]
        if let hint { object["hint"] = .string(hint) }
        return object
    }
}
