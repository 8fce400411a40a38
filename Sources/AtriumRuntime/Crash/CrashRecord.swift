package import AtriumKit

/// How a process of the host ended that did not mean to.
package struct CrashRecord: Codable, Hashable, Sendable {
    package let kind: Kind
    /// The signal that ended the process; nil where none did.
    package let signal: Int32?
    /// What the system says about the signal (`si_code`).
    package let code: Int32?
    /// The address whose use the signal is about.
    package let address: UInt64?
    /// Where the stack had grown to.
    package let stackPointer: UInt64?
    /// What `exit` was called with.
    package let status: Int32?
    package let process: Int32
    package let thread: Int32?
    package let time: Timestamp
    /// The command that was running, or had run last.
    package let command: String?
    /// Where the person was.
    package let place: String?
    /// The innermost frame first; 64 at most.
    package let frames: [Frame]
    /// The libraries that the frames are in.
    package let images: [Image]
    /// Whether the handler came to the end of the record.
    package let isComplete: Bool

    /// What kind of end it was.
    package enum Kind: String, Codable, Sendable {
        /// A signal that the process caused itself, such as SIGSEGV.
        case signal
        /// A call of `exit` that was not the host's.
        case exit
        /// The main actor answered no more, and the host ended itself.
        case hang
        /// Somebody else ended it, or it ended without a record.
        case killed
    }

    /// A place in the code, on the way from where it happened to the start of the thread.
    package struct Frame: Codable, Hashable, Sendable {
        package let kind: Kind
        package let address: UInt64
        /// The address in the library's file.
        package let offset: UInt64?
        /// The number of the library, an ``Image/number``.
        package let image: Int?
        /// The function, demangled; nil before ``CrashRecord/symbolicated(read:demangle:)``.
        package internal(set) var symbol: String?

        /// How sure it is, and what the address means.
        package enum Kind: String, Codable, Sendable {
            /// The instruction that was running.
            case counter = "pc"
            /// Where a function that was called returns to.
            case call
            /// What looks like ``call``, found on the stack of code that keeps no frame pointers.
            case guess
            /// Where an asynchronous function goes on that waits for the ones before.
            case waiting = "async"
        }
    }

    /// A library, or the program.
    package struct Image: Codable, Hashable, Sendable {
        package let number: Int
        /// The module's name, or the file's where it is no module's.
        package let name: String
        package let path: String
        /// Nil where it is no module's.
        package let generation: Int?
        package let digest: String?
    }

    /// The module in whose code it happened, or that called into it: the first one that a frame is in.
    package var module: Image? {
        frames.lazy.compactMap { image(of: $0) }.first { $0.generation != nil }
    }

    /// The library that a frame is in.
    package func image(of frame: Frame) -> Image? {
        frame.image.flatMap { number in images.first { $0.number == number } }
    }

    /// The record with other frames.
    func with(_ frames: [Frame]) -> CrashRecord {
        CrashRecord(
            kind: kind, signal: signal, code: code, address: address, stackPointer: stackPointer,
            status: status,
            process: process, thread: thread, time: time, command: command, place: place, frames: frames,
            images: images, isComplete: isComplete)
    }
}

extension CrashRecord {
    /// Describes the end of a process that left no record.
    ///
    /// A process without a signal left by itself, with `status`.
    init(
        process: Int32, signal: Int32?, status: Int32?, time: Timestamp, command: String?, place: String?
    ) {
        self.init(
            kind: signal == nil ? .exit : signal == 9 ? .killed : .signal, signal: signal, code: nil,
            address: nil, stackPointer: nil, status: status, process: process, thread: nil, time: time,
            command: command, place: place, frames: [], images: [], isComplete: false)
    }
}
