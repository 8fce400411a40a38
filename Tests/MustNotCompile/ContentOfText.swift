// A view with a text that is no element.
// error: 'buildExpression' is unavailable: A text is shown as Text(…), Title(…) or Field(…).
import AtriumKit

struct PriceView: View {
    var body: Content {
        Title("Prices")
        "All prices are in euros."
    }
}
