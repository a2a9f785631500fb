/** See dsh.mjs. */
export function installDsh(): { node: string; home: string; provider: string; version: string; reason?: undefined } | { reason: string };
