import { render } from "preact";
import { App } from "./app";
import { followParent } from "./core/embedding";
import { start } from "./core/runs";

void start(); // reads the address at once, so that the view it names is the first one rendered
followParent();
render(<App />, document.getElementById("app")!);
