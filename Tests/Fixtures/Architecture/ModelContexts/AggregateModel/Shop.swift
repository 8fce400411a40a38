@MainActor
// error: [model-contexts] 'Shop' holds models of several contexts
//        ('Model/Customers', 'Model/Orders', 'Model/Stock'); split it by context, and join them in a use case
final class Shop {
    private(set) var orders: [Order] = []
    private(set) var customers: [String: Customer] = [:]
    private(set) var items: [Item] = []
    private(set) var total = Money(cents: 0)
}
