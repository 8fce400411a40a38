typealias Done = @Sendable (Int?, (any Error)?) -> Void

struct Loader {
    // error: [completion-handler] 'completion' is called when work ends;
    //        write an 'async' function that returns the result or throws
    func load(completion: @escaping (Int) -> Void) {}

    // error: [completion-handler] 'then' is called when work ends;
    //        write an 'async' function that returns the result or throws
    func load(then: @escaping (Result<Int, any Error>) -> Void) {}

    // error: [completion-handler] 'closure' is called when work ends;
    //        write an 'async' function that returns the result or throws
    func load(_ closure: @escaping (Result<Int, any Error>) -> Void) {}

    // error: [completion-handler] 'done' is called when work ends;
    //        write an 'async' function that returns the result or throws
    func load(_ done: @escaping Done) {}

    // error: [completion-handler] 'block' is called when work ends;
    //        write an 'async' function that returns the result or throws
    func load(withBlock block: @escaping (Int?, String?) -> Void) {}

    func load(
        // error: [completion-handler] 'onSuccess' is called when work ends;
        //        write an 'async' function that returns the result or throws
        onSuccess: ((Int) -> Void)? = nil,
        // error: [completion-handler] 'onFailure' is called when work ends;
        //        write an 'async' function that returns the result or throws
        onFailure: ((any Error) -> Void)? = nil
    ) {}

    // error: [completion-handler] 'resultHandler' is called when work ends;
    //        write an 'async' function that returns the result or throws
    init(resultHandler: @escaping () -> Void) {}

    // These don't end anything: progress, changes, a closure that runs before the call returns.
    func load(progress: @escaping (Int) -> Void) async {}
    func observe(_ change: @escaping (Int) -> Void) {}
    func each(_ body: (Result<Int, any Error>) -> Void) {}
    func handle(_ work: @escaping (Result<Int, any Error>) async -> Void) {}
    func retry(_ work: @escaping () async throws -> Int) async throws {}
}

final class Download {
    // error: [completion-handler] 'onFinish' is called when work ends;
    //        write an 'async' function that returns the result or throws
    var onFinish: ((Int) -> Void)?
}
