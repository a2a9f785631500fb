// node .ci/binary-of.mjs linux-x64.musl: the path of that release binary, made from the sources that are here. Code 1 when
// there is none.
import { binaryOf } from '../scripts/lib/binaries.mjs';

const path = binaryOf(process.argv[2]);
if (path === undefined) process.exitCode = 1;
else console.log(path);
