// npm run build: TypeScript, and a native binary that fits the sources (compiled only where no prebuilt one does).
import { prepare } from './lib/prepare.mjs';
import { main } from './lib/tools.mjs';

await main(prepare);
