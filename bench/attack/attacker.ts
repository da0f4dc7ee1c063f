/** An attack in a process of its own, so that its CPU time can be told apart. When stdin ends it prints what became of its requests. */
import { ATTACKERS } from "./attackers.ts";

const [name = "", url = "", sourceId = "", publicKey = ""] = process.argv.slice(2);
const attacker = new Map(Object.entries(ATTACKERS)).get(name);
if (!attacker) throw new Error(`there is no attack "${name}"`);
const stopped = new AbortController();
process.stdin.resume().once("end", () => stopped.abort());
const outcome = await attacker({ url, sourceId, publicKey }, stopped.signal);
// open connections would keep the process from ending
process.stdout.write(outcome, () => process.exit(0));
