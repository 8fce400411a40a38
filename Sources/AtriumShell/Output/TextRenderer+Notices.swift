internal import AtriumKit

extension TextRenderer {
    /// A message behind the word for its kind, and below it what to try.
    func lines(of notice: Notice) -> [String] {
        let word: (text: String, paint: (String) -> String) =
            switch notice.kind {
            case .information: ("Note:", style.faint)
            case .success: ("Done:", style.green)
            case .warning: ("Warning:", style.yellow)
            case .problem: ("Problem:", style.red)
            }
        var lines = lines(word.text, notice.text, paint: word.paint)
        if let hint = notice.hint { lines += self.lines("Try:", hint, keepsQuotations: true) { $0 } }
        return lines
    }

    /// A word and a text behind it, whose further lines are set in.
    func lines(
        _ word: String, _ text: String, keepsQuotations: Bool = false, paint: (String) -> String
    ) -> [String] {
        let wrapper = TextWrapper(width: width, indent: Self.indent, keepsQuotations: keepsQuotations)
        var lines = wrapper.lines(of: word + " " + text.printable)
        if lines[0].hasPrefix(word) { lines[0] = paint(word) + lines[0].dropFirst(word.count) }
        return lines
    }
}
