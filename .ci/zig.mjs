// Prints the path of the cross compiler, and installs it when it is not there.
import { zig } from '../scripts/lib/zig.mjs';

console.log = console.error;
process.stdout.write(`${zig()}\n`);
