internal import AtriumText

/// The texts that are made from the declarations of the command line.
package enum OptionTexts {
    private static let shown = OptionDeclaration.all.filter { !$0.summary.isEmpty }
    private static let uses = shown.filter(\.isUse)
    private static let options = shown.filter { !$0.isUse }
    private static let exitCodes =
        "0 done, 1 a command failed, 2 usage, 3 a module could not be loaded or verified, 4 refused by a guard "
        + "or a full host, 70 a module called exit, 128 + N ended by signal N (130: cancelled)."

    package static var help: String {
        let prompt = ("", "open a prompt, or run the lines of standard input")
        let rows = ([prompt] + uses.map { ($0.usage, $0.summary) }).map { ("atrium [OPTIONS] \($0)", $1) }
        let options = table(options.map { ($0.form, $0.summary) }, indent: 2, column: 23)
        let codes = TextWrapper(width: 100).lines(of: "Exit codes: \(exitCodes)").joined(separator: "\n")
        return "Usage: \(table(rows, indent: 7, column: 40).dropFirst(7))\n\nOptions:\n\(options)\n\n\(codes)"
    }

    /// Rows of a form and a summary, which begins on the next line if the form is too long.
    private static func table(_ rows: [(form: String, summary: String)], indent: Int, column: Int) -> String {
        let margin = String(repeating: " ", count: column)
        return rows.map { form, summary in
            let form = margin.prefix(indent) + form
            let gap = margin.dropFirst(form.count)
            let lines = TextWrapper(width: 110 - column).lines(of: summary)
            return form + (gap.count < 2 ? "\n\(margin)" : gap) + lines.joined(separator: "\n\(margin)")
        }.joined(separator: "\n")
    }

    /// The manual page, in the language of roff.
    package static var manual: String {
        """
        .TH ATRIUM 1
        .SH NAME
        atrium \\- a runtime for applications made of modules
        .SH SYNOPSIS
        \(([""] + uses.map(\.usage)).map { "atrium [OPTIONS] \($0.roff)" }.joined(separator: "\n.br\n"))
        .SH DESCRIPTION
        Loads feature modules, which are dynamic libraries, and shows their screens at a prompt. Without a
        command the lines of standard input are run; at a terminal there is a prompt, where
        .B help
        lists the commands and Tab completes.
        .PP
        A data folder belongs to one host. While it runs, prompts and scripts with the same data folder attach
        to it, through host.sock in the folder. A host without a prompt ends at SIGTERM; it tells a service
        manager that it is ready, and feeds its watchdog.
        .PP
        A transcript has lines that are typed, with the output expected below them; its name ends in
        .BR .transcript .
        Each is played on a separate host in a scratch folder.
        .SH COMMANDS
        \(uses.map(\.entry).joined(separator: "\n"))
        .SH OPTIONS
        \(options.map(\.entry).joined(separator: "\n"))
        .SH ENVIRONMENT
        .TP
        .B ATRIUM_SDK
        The SDK that new packages are made from, and that packages are built with.
        .TP
        .B NO_COLOR
        No colours.
        .SH EXIT STATUS
        \(exitCodes.roff)
        """
    }

    /// The words that can follow these, one a line, each with its summary after a blank.
    package static func completions(after words: [String]) -> String {
        // A shell may take `--name=` apart.
        let previous = words.last { $0 != "=" } ?? ""
        if let value = shown.first(where: { $0.lastWord == previous })?.value {
            // Shells complete names of files themselves.
            return value == value.lowercased() ? value.replacing("|", with: "\n") : ""
        }
        let found = shown.filter { $0.name.hasPrefix("\(previous) ") }
        if !found.isEmpty { return found.map(\.lastWord).joined(separator: "\n") }
        // Of two commands with one first word, the first says what it is for.
        var words: Set<Substring> = []
        return shown.filter { words.insert($0.name.prefix { $0 != " " }).inserted }
            .map { "\($0.name.prefix { $0 != " " }) \($0.summary.prefix { $0 != ";" })" }
            .joined(separator: "\n")
    }
}

extension OptionDeclaration {
    /// True for a mode, or a part of one, rather than an option of it.
    fileprivate var isUse: Bool { isMode || isCommand }

    /// The word before its value.
    fileprivate var lastWord: String { String(name.split(separator: " ").last ?? "") }

    /// The mode on a command line, with the options that count only there.
    var usage: String {
        let own = Self.all.filter { $0.modes.contains(name) && !$0.modes.contains(Self.prompt) }
        let others = Self.all.filter { modes.contains($0.name) }.map(\.form).joined(separator: " | ")
        let parts = own.map { $0.isNeeded ? $0.form : "[\($0.form)]" }
        return ([form] + parts + (others.isEmpty ? [] : ["[\(others)]"])).joined(separator: " ")
    }

    fileprivate var entry: String {
        let value = value.map { " \" \($0.roff)\"" } ?? ""
        let sentence = "\(summary.prefix(1).uppercased() + summary.dropFirst())."
        return ".TP\n.BI \"\(name.roff)\"\(value)\n\(sentence.roff)"
    }
}

extension String {
    /// The text in a manual page.
    fileprivate var roff: String {
        replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("…", with: "...")
    }
}
