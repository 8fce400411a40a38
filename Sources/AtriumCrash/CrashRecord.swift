package import AtriumKit
internal import AtriumLibraries
internal import AtriumStorage
internal import Glibc

/// An unexpected end of a host process.
package struct CrashRecord: Hashable, Sendable {
    package internal(set) var kind: Kind
    /// The signal that ended the process; nil if none did.
    package let signal: Int32?
    /// The faulting address of the signal.
    package let address: UInt64?
    package let stackPointer: UInt64?
    /// The status passed to `exit`.
    package let status: Int32?
    package let process: Int32
    package let time: Timestamp
    /// The commands that were running, in the order in which they began.
    package let commands: [Command]
    /// Background work of the host, such as "the automatic update of Counter".
    package let activities: [String]
    /// The innermost frame first; 64 at most.
    package internal(set) var frames: [Frame]
    /// The libraries that contain the frames.
    package let images: [Image]
    /// The step of a module that was in progress; nil if none was.
    package internal(set) var step: Step?
    /// The host's handling of module state at the time, worded to follow "while"; nil if none.
    package internal(set) var phase: String?
    package internal(set) var isInStart = false
    /// The seconds after which the watchdog ended it; nil if it did not.
    package internal(set) var seconds: Int?

    /// The recorded step of a module when the process ended.
    package struct Step: Hashable, Sendable {
        package let module: String
        package let digest: String?
        /// The step, worded to follow "while": "it registered".
        package let phrase: String
        /// The time at which it began; nil if unknown.
        package internal(set) var since: Timestamp?
    }

    package struct Command: Hashable, Sendable {
        package let text: String
        /// The command's front end; nil for the host's own.
        package internal(set) var scene: String?
        /// The module whose code it ran; nil if unknown.
        package internal(set) var module: String?
        /// The time at which it began; nil if unknown.
        package internal(set) var since: Timestamp?
    }

    package enum Kind: String, Sendable {
        /// A signal that the process caused itself, such as SIGSEGV.
        case signal
        /// A call of `exit` by other code than the host's.
        case exit
        /// The main actor did not respond, and the host ended itself.
        case hang
        /// The process was ended from outside, or left no record.
        case killed
        /// The process ended in an unknown way.
        case lost
        /// A module forked the process, and the child returned from the module's code.
        case fork
    }

    /// A position in the code, on the stack of the thread that crashed.
    package struct Frame: Hashable, Sendable {
        package let kind: Kind
        package let address: UInt64
        /// The address in the library's file.
        package let offset: UInt64?
        /// The number of the frame's library, an ``Image/number``.
        package let image: Int?
        /// The function, demangled; nil before ``CrashRecord/symbolicated(limit:)``.
        package internal(set) var symbol: String?
        /// The line of the source, `FILE:LINE`; nil before ``CrashRecord/withSourceLine(debugFolders:)``.
        package internal(set) var line: String?

        /// The position of the instruction in the library's file.
        ///
        /// A return address is reduced by one: if a function ends with the call, it is after the end.
        var fileOffset: UInt64? {
            let isInside = kind == .counter || kind == .waiting
            return offset.map { isInside ? $0 : $0 &- 1 }
        }

        /// The certainty of the frame, and the meaning of its address.
        package enum Kind: String, Sendable {
            /// The instruction that was running.
            case counter = "pc"
            case call
            /// A value that looks like a ``call``, found on the stack of code without frame pointers.
            case guess
            /// The address at which a waiting asynchronous function continues.
            case waiting = "async"
        }
    }

    /// A library, or the program.
    package struct Image: Hashable, Sendable {
        package let number: Int
        /// The name of the module or file.
        package let name: String
        package let path: String
        /// Nil if it belongs to no module.
        package let generation: Int?
        package let digest: String?
    }

    /// The innermost module with a frame: it crashed, or called the code that did.
    package var module: Image? {
        frames.lazy.compactMap { image(of: $0) }.first { $0.generation != nil }
    }

    /// The module to blame: the one with a frame; else the one whose step was in progress; else the likeliest
    /// of the ``suspects``.
    package var culprit: Culprit? {
        if let module {
            return Culprit(name: module.name, generation: module.generation, digest: module.digest)
        }
        if let step { return Culprit(name: step.module, generation: nil, digest: step.digest) }
        return suspects.first.map { Culprit(name: $0.module, generation: nil, digest: nil) }
    }

    /// The modules whose code was running when a process ended without a record, the likeliest first: the one
    /// whose step kept the main thread, then those of commands, the latest command first.
    package var suspects: [Suspect] {
        guard kind == .lost else { return [] }
        let steps = step.map { [Suspect(module: $0.module, activity: $0.phrase)] } ?? []
        return steps
            + commands.reversed().compactMap { command in
                command.module.map { Suspect(module: $0, activity: command.text) }
            }
    }

    /// A module that may have ended the process.
    package struct Suspect: Codable, Hashable, Sendable {
        package let module: String
        /// Its running step, worded to follow "while", or command.
        let activity: String
    }

    /// A module to blame for a crash.
    package struct Culprit: Hashable, Sendable {
        package let name: String
        package let generation: Int?
        package let digest: String?
    }

    /// The library that contains a frame.
    package func image(of frame: Frame) -> Image? {
        frame.image.flatMap { number in images.first { $0.number == number } }
    }
}

