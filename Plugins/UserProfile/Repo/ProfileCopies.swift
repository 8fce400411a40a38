import AtriumKit

/// The copies of what services answered, for reads.
@MainActor
struct ProfileCopies {
    private let service: any ProfileCopyService
    private let clock: any WallClock
    private let logger: Logger

    /// - Parameters:
    ///   - service: Keeps the copies.
    ///   - clock: Tells from when an answer is.
    ///   - logger: Told where no copy can be kept.
    init(_ service: any ProfileCopyService, clock: any WallClock, logger: Logger) {
        self.service = service
        self.clock = clock
        self.logger = logger
    }

    /// The answer to a question of an account, kept as a copy; the last known one where nobody can be asked.
    ///
    /// - Throws: Why nobody can be asked, where nothing is known; every other failure.
    func answer<Answer>(
        to question: CopiedQuestion<Answer>, of reader: String, _ ask: () async throws -> Answer
    ) async throws -> Stale<Answer> {
        do {
            let answer = try await ask()
            await keep(answer, to: question, of: reader)
            return Stale(answer)
        } catch let error where error.isOffline {
            guard let known = await last(question, of: reader) else { throw error }
            return known
        }
    }

    /// Keeps a copy; what can't be kept is not there when nobody can be asked, and nothing else.
    func keep<Answer>(_ answer: Answer, to question: CopiedQuestion<Answer>, of reader: String) async {
        do {
            try await service.keep(answer, to: question, of: reader, at: clock.now())
        } catch is CancellationError {
        } catch {
            logger.warning("No copy of what was read can be kept: \(LoadFailure(error).message)")
        }
    }

    /// The last known answer; nil where there is none.
    func last<Answer>(_ question: CopiedQuestion<Answer>, of reader: String) async -> Stale<Answer>? {
        try? await service.answer(to: question, of: reader)
    }

    /// Drops the answer to a question that has none any more.
    func forget<Answer>(_ question: CopiedQuestion<Answer>, of reader: String) async {
        try? await service.forget(question, of: reader)
    }
}
