// What is the same for addons of each format.
import { createRequire } from 'node:module';

/** The only symbols that an addon may offer. */
export const ENTRY = ['napi_register_module_v1', 'node_api_module_get_api_version_v1'];

const { js_native_api_symbols: engine, node_api_symbols: node } = createRequire(import.meta.url)('node-api-headers').symbols.v8;
const nodeApi = new Set([...engine, ...node]);

/** True for a function of Node-API 8, the version that the binaries are made for. */
export const isNodeApi = (symbol) => nodeApi.has(symbol);

/** Libraries out of `found` that the target may not need; a name of the target may end in *. */
export const unwanted = (found, { needed }) => found.filter((library) =>
  !needed.some((name) => (name.endsWith('*') ? library.startsWith(name.slice(0, -1)) : library === name)));
