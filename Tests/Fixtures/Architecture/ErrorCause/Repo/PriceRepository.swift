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

    func rethrown(_ work: () throws -> Int) throws -> Int {
        do { return try work() } catch { throw explained(error) }
    }

    private func explained(_ error: any Error) -> any Error { error }
}
