@_spi(Host) package import AtriumKit

extension CrashRecord {
    /// The crash as a sentence for the user.
    ///
    /// Such as "Module 'Clockwork' (generation 2) crashed: SIGILL (a trap, as after 'Fatal error'), while
    /// 'chimes strike' ran. Function: Clockwork.ChimesView.strike() -> (). Line: /src/ChimesView.swift:22".
    /// The function may be long.
    package var sentence: String {
        if kind == .lost, isInStart { return "The start before this one ended\(stepText ?? "")." }
        if kind == .lost {
            return "The host before this one ended without a record\(circumstances(withTimes: true))."
        }
        // Without a module frame, it would be a frame of the host, which was only waiting.
        let frame = module == nil && step != nil ? nil : functionIndex.map { frames[$0] }
        let function = frame?.symbol.map { " Function: \($0)" } ?? ""
        let line = frame?.line.map { ". Line: \($0)" } ?? ""
        return "\(subject) \(event)\(circumstances()).\(function)\(line)"
    }

    /// The running commands; the host's background work only if no command was running.
    func circumstances(withTimes: Bool = false) -> String {
        if kind == .fork || seconds != nil { return "" }
        func since(_ time: Timestamp?) -> String {
            withTimes ? time.map { " (since \($0))" } ?? "" : ""
        }
        // The step is named only if the end has no record or no command was running.
        let step = kind == .lost || commands.isEmpty ? stepText.map { $0 + since(self.step?.since) } : nil
        if !commands.isEmpty {
            let names = commands.map {
                "'\($0.text)'\($0.scene.map { " in scene '\($0)'" } ?? "")\(since($0.since))"
            }
            return "\(step.map { "\($0), and" } ?? ",") while \(names.joined(separator: " and ")) ran"
        }
        return activities.first.map { ", during \($0)" } ?? step ?? ""
    }

    /// ` in module 'Prices', while it registered`; nil if no step was in progress.
    private var stepText: String? {
        step.map {
            (subject == "The host" || kind == .lost ? " in module '\($0.module)'" : "")
                + ", while \($0.phrase)"
        }
    }

    private var subject: String {
        if let module, let generation = module.generation {
            return "Module '\(module.name)' (generation \(generation))"
        }
        if let step, kind == .fork || kind == .exit || seconds != nil { return "Module '\(step.module)'" }
        return "The host"
    }

    /// True if an allocation failed.
    package var isOutOfMemory: Bool {
        frames.prefix(8).contains { frame in
            ["swift_slowAlloc", "swift_allocObject", "swift_crash"].contains {
                frame.symbol?.hasPrefix($0) == true
            }
        }
    }

    /// The end of the process, as the rest of a sentence whose subject is the module or host.
    package var event: String {
        switch kind {
        case .signal: "crashed: \(signalText)"
        case .exit: "ended the process\(status.map { " with exit(\($0))" } ?? "")"
        case .hang:
            seconds.map {
                "did not finish within \($0) s\((step?.phrase ?? phase).map { " while \($0)" } ?? "")"
            }
                ?? "did not respond and was stopped"
        case .lost: "ended"
        case .fork: "copied the host's process with fork()\(step.map { " while \($0.phrase)" } ?? "")"
        case .killed: "was ended from outside by \(signalText)"
        }
    }

    private var signalText: String {
        guard let signal else { return "a signal" }
        let name = SignalName.of(signal)
        let meaning =
            isStackOverflow ? "the stack overflowed, as by endless recursion" : SignalName.meaning(signal)
        return meaning.map { "\(name) (\($0))" } ?? name
    }

    /// True if the faulting address is just below the stack.
    package var isStackOverflow: Bool {
        guard let address, let stackPointer, signal == 11 || signal == 7 else { return false }
        return address < stackPointer &+ 65_536 && stackPointer < address &+ 1_048_576
    }

    /// The innermost function of the module, or of the host, that has a name.
    package var function: String? { functionIndex.flatMap { frames[$0].symbol } }

    var functionIndex: Int? {
        frames.firstIndex { frame in
            guard frame.symbol != nil, let image = image(of: frame) else { return false }
            return module.map { $0 == image } ?? !image.name.hasPrefix("libswift")
        }
    }
}

/// Names of signals, and their usual meaning in a Swift program.
package enum SignalName {
    /// The name, such as SIGILL, or the number of a rare one.
    package static func of(_ signal: Int32) -> String {
        names[signal]?.name ?? "signal \(signal)"
    }

    static func meaning(_ signal: Int32) -> String? {
        names[signal]?.meaning
    }

    private static let names: [Int32: (name: String, meaning: String?)] = [
        1: ("SIGHUP", nil), 2: ("SIGINT", nil), 3: ("SIGQUIT", nil),
        4: ("SIGILL", "a trap, as after 'Fatal error'"), 5: ("SIGTRAP", "a trap, as after 'Fatal error'"),
        6: ("SIGABRT", "a call of abort"), 7: ("SIGBUS", "an access to memory that is not there"),
        8: ("SIGFPE", "an arithmetic error"), 9: ("SIGKILL", nil),
        11: ("SIGSEGV", "an invalid memory access"), 13: ("SIGPIPE", nil), 14: ("SIGALRM", nil),
        15: ("SIGTERM", nil), 31: ("SIGSYS", "a forbidden system call"),
    ]
}

/// A report on the end of the previous process, or on failed starts of the host.
package struct CrashNotice: ExplainedError {
    package let code: ErrorCode
    package let message: String
    package let hint: String?
    package var category: ErrorCategory { .module }

    package init(_ record: CrashRecord, hint: String? = nil) {
        code = "crashed"
        message = record.sentence
        self.hint = hint
    }
}
