struct Price: Sendable {
    var cents: Int

    // error: [repository-access] a model refers to 'PriceRepository', which is a repository;
    //        a model is a value; let a repository or a view model ask
    // error: [model-logic] 'refresh' of a model is 'async', so it asks somebody;
    //        let a repository do the work, with the model as a value
    @MainActor mutating func refresh(_ repository: PriceRepository) async throws {
        // error: [repository-access] a model refers to 'PriceRepository', which is a repository;
        //        a model is a value; let a repository or a view model ask
        self = try await repository.price()
    }
}