extension CrashRecord {
    /// Describes the end of a process that left no record; without a signal it exited with `status`.
    init(
        process: Int32, signal: Int32?, status: Int32?, time: Timestamp, commands: [Command] = [],
        activities: [String] = []
    ) {
        self.init(
            kind: signal == nil ? .exit : signal == 9 ? .killed : .signal, signal: signal, address: nil,
            stackPointer: nil, status: status, process: process, time: time, commands: commands,
            activities: activities, frames: [], images: [])
    }
}

// MARK: - Reading

extension CrashRecord {
    /// Reads the record that the handler in CCrash.c wrote.
    ///
    /// - Returns: The record; nil if there is none, or it is invalid.
    /// - Throws: `StorageError` if the file can't be read; it stays in place.
    package static func read(_ path: String) throws -> CrashRecord? {
        try StateFile.read(path, limit: 1_000_000).flatMap {
            CrashRecord(text: String(decoding: $0, as: UTF8.self))
        }
    }

    /// Removes a record that was saved elsewhere, so that it is reported once.
    package static func remove(_ path: String) { unlink(path) }

    /// Reads a record; nil if it lacks the kind or the time of the end.
    ///
    /// Ignores lines with unknown keys. Reads a truncated record up to its end.
    package init?(text: String) {
        var fields: [Substring: Substring] = [:]
        var frames: [Frame] = []
        var images: [Image] = []
        var commands: [Command] = []
        var activities: [String] = []
        let lines = text.split(separator: "\n")
        guard lines.first == "crash 1" else { return nil }
        for line in lines.dropFirst() {
            let words = line.split(separator: " ", maxSplits: 1)
            guard let key = words.first else { continue }
            let value = words.count > 1 ? words[1] : ""
            switch key {
            case "pc", "call", "guess", "async":
                Frame.Kind(rawValue: String(key)).flatMap { Frame($0, value) }.map { frames.append($0) }
            case "image": Image(value).map { images.append($0) }
            case "command": commands.append(Command(text: String(value)))
            case "scene":
                if !commands.isEmpty { commands[commands.count - 1].scene = String(value) }
            case "activity": activities.append(String(value))
            default: fields[key] = value
            }
        }
        guard let kind = fields["kind"].flatMap({ Kind(rawValue: String($0)) }),
            let process = fields["pid"].flatMap({ Int32($0) }),
            let time = fields["time"].flatMap({ Int64($0) })
        else { return nil }
        self.init(
            kind: kind, signal: fields["signal"].flatMap { Int32($0) },
            address: fields["address"].flatMap(Self.number),
            stackPointer: fields["stack"].flatMap(Self.number),
            status: fields["status"].flatMap { Int32($0) }, process: process,
            time: Timestamp(microseconds: time), commands: commands, activities: activities, frames: frames,
            images: images)
        isInStart = fields["start"] != nil
        seconds = fields["seconds"].flatMap { Int($0) }
        step = Step(fields)
        phase = fields["phase"].map(String.init)
    }

    /// A number in the handler's address format: `0x1f`.
    fileprivate static func number(_ text: Substring) -> UInt64? {
        text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : nil
    }
}

extension CrashRecord.Step {
    /// Reads the lines `step PHRASE`, `module NAME` and `digest DIGEST`; nil without the first two.
    init?(_ fields: [Substring: Substring]) {
        guard let phrase = fields["step"], let module = fields["module"] else { return nil }
        self.init(module: String(module), digest: fields["digest"].map(String.init), phrase: String(phrase))
    }
}

extension CrashRecord.Frame {
    /// Reads `ADDRESS OFFSET IMAGE NAME`; only the address is always present.
    fileprivate init?(_ kind: Kind, _ text: Substring) {
        let words = text.split(separator: " ")
        guard let address = words.first.flatMap(CrashRecord.number) else { return nil }
        let isInImage = words.count >= 3
        self.init(
            kind: kind, address: address, offset: isInImage ? CrashRecord.number(words[1]) : nil,
            image: isInImage ? Int(words[2]) : nil, symbol: nil)
    }
}

extension CrashRecord.Image {
    /// Reads `NUMBER GENERATION DIGEST NAME PATH`; generation and digest may be `-`.
    fileprivate init?(_ text: Substring) {
        let words = text.split(separator: " ", maxSplits: 4)
        guard words.count == 5, let number = Int(words[0]) else { return nil }
        self.init(
            number: number, name: String(words[3]), path: String(words[4]), generation: Int(words[1]),
            digest: words[2] == "-" ? nil : String(words[2]))
    }
}

// MARK: - Names of functions

extension CrashRecord {
    /// The record with the names of functions, where the libraries' files have them.
    ///
    /// Reads the files of the modules and of the host's own libraries, which takes a while. A library that no
    /// longer exists, or is larger than `limit` bytes, leaves its frames without names.
    package func symbolicated(limit: UInt64 = 64_000_000) -> CrashRecord {
        var tables: [Int: SymbolTable] = [:]
        for image in images {
            let isSystem = image.name.hasPrefix("lib") && !image.name.hasPrefix("libAtrium")
            if image.generation == nil, isSystem, !image.name.hasPrefix("libswiftCore") { continue }
            guard let file = try? RandomAccessFile(image.path), file.size <= limit else { continue }
            tables[image.number] = try? SymbolTable(file)
        }
        var record = self
        for (index, frame) in frames.enumerated() {
            guard let image = frame.image, let offset = frame.fileOffset else { continue }
            guard let name = tables[image]?.name(at: offset) else { continue }
            record.frames[index].symbol = LoadedSymbols.demangled(name) ?? name
        }
        return record
    }
}
