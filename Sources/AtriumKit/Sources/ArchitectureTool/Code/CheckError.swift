/// Why the check can't be made; says what to do about it.
struct CheckError: Error, CustomStringConvertible {
    let description: String

    private init(_ description: String) {
        self.description = description
    }

    static func usage(_ problem: String) -> CheckError { CheckError("\(problem)\n\(Options.help)") }

    static func noIndex(_ path: String) -> CheckError {
        CheckError(
            "there is no index at \(path); debug builds write one: run 'swift build', without -c release")
    }

    static func unreadableIndex(_ path: String, _ reason: String) -> CheckError {
        CheckError("the index of \(path) can't be read: \(reason); delete it and run 'swift build'")
    }

    static func library(_ path: String, _ reason: String) -> CheckError {
        CheckError("\(path) can't be used: \(reason); name the toolchain's libIndexStore with --library")
    }

    static func noCompiler(_ name: String) -> CheckError {
        CheckError("there is no '\(name)' in PATH; name the toolchain's libIndexStore with --library")
    }

    static func noFolder(_ path: String) -> CheckError {
        CheckError("\(path) is no folder; name the folder of a target's sources")
    }

    static func noManifest(_ path: String) -> CheckError {
        CheckError("\(path) is missing; a feature module has its manifest beside its sources")
    }

    static func badManifest(_ path: String) -> CheckError {
        CheckError("\(path) can't be read as a manifest; 'swift build' says what is wrong with it")
    }

    static func noFile(_ path: String) -> CheckError { CheckError("\(path) can't be read") }

    static func nothingToCheck(_ path: String) -> CheckError {
        CheckError("\(path) has no Swift sources; name the folder of a target's sources")
    }

    static func notBuilt(_ path: String) -> CheckError {
        CheckError("\(path) is not in the index; run 'swift build', then check again")
    }

    static func changed(_ path: String) -> CheckError {
        CheckError("\(path) has changed since it was built; run 'swift build', then check again")
    }
}
