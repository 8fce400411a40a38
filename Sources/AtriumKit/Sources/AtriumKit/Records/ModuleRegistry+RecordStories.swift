extension ModuleRegistry {
    /// Adds the stories of a record's screens: in the usual state, and in those that a module forgets most.
    func addStories<Item: Record>(of type: Item.Type, _ screens: RecordScreens<Item>) {
        let noun = Item.fields.noun
        func add(_ name: String, _ destination: any Destination, _ change: (inout Story) -> Void = { _ in }) {
            var story = Story(name)
            if !Item.guards.isEmpty { story.signIn() }
            change(&story)
            self.add(story, destination)
        }
        if screens.has(.list) {
            var onePage = RecordListDestination<Item>()
            onePage.size = 2
            let list = RecordListDestination<Item>()
            add(noun.plural, list)
            add("\(noun.plural) one page", onePage)
            add("\(noun.plural) empty", list) { $0.isEmpty = true }
            add("\(noun.plural) loading", list) { $0.loads = false }
            add("\(noun.plural) failed", list) { $0.scenario = .error }
            add("\(noun.plural) edge cases", list) { $0.scenario = .edge }
        }
        guard let first = Item.ID(argument: "1") else { return }
        if screens.has(.detail) {
            add(noun.singular, RecordDestination<Item>(id: first))
            add("\(noun.singular) failed", RecordDestination<Item>(id: first)) { $0.scenario = .error }
            add("\(noun.singular) edge case", RecordDestination<Item>(id: first)) { $0.scenario = .edge }
        }
        if screens.has(.new) { add("new \(noun.singular)", NewRecordDestination<Item>()) }
        if screens.has(.edit) { add("edit \(noun.singular)", EditRecordDestination<Item>(id: first)) }
    }
}
