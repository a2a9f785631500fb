// Code 0 when prebuilds/ was made from the sources that are here.
import { fits } from '../scripts/lib/manifest.mjs';

process.exitCode = fits() ? 0 : 1;
