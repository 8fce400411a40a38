internal import AtriumKit

extension TextRenderer {
    private static let barLength = 10

    /// How far something is: in words, and as a bar where the line has room for it.
    func lines(of progress: Progress) -> [String] {
        let text = progress.text.printable
        guard let fraction = progress.fraction else { return wrap(text) }
        let done = Int(fraction * Double(Self.barLength))
        let bar = String(repeating: "#", count: done) + String(repeating: "-", count: Self.barLength - done)
        let line = "\(text)  [\(bar)]"
        return !text.contains("\n") && TextWidth.of(line) <= width ? [line] : wrap(text)
    }

    private func wrap(_ text: String) -> [String] {
        TextWrapper(width: width, indent: Self.indent).lines(of: text)
    }
}
