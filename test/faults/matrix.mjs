// The cases: each call at each of its indices with each errno, as often as a scenario has made it when nothing failed.
import { constants } from 'node:os';
import { readdirSync, readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { HOST, NO_FAULT, WARDEN, WARDEN_NO_FAULT } from './table.mjs';

// os.constants has not all of them.
const ERRNO = { ...constants.errno, ENOTTY: 25, ETXTBSY: 26, EROFS: 30, EDQUOT: 122, ETOOMANYREFS: 109 };
/** Interrupted, or moving less, at every second call of a whole scenario. */
const EVERYWHERE = ['EINTR', 'short'];

const words = (text) => text.split(' ');
const HEADER = '/usr/include/x86_64-linux-gnu/asm/unistd_64.h';

/** Numbers of the system calls of the warden, by the kernel's header. */
export function numbers() {
  const known = new Map([...readFileSync(HEADER, 'latin1').matchAll(/#define __NR_(\w+) (\d+)/g)].map(([, name, number]) => [name, Number(number)]));
  return Object.fromEntries(Object.keys(WARDEN).map((name) => [name, known.get(name)]));
}

/** Calls of the native code that no row of the table knows, and rows that nothing calls. */
export function missing(addon, wardenSources) {
  const imported = execFileSync('nm', ['-D', '--undefined-only', addon], { encoding: 'latin1' }).split('\n')
    .map((line) => line.trim().split(/\s+/).at(-1).replace(/@.*/, ''))
    .filter((name) => name !== '' && !/^(_Z|__cxa_|napi_|node_api_)/.test(name));
  const known = new Set(Object.keys(HOST).map((name) => name.split('.')[0]));
  const excused = Object.values(NO_FAULT).flatMap(words);
  const called = new Set(readdirSync(wardenSources).flatMap((file) => [...readFileSync(`${wardenSources}/${file}`, 'latin1').matchAll(/__NR_(\w+)/g)].map(([, name]) => name)));
  return [
    ...imported.filter((name) => !known.has(name) && !excused.includes(name)).map((name) => `the addon calls ${name}`),
    ...[...called].filter((name) => WARDEN[name] === undefined && !words(WARDEN_NO_FAULT).includes(name)).map((name) => `the warden calls ${name}`),
    ...Object.keys(HOST).filter((name) => !name.startsWith('sys_') && !imported.includes(name.split('.')[0])).map((name) => `nothing calls ${name}`),
    ...Object.keys(WARDEN).filter((name) => !called.has(name)).map((name) => `the warden does not call ${name}`),
  ];
}

/** All up to `most`, then as many more, spread over the rest: looks through /proc make one call a thousand times. */
function* spread(count, most) {
  for (let index = 1; index <= Math.min(count, most); index++) yield index;
  for (let part = 1; count > most && part <= most; part++) yield Math.max(most + 1, Math.round(most + (count - most) * part / most));
}

/** Every case of one scenario, given how often it makes each call; `most`: see spread(). */
export function casesOf({ owner, steps, start, counts }, most) {
  const cases = [];
  const add = (side, call, number, count, errnos) => {
    for (const errno of words(errnos)) {
      const error = errno === 'short' ? 0 : ERRNO[errno];
      if (error === undefined) throw new Error(`no errno ${errno}`);
      const indices = [...(EVERYWHERE.includes(errno) ? [0] : []), ...new Set(spread(count, most))];
      for (const index of indices) cases.push({ name: `${owner}/${start}/${side}/${call}/${index}/${errno}`, owner, start, steps, fault: { side, call, number, index, error } });
    }
  };
  for (const [call, errnos] of Object.entries(HOST)) if (counts.host[call]) add('host', call, 0, counts.host[call], errnos);
  const by = numbers();
  for (const [call, errnos] of Object.entries(WARDEN)) if (counts.warden[by[call]]) add('warden', call, by[call], counts.warden[by[call]], errnos);
  return cases;
}
