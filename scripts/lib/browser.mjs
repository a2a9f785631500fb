// A page in headless Chromium, for the web terminal's test and its picture. Chromium is the system's: no package of npm brings it.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { inRoot } from './tools.mjs';

const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** Its path, or undefined where there is none. */
export function findChromium() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file));
}

/** Opens `url` and calls `use` with Playwright's page; the browser is closed however that ends. */
export async function withPage(url, use, { width = 800, height = 480 } = {}) {
  const { chromium } = createRequire(inRoot('tools', 'examples', 'package.json'))('playwright-core');
  // Its own sandbox refuses to work for root, and needs user namespaces, which containers often lack. It only sees pages of ours.
  const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: { width, height } });
    await page.goto(url);
    return await use(page);
  } finally {
    await browser.close();
  }
}

/** Waits until the terminal in the page shows `text`, a string or a regular expression; returns all that it shows. */
export async function shows(page, text) {
  const pattern = typeof text === 'string' ? new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')) : text;
  const rows = page.locator('.xterm-rows');
  await rows.filter({ hasText: pattern }).waitFor({ timeout: 20_000 }).catch(async (error) => { throw new Error(`the page shows: ${await rows.innerText()}`, { cause: error }); });
  return rows.innerText();
}
