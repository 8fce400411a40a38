/// The heading of a screen or of a part of it.
public struct Title: ContentElement {
    public let content: Content

    /// Creates a heading; the first of a screen is `title` in JSON.
    public init(_ text: String) {
        content = Content([.title(text)])
    }
}

/// A paragraph.
public struct Text: ContentElement {
    public let content: Content

    /// Creates a paragraph; all those of a screen are the list `text` in JSON.
    public init(_ text: String) {
        content = Content([.text(text)])
    }
}

/// A labelled value; a member of the screen's object for programs.
public struct Field: ContentElement, Sendable {
    /// The name for programs, in lower camel case.
    public let key: String
    /// The label for users.
    public let label: String
    private let displayed: any Displayable
    private let words: String?
    /// The value for users.
    public var text: String { words ?? displayed.displayText }
    /// The value for programs.
    public var value: JSONValue { displayed.json }

    /// Creates a field; the label is derived from the key by default.
    public init(_ key: String, label: String? = nil, _ value: some Displayable) {
        self.init(key, label, value, nil)
    }

    /// Creates a field whose value users read as `text`.
    public init(_ key: String, label: String? = nil, _ value: some Displayable, text: String) {
        self.init(key, label, value, text)
    }

    private init(_ key: String, _ label: String?, _ value: some Displayable, _ words: String?) {
        self.key = key
        self.label = label ?? Words.label(forKey: key)
        (displayed, self.words) = (value, words)
    }

    public var content: Content { Content([.field(self)]) }
}

/// A line below a list that describes the rows shown: a sentence for users, its parts for programs.
///
/// ```swift
/// Summary("3 products with 'lamp', by name", ["total": 3, "search": "lamp"])
/// ```
public struct Summary: ContentElement {
    public let content: Content

    /// Creates a summary of a sentence, nil for none, and the JSON members that it covers; members without a
    /// value are omitted.
    public init(_ sentence: String?, _ members: KeyValuePairs<String, any Displayable>) {
        self.init(sentence, members.map { ($0.key, $0.value) })
    }

    init(_ sentence: String?, _ members: [(key: String, value: any Displayable)]) {
        var sentence = sentence
        var blocks: [Content.Block] = []
        for (key, value) in members {
            let json = value.json
            if json == .null { continue }
            // The first member carries the sentence.
            if let words = sentence.take() {
                blocks.append(.field(Field(key, label: "", value, text: words)))
            } else {
                blocks.append(.verbatim(Verbatim(key, [], value: json)))
            }
        }
        content = Content(blocks)
    }
}

/// A message within a screen, with a next step if there is one.
public struct Notice: ContentElement, Sendable {
    public let kind: Kind
    /// The message, in a sentence.
    public let text: String
    /// A command that can be typed next.
    public let hint: String?

    /// Creates a message; `text` is a sentence, `hint` a command that can be typed next.
    public init(_ kind: Kind, _ text: String, hint: String? = nil) {
        self.kind = kind
        self.text = text
        self.hint = hint
    }

    /// The importance of a message; each has a word, not only a colour.
    @frozen public enum Kind: String, Sendable {
        case information, success, warning, problem
    }

    public var content: Content { Content([.notice(self)]) }
}

/// Lines shown unchanged; only a terminal truncates those that are too wide.
public struct Verbatim: ContentElement, Sendable {
    /// The name for programs, in lower camel case.
    public let key: String
    /// The lines, without line breaks.
    public let lines: [String]
    /// The value for programs.
    public let value: JSONValue

    /// Creates lines under `key`; `value`, for programs, is the text itself by default.
    public init(_ key: String, _ lines: [String], value: JSONValue? = nil) {
        self.key = key
        self.lines = lines
        self.value = value ?? .string(lines.joined(separator: "\n"))
    }

    public var content: Content { Content([.verbatim(self)]) }
}

/// A part of a screen: a nested object for programs, indented below its heading if it has one.
///
/// ```swift
/// Group("shipping", title: "Shipping") {
///     AddressView(address: viewModel.order.address)
/// }
/// ```
public struct Group: ContentElement {
    public let content: Content

    /// Creates a part under `key`, headed by `title`; for programs the heading is its member `title`.
    public init(_ key: String, title: String? = nil, @ContentBuilder _ build: () -> Content) {
        var inner = Content(title.map { [.title($0)] } ?? [])
        inner.append(build())
        content = Content([.group(key: key, inner)])
    }
}

/// A notice that the content is stale, because the server can't be reached.
public struct StaleNotice: ContentElement {
    private let asOf: Timestamp
    private let hint: String

    /// Creates a notice with the time of the content, `asOf` for programs, and the command that tries again.
    public init(asOf: Timestamp, hint: String) {
        self.asOf = asOf
        self.hint = hint
    }

    /// The time as field `asOf`, and a warning with the command that tries again.
    @ContentBuilder public var content: Content {
        Field("asOf", label: "As of", asOf)
        Notice(.warning, "As of \(asOf.displayText): the server can't be reached.", hint: hint)
    }
}
