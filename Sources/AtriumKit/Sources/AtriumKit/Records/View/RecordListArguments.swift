enum RecordListArguments {
    static let page = Argument<Int>("page", "The page, from 1", default: 1)
    static let jump = Argument<Int>("page", "The page, from 1")
    static let size = Argument<Int?>("size", "Rows of a page, at most 500; as many as fit by default")
    static let refresh = Argument(
        "refresh", "Load the list from the service, even if it is cached", default: false)

    static func all<Item: Record>(
        _ orders: [String], _ filtered: [RecordField<Item>], _ searched: [RecordField<Item>]
    ) -> [ArgumentDescription] {
        var arguments = [page.description, size.description]
        if let first = orders.first {
            arguments.append(
                Argument<String>("sort", "The order", default: first, choices: orders).description)
        }
        for field in filtered {
            let end = field.hasKey && field.choices.isEmpty ? ", in any case" : ""
            let summary = "Only this \(field.label.lowercased())\(end)"
            arguments.append(Argument<String?>(field.name, summary, choices: field.choices).description)
        }
        let labels = searched.map { $0.label.lowercased() }.listed(with: "or")
        if !labels.isEmpty {
            arguments.append(
                Argument<String?>("search", "Only with this text in \(labels), in any case").description)
        }
        return arguments + [refresh.description]
    }
}
