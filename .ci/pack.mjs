// node .ci/pack.mjs <folder>: packs the checkout, as scripts/lib/packed.mjs says, and prints the tarball's path.
import { packPackage } from '../scripts/lib/packed.mjs';
import { main } from '../scripts/lib/tools.mjs';

const log = console.log;
console.log = console.error;
await main(() => log(packPackage(process.argv[2])));
