// Twice the same file under vitest (its functions are global there): each file has a copy of the modules of its own.
import * as holdfast from 'holdfast';
import { work } from './work.mjs';

/* global expect, it */
it('works', async () => {
  expect(JSON.parse(await work(holdfast)).failed).toEqual({});
}, 60_000);
