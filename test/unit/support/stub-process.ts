import { vi } from 'vitest';

/** Replaces `process` by one with these members until `vi.unstubAllGlobals()`; everything else is the real one's. */
export function stubProcess(members: { env?: Record<string, string>; platform?: NodeJS.Platform; cwd?: () => string }): void {
  const stub = Object.create(process) as typeof process;
  for (const [name, value] of Object.entries(members)) Object.defineProperty(stub, name, { value, writable: true, configurable: true });
  vi.stubGlobal('process', stub);
}
