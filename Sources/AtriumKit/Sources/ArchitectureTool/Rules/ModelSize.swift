/// A file of a model that nobody can read in a sitting is several models.
struct ModelSize: Rule {
    let name = "model-size"

    private let longest = 500

    func violations(in code: CodeBase) -> [Violation] {
        guard code.target.isModule else { return [] }
        return code.files.indices.compactMap { index in
            let file = code.files[index]
            let lines = file.lines.last?.isEmpty == true ? file.lines.count - 1 : file.lines.count
            guard [.model, .aggregateModel, .viewModel].contains(code.layer(ofFile: index)), lines > longest
            else { return nil }
            return Violation(
                rule: name, file: index, line: 1, column: 1,
                message: "\(lines) lines are more than one model, at most \(longest) are read in a sitting; "
                    + "split it by what changes together")
        }
    }
}
