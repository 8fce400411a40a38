import AtriumKit

struct PriceView: View {
    let title: String
    // error: [view-state] 'isOpen' is state in a view, which is built anew for each drawing;
    //        keep it in the view model
    var isOpen = false
    // error: [view-state] 'rows' is state in a view, which is built anew for each drawing;
    //        keep it in the view model
    private var rows: [String: [Int]]
    // error: [view-state] 'count' is state in a view, which is built anew for each drawing;
    //        keep it in the view model
    var count: Int {
        didSet {}
    }

    init(title: String) {
        self.title = title
        rows = [:]
        count = 0
    }

    var body: Content { Title(heading) }
    private var heading: String { title }
}

// A helper is no view.
struct Row {
    var name = ""
}
