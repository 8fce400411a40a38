import AtriumKit

struct PriceError: Error {
    let text: String
    var cause: (any Error)?

    static let failed = PriceError(text: "Failed.")
}

@MainActor
final class PriceRepository {
    private var text = ""

    func lost(_ work: () throws -> Int) throws -> Int {
        do {
            return try work()
        } catch {
            // error: [error-cause] this throw drops the error that it handles;
            //        pass it on as the new error's 'cause'
            throw PriceError(text: "It failed.")
        }
    }

    func lostByName(_ work: () throws -> Int) throws -> Int {
        // error: [error-cause] this throw drops the error that it handles;
        //        pass it on as the new error's 'cause'
        do { return try work() } catch let problem { throw PriceError.failed }
    }

    func lostAsType(_ work: () throws -> Int) throws -> Int {
        // error: [error-cause] this throw drops the error that it handles;
        //        pass it on as the new error's 'cause'
        do { return try work() } catch is DecodingError { throw PriceError.failed }
    }

    func textOnly(_ work: () throws -> Int) throws -> Int {
        do {
            return try work()
        } catch let error as APIError {
            // error: [error-cause] this throw keeps only the text of the error that it handles;
            //        pass it on as the new error's 'cause'
            throw PriceError(text: "Sorry: " + error.message)
        }
    }

    // 'try?' says that the error does not matter.
    func tried(_ work: () throws -> Int) throws -> Int {
        guard let value = try? work() else { throw PriceError.failed }
        return value
    }

    func continued(_ work: () throws -> Int) async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            do {
                continuation.resume(returning: try work())
            } catch {
                // error: [error-cause] this failure drops the error that it handles;
                //        pass it on as the new error's 'cause'
                continuation.resume(throwing: PriceError.failed)
            }
        }
    }

    func asResult(_ work: () throws -> Int) -> Result<Int, any Error> {
        // error: [error-cause] this failure drops the error that it handles;
        //        pass it on as the new error's 'cause'
        do { return .success(try work()) } catch { return .failure(PriceError.failed) }
    }

    func asTheSame(_ work: () throws -> Int) -> Result<Int, any Error> {
        do { return .success(try work()) } catch { return .failure(error) }
    }

    func result(_ result: Result<Int, any Error>) throws -> Int {
        switch result {
        case .success(let value): return value
        // error: [error-cause] this throw drops the error that it handles;
        //        pass it on as the new error's 'cause'
        case .failure: throw PriceError.failed
        }
    }

    func namedResult(_ result: Result<Int, any Error>) throws -> Int {
        switch result {
        case .success(let value): return value
        case .failure(let problem):
            // error: [error-cause] this throw keeps only the text of the error that it handles;
            //        pass it on as the new error's 'cause'
            // error: [error-text] a text made of 'problem' is no text for a person;
            //        use 'LoadFailure(error).message', which shows what an error explains and nothing else
            throw PriceError(text: "\(String(reflecting: problem))")
        }
    }

    func mapped(_ result: Result<Int, any Error>) throws -> Int {
        // error: [error-cause] 'mapError' drops the error;
        //        pass it on as the new error's 'cause'
        try result.mapError { _ in PriceError.failed }.get()
    }

    func kept(_ work: () throws -> Int) throws -> Int {
        do {
            return try work()
        } catch let error as APIError where error.code == .notFound {
            // One case, which says no more.
            throw PriceError.failed
        } catch is CancellationError {
            throw PriceError.failed
        } catch {
            text = LoadFailure(error).message
            throw PriceError(text: "It failed.", cause: error)
        }
    }

    func mappedWithCause(_ result: Result<Int, any Error>) throws -> Int {
        try result.mapError { PriceError(text: "It failed.", cause: $0) }.get()
    }

    func rethrown(_ work: () throws -> Int) throws -> Int {
        do { return try work() } catch { throw explained(error) }
    }

    private func explained(_ error: any Error) -> any Error { error }
}
