@_spi(Host) package import AtriumKit
package import AtriumText

/// Options about the result at the end of any command: `--json`, `--columns NAME,…`.
package struct OutputOptions: Equatable {
    package var isJSON = false
    /// The keys of the columns to show, in this order; nil for all.
    package var columns: [String]?

    package init(isJSON: Bool = false, columns: [String]? = nil) {
        (self.isJSON, self.columns) = (isJSON, columns)
    }

    private static let json = "--json"
    private static let columns = "--columns"

    /// Takes the options from the end of a command, unless the command has an option of that name itself.
    package static func take(
        from command: inout Command, unless own: (_ name: String) -> Bool
    ) throws -> OutputOptions {
        var options = OutputOptions()
        while command.words.count > 1, let last = command.words.last {
            let before = command.words[command.words.count - 2]
            if last.isOption, last.text == json, !own("json") {
                options.isJSON = true
                command.words.removeLast()
            } else if last.isOption, last.text.hasPrefix(columns + "="), !own("columns") {
                options.columns = try names(last.text.dropFirst(columns.count + 1))
                command.words.removeLast()
            } else if command.words.count > 2, before.isOption, before.text == columns, !own("columns") {
                options.columns = try names(last.text[...])
                command.words.removeLast(2)
            } else if last.isOption, last.text == columns, !own("columns") {
                options.columns = try names("")
            } else {
                break
            }
        }
        return options
    }

    private static func names(_ text: Substring) throws -> [String] {
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard !names.contains("") else {
            throw ArgumentError(
                .invalidArgument, "'--columns' takes names with commas between them.",
                hint: "--columns id,name")
        }
        return names
    }
}

extension Reply {
    /// The reply with only some columns of its first table, which then passes through shapes, or an error if it
    /// has none of these columns.
    ///
    /// Of several tables under its key, programs read the last.
    package func keeping(
        columns: [String]? = nil, _ shapes: [TableShape] = [], forPrograms: Bool = false
    ) -> Reply {
        guard columns != nil || !shapes.isEmpty, deferred == nil, case .done(var output) = outcome else {
            return self
        }
        do {
            guard output.files == nil else {
                if shapes.isEmpty { return self }
                throw TableShape.noTable
            }
            // Steps choose from the same columns for users and programs.
            let isOfPrograms = forPrograms || !shapes.isEmpty
            var content = (isOfPrograms ? output.content?.forPrograms : output.content) ?? Content()
            // A command without a table has still succeeded; an empty list has a note instead.
            if let columns, let table = content.firstTable {
                let indices = try columns.map { try TableShape.index(of: $0, in: table) }
                content = content.replacingFirstTable { $0.keeping(indices) }
            }
            if !shapes.isEmpty { content = try TableShape.apply(shapes, to: content) }
            output.content = content
            return Reply(command: command, outcome: .done(output), endsSession: endsSession)
        } catch {
            return Reply(
                command: command, outcome: .failed(ShellError.explain(error).following(changes)),
                endsSession: endsSession)
        }
    }
}

extension Content {
    /// The content without the tables that others under the same key hide from programs.
    fileprivate var forPrograms: Content {
        let keys: [String?] = blocks.map { if case .table(let table) = $0 { table.key } else { nil } }
        return Content(
            zip(blocks.indices, blocks).filter { index, _ in
                keys[index].map { !keys[(index + 1)...].contains($0) } ?? true
            }.map(\.1))
    }

    package var firstTable: Content.TableData? { table { _ in true } }

    /// The table that is a program's list of this name.
    func table(of key: String) -> Content.TableData? { table { $0.key == key } }

    private func table(where isMeant: (Content.TableData) -> Bool) -> Content.TableData? {
        for block in blocks {
            switch block {
            case .table(let table) where isMeant(table): return table
            case .group(_, let inner): if let table = inner.table(where: isMeant) { return table }
            default: continue
            }
        }
        return nil
    }

    func replacingFirstTable(_ change: (Content.TableData) -> Content.TableData) -> Content {
        var isDone = false
        return Content(
            blocks.map { block in
                guard !isDone else { return block }
                switch block {
                case .table(let table):
                    isDone = true
                    return .table(change(table))
                case .group(let key, let inner) where inner.firstTable != nil:
                    isDone = true
                    return .group(key: key, inner.replacingFirstTable(change))
                default: return block
                }
            })
    }
}
