import AtriumKit

struct PriceService {
    // error: [upward-reference] a service refers to 'Content', which is for views;
    //        hold what is shown, and let the view arrange it
    func content() -> Content {
        // error: [upward-reference] a service refers to 'Content', which is for views;
        //        hold what is shown, and let the view arrange it
        Content([])
    }
}
