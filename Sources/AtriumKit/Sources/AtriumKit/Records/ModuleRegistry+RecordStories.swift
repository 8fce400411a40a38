extension ModuleRegistry {
    /// Adds the stories of a record's screens: in the usual state, and in those that a module forgets most.
    func addStories<Item: Record>(_ screens: RecordScreens<Item>, mock: RecordSource<Item>) {
        guard mock.make != nil else { return }
        addStories { Self.stories(screens, mock, of: $0) }
    }

    private static func stories<Item: Record>(
        _ screens: RecordScreens<Item>, _ mock: RecordSource<Item>, of module: String
    ) -> [StoryRegistration] {
        var stories: [StoryRegistration] = []
        let noun = Item.fields.noun
        func add(
            _ name: String, _ destination: @escaping @MainActor @Sendable () -> (any Destination)?,
            _ change: (inout Story) -> Void = { _ in }
        ) {
            var story = Story(name)
            if !Item.guards.isEmpty { story.signIn() }
            change(&story)
            stories.append(StoryRegistration(module: module, story: story, destination: destination))
        }
        if screens.has(.list) {
            let list = RecordListDestination<Item>()
            add(noun.plural, { list })
            var paged = list
            paged.size = 2
            add("\(noun.plural) one page", { [paged] in paged })
            add("\(noun.plural) empty", { list }) { $0.isEmpty = true }
            add("\(noun.plural) loading", { list }) { $0.loads = false }
            add("\(noun.plural) failed", { list }) { $0.scenario = .error }
            add("\(noun.plural) edge cases", { list }) { $0.scenario = .edge }
        }
        if screens.has(.new) { add("new \(noun.singular)", { NewRecordDestination<Item>() }) }
        // The ids of other mocks than samples are not known.
        guard let samples = mock.samples else { return stories }
        if screens.has(.detail) {
            add(noun.singular, { samples(false).firstID.map { RecordDestination<Item>(id: $0) } })
            add("\(noun.singular) failed", { samples(false).firstID.map { RecordDestination<Item>(id: $0) } })
            {
                $0.scenario = .error
            }
            add(
                "\(noun.singular) edge case",
                { samples(true).firstID.map { RecordDestination<Item>(id: $0) } }
            ) {
                $0.scenario = .edge
            }
        }
        if screens.has(.edit) {
            add(
                "edit \(noun.singular)",
                { samples(false).firstID.map { EditRecordDestination<Item>(id: $0) } })
        }
        return stories
    }
}

extension Array where Element: Record {
    fileprivate var firstID: Element.ID? { numbered().first?.id }
}
