// The targets that step 70 does not build.
import { targetName, TARGETS } from '../scripts/lib/targets.mjs';

console.log(TARGETS.filter(({ tuple }) => tuple !== 'linux-x64').map(targetName).join(' '));
