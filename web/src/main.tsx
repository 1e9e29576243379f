import { render } from "preact";
import { App } from "./app";
import { start } from "./core/runs";

void start(); // reads the address at once, so that the view it names is the first one rendered
render(<App />, document.getElementById("app")!);
