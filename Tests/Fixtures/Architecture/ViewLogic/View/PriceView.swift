import AtriumKit
import Foundation

struct PriceView: View {
    let prices: [Price]
    let isLoading: Bool
    let failure: LoadFailure?

    var body: Content {
        // error: [view-logic] a view chooses or orders rows with 'reduce';
        //        let its view model do that, and show what it holds
        // error: [view-logic] a view calculates with '+';
        //        let its view model do that, and show what it holds
        let total = prices.reduce(0) { $0 + $1.cents }
        // error: [view-logic] a view calculates with '*';
        //        let its view model do that, and show what it holds
        Text("\(total * 119)")
        // error: [view-logic] a view compares by 'total > 1000', which is a rule;
        //        let its view model do that, and show what it holds
        if total > 1000 { Text("No postage") }
        // error: [view-logic] a view chooses or orders rows with 'filter';
        //        let its view model do that, and show what it holds
        Table(prices.filter { $0.state == .active }) { Column("name") { $0.name } }
        // error: [view-logic] a view chooses or orders rows with 'sorted';
        //        let its view model do that, and show what it holds
        // error: [view-logic] a view compares by '$0.name < $1.name', which is a rule;
        //        let its view model do that, and show what it holds
        Table(prices.sorted { $0.name < $1.name }) { Column("name") { $0.name } }
        // error: [view-logic] a view formats values;
        //        let its view model do that, and show what it holds
        // error: [view-logic] a view calculates with '/';
        //        let its view model do that, and show what it holds
        Text(String(format: "%.2f", Double(total) / 100))
        // error: [view-logic] a view compares by 'first.role == "admin"', which is a rule;
        //        let its view model do that, and show what it holds
        if let first = prices.first, first.role == "admin" { Text("Edit") }
        switch prices.count {
        case 0: Text("None")
        // error: [view-logic] a view compares with the range of '1..<5', which is a rule;
        //        let its view model do that, and show what it holds
        case 1..<5: Text("Few")
        default: Text("Many")
        }
        // error: [view-logic] a view compares with the range of '18...65', which is a rule;
        //        let its view model do that, and show what it holds
        if (18...65).contains(total) { Text("Of age") }
        // error: [view-logic] a view compares by 'prices.count == 7', which is a rule;
        //        let its view model do that, and show what it holds
        Text(prices.count == 7 ? "A week" : "")
        // error: [view-logic] a view reads the clock;
        //        let its view model do that, and show what it holds
        Text("\(Date.now)")
        // error: [view-logic] a view asks for the rules of 'Price';
        //        let its view model do that, and show what it holds
        if prices.allValid { Text("\(prices[0].validate())") }
        // error: [view-logic] a view groups rows;
        //        let its view model do that, and show what it holds
        Text("\(Dictionary(grouping: prices, by: \.name).count)")
        shown
    }

    // How things are shown is for views.
    private var shown: Group {
        Group("shown") {
            if isLoading { Notice(.information, "Loading.") }
            if let failure { Notice(.problem, failure.message) }
            if prices.isEmpty { Text("None") } else if prices.count > 0 { Text("Some") }
            if let first = prices.first, first.state == .gone { Text("\(first.name) is gone") }
            if prices.contains(where: { $0.state == .gone }) { Text("Some are gone") }
            Text(prices.count == 1 ? "One price" : "\(prices.count) prices, the next is \(prices.count + 1)")
            Text("Prices: " + prices.map(\.name).joined(separator: ", "))
        }
    }

    func load() async throws {
        // error: [view-logic] a view prints;
        //        let its view model do that, and show what it holds
        print("Loading")
    }
}

extension Price {
    // error: [view-logic] a view compares by 'cents > 5_000', which is a rule;
    //        let its view model do that, and show what it holds
    var isExpensive: Bool { cents > 5_000 }
}

extension [Price] {
    // error: [view-logic] a view chooses or orders rows with 'allSatisfy';
    //        let its view model do that, and show what it holds
    var allValid: Bool { allSatisfy { $0.state == .active } }
}
