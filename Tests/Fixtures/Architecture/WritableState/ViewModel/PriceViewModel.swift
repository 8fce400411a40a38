import AtriumKit
import Observation

@MainActor
@Observable
final class PriceViewModel: ViewModel {
    // error: [writable-state] 'cents' of a view model can be changed from outside;
    //        write 'private(set) var', and a function for each way to change it
    var cents = 0
    // error: [writable-state] 'names' of a view model can be changed from outside;
    //        write 'private(set) var', and a function for each way to change it
    internal(set) public var names: [String] = []
    // error: [writable-state] 'query' of a view model can be changed from outside;
    //        write 'private(set) var', and a function for each way to change it
    var query: String {
        didSet {}
    }
    // error: [writable-state] 'cached' of a view model can be changed from outside;
    //        write 'private(set) var', and a function for each way to change it
    @ObservationIgnored var cached: [Int: String]?
    private(set) var isLoading = false
    fileprivate(set) var page = 1
    @ObservationIgnored
    private var loads = 0
    public private(set) var total = 0
    @ObservationIgnored weak var delegate: AnyObject?
    var isEmpty: Bool { total == 0 }

    init() {
        query = ""
    }
}

// A value that a view model holds is no view model.
struct PriceForm {
    var name = ""
}
