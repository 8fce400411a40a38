import AtriumKit
import Observation

@MainActor
@Observable
final class PersonViewModel: ViewModel {
    private(set) var people: [Person] = []
    private(set) var page = 1

    func submit(_ person: Person) throws {
        // error: [view-model-logic] a view model decides by 'person.age < 18';
        //        let the repository, a use case or the model's 'validate' decide, and show its error
        if person.age < 18 { throw CancellationError() }
        // error: [view-model-logic] a view model decides by '21 > person.age';
        //        let the repository, a use case or the model's 'validate' decide, and show its error
        guard 21 > person.age else { return }
        // error: [view-model-logic] a view model decides by 'person.age >= Person.minimumAge';
        //        let the repository, a use case or the model's 'validate' decide, and show its error
        guard person.age >= Person.minimumAge else { return }
        // error: [view-model-logic] a view model decides by 'contains("@company.com")' of a model's text;
        //        let the repository, a use case or the model's 'validate' decide, and show its error
        if person.email.contains("@company.com") { return }
        // error: [view-model-logic] a view model decides by 'person.role == "admin"';
        //        let the repository, a use case or the model's 'validate' decide, and show its error
        if person.role == "admin" { return }
        // error: [view-model-logic] a view model decides by 'person.tags.count <= 5';
        //        let the repository, a use case or the model's 'validate' decide, and show its error
        guard person.tags.count <= 5 else { return }
        switch person.age {
        // error: [view-model-logic] a view model decides by the range '..<18';
        //        let the repository, a use case or the model's 'validate' decide, and show its error
        case ..<18: return
        default: break
        }
        switch page {
        case 2..<9: break
        default: break
        }
        // The model has the rule; fields, pages and rows are the view model's own.
        guard person.validate().isEmpty, !person.email.isEmpty, page > 3 else { return }
        people = people.filter { $0.email.contains(person.email) }.sorted { $0.age < $1.age }
    }
}
