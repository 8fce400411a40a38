import AtriumKit
import Foundation

struct Person: Sendable {
    var name: String

    // error: [model-logic] 'submit' of a model is 'async', so it asks somebody;
    //        let a repository do the work, with the model as a value
    // error: [model-logic] a model refers to 'APIClient';
    //        let a repository do that, with the model as a value
    func submit(to api: any APIClient) async throws {}

    // error: [model-logic] 'processPayment' of a model is 'async', so it asks somebody;
    //        let a repository do the work, with the model as a value
    static func processPayment() async {}

    // error: [model-logic] 'init' of a model is 'async', so it asks somebody;
    //        let a repository do the work, with the model as a value
    // error: [model-logic] a model refers to 'Database';
    //        let a repository do that, with the model as a value
    init(from database: any Database) async throws { name = "" }

    func save() throws {
        // error: [model-logic] a model refers to 'FileManager';
        //        let a repository do that, with the model as a value
        try FileManager.default.removeItem(atPath: name)
    }

    func validate() -> [ValidationError] { [] }
}
