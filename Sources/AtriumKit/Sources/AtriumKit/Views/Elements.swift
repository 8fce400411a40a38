/// The heading of a screen or of a part of it.
public struct Title: ContentElement {
    private let text: String

    public init(_ text: String) {
        self.text = text
    }

    public var content: Content { Content([.title(text)]) }
}

/// A paragraph.
public struct Text: ContentElement {
    private let text: String

    public init(_ text: String) {
        self.text = text
    }

    public var content: Content { Content([.text(text)]) }
}

/// A labelled value; a member of the screen's object for programs.
public struct Field: ContentElement, Sendable {
    /// The name for programs, in lower camel case.
    public let key: String
    private let ownLabel: String?
    /// The name for people.
    public var label: String { ownLabel ?? Words.label(forKey: key) }
    private let displayed: any Displayable
    /// The value for people.
    public var text: String { displayed.displayText }
    /// The value for programs.
    public var value: JSONValue { displayed.json }

    /// A value under `key`; the label is made from the key unless given.
    public init(_ key: String, label: String? = nil, _ value: some Displayable) {
        self.key = key
        self.ownLabel = label
        self.displayed = value
    }

    public var content: Content { Content([.field(self)]) }
}

/// A message within a screen, with a next step where there is one.
public struct Notice: ContentElement, Sendable {
    public let kind: Kind
    public let text: String
    /// A command that can be typed next.
    public let hint: String?

    public init(_ kind: Kind, _ text: String, hint: String? = nil) {
        self.kind = kind
        self.text = text
        self.hint = hint
    }

    /// How much a message matters; each is told by a word, not by colour alone.
    @frozen public enum Kind: String, Sendable {
        case information, success, warning, problem
    }

    public var content: Content { Content([.notice(self)]) }
}

/// Lines that are shown as they are: a drawing, or text for another program.
///
/// On a terminal they are cut, blanks and all, where they are wider than it; a pipe gets them whole.
public struct Verbatim: ContentElement, Sendable {
    /// The name for programs, in lower camel case.
    public let key: String
    public let lines: [String]
    /// The same for programs.
    public let value: JSONValue

    /// Lines under `key`, with what they say as a value for programs; the text itself unless given.
    public init(_ key: String, _ lines: [String], value: JSONValue? = nil) {
        self.key = key
        self.lines = lines
        self.value = value ?? .string(lines.joined(separator: "\n"))
    }

    public var content: Content { Content([.verbatim(self)]) }
}

/// A part of a screen that is an object of its own for programs.
///
/// A part with a heading is set in below it.
///
/// ```swift
/// Group("shipping", title: "Shipping") {
///     AddressView(address: viewModel.order.address)
/// }
/// ```
public struct Group: ContentElement {
    private let key: String
    private let inner: Content

    /// A part under `key`, headed by `title`; the heading is its member `title` for programs.
    public init(_ key: String, title: String? = nil, @ContentBuilder _ build: () -> Content) {
        self.key = key
        var inner = Content(title.map { [.title($0)] } ?? [])
        inner.append(build())
        self.inner = inner
    }

    public var content: Content { Content([.group(key: key, inner)]) }
}
