import { render } from "preact";
import { App } from "./app";
import { followAddress, start } from "./core/runs";
import { mirrorInAddress } from "./core/state";

mirrorInAddress();
render(<App />, document.getElementById("app")!);
void start().then(followAddress);
