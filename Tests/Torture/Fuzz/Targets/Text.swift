import AtriumKit

@testable import AtriumCommands
@testable import AtriumText

extension FuzzTarget {
    /// What screens show, as text of any width and as JSON.
    static let text = FuzzTarget(name: "text") { bytes in
        var choices = Choices(bytes)
        let width = 2 + choices.byte() % 160
        var content = Content()
        for _ in 0..<8 where !choices.rest.isEmpty { content.append(block(&choices)) }
        try checkText(content, width: width)
        try checkJSON(content.json)
        let text = String(decoding: bytes, as: UTF8.self)
        _ = TextWrapper(width: width, indent: 2).lines(of: text.printableLine)
        _ = TextWidth.wrapped(text.printable, to: width)
        try require(TextWidth.of(text.printableLine) >= 0, "a text has a width below 0")
    }

    private static func block(_ choices: inout Choices) -> Content {
        switch choices.byte() % 8 {
        case 0: return Title(choices.text()).content
        case 1: return Text(choices.text()).content
        case 2: return Field("key", label: choices.text(), choices.text()).content
        case 3: return Notice(.problem, choices.text(), hint: choices.text()).content
        case 4: return Verbatim("key", [choices.text()]).content
        case 5:
            let (completed, total) = (Int(choices.integer()), Int(choices.integer()))
            return Progress(label: choices.text(), completed: completed, of: total, elapsed: .seconds(1))
                .content
        case 6:
            let labels = (0..<(1 + choices.byte() % 6)).map { _ in choices.text() }
            let rows = (0..<(choices.byte() % 3)).map { _ in labels.map { _ in choices.text() } }
            return Table(rows) {
                for index in labels.indices { Column("k\(index)", label: labels[index]) { $0[index] } }
            }.content
        default:
            let title = choices.text()
            return Group("key", title: title) { Text(title) }.content
        }
    }
}
