internal import AtriumStorage
internal import Glibc

/// Where the commands of a session come from.
package enum ScriptSource: Sendable {
    case text([UInt8])
    case standardInput
    case person

    var isPerson: Bool {
        if case .person = self { true } else { false }
    }
}

extension Options {
    /// Where commands come from; a file is read here, before anything else is done.
    ///
    /// - Throws: What keeps the file of `run` from being read.
    package func source() throws -> ScriptSource {
        switch mode {
        case .script(let text): return .text(Array(text.utf8))
        case .verify: return .text(Array("container verify".utf8))
        case .file(let path): return .text(try FileContents.read(path, allowsPipes: true))
        default: return isInteractive ? .person : .standardInput
        }
    }
}
