import AtriumKit
import Foundation

struct PriceError: LocalizedError {
    var errorDescription: String? { "No price." }
}

struct PriceView: View {
    let failure: any Error
    let wrong: PriceError
    let error: String

    var body: Content {
        // error: [error-text] 'localizedDescription' is no text for a person;
        //        use 'LoadFailure(error).message', which shows what an error explains and nothing else
        Text(failure.localizedDescription)
        // error: [error-text] 'errorDescription' is no text for a person;
        //        use 'LoadFailure(error).message', which shows what an error explains and nothing else
        Text(wrong.errorDescription ?? "")
        // error: [error-text] a text made of 'failure' is no text for a person;
        //        use 'LoadFailure(error).message', which shows what an error explains and nothing else
        Text(String(describing: failure))
        // error: [error-text] a text made of 'wrong' is no text for a person;
        //        use 'LoadFailure(error).message', which shows what an error explains and nothing else
        Text("Sorry: \(wrong)")
        // A string named `error` is not an error.
        Text("Sorry: \(error)")
        Text(LoadFailure(failure).message)
    }

    func text(_ result: Result<Int, any Error>) -> String {
        switch result {
        case .success(let value): "\(value)"
        // error: [error-text] a text made of 'problem' is no text for a person;
        //        use 'LoadFailure(error).message', which shows what an error explains and nothing else
        case .failure(let problem): String(reflecting: problem)
        }
    }

    func load() async {
        do {
            try await Task.sleep(for: .zero)
        } catch {
            // error: [error-text] a text made of 'error' is no text for a person;
            //        use 'LoadFailure(error).message', which shows what an error explains and nothing else
            _ = "\(error)"
        }
        do {
            try await Task.sleep(for: .zero)
        } catch let problem {
            // error: [error-text] a text made of 'problem' is no text for a person;
            //        use 'LoadFailure(error).message', which shows what an error explains and nothing else
            _ = "Sorry: \(problem)"
            // error: [error-text] 'message' is read of an error that may have none;
            //        use 'LoadFailure(error)', which has one for each error
            _ = (problem as? any ExplainedError)?.message ?? "Sorry."
        }
    }
}
