const assert = require('node:assert/strict');
const holdfast = require('holdfast');

// One copy, however it is asked for: two would be two registries of processes.
import('holdfast').then(async (imported) => {
  assert.equal(imported.LocalSubprocessRuntime, holdfast.LocalSubprocessRuntime);
  const { work } = await import('./work.mjs');
  console.log(await work(holdfast));
});
