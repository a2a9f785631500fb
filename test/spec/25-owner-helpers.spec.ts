// The processes that hold ranges are stopped and killed, by strangers and by their own members.
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { askHost } from '../support/host.ts';
import { dummy } from '../support/paths.ts';
import { collecting, spawnCollecting } from '../support/run.ts';
import { within } from '../support/until.ts';

const fence = leakFence();
const { owners } = await new LocalSubprocessRuntime().diagnose();
const held = owners.filter((one) => one.available && one.proof === 'proven').map((one) => one.kind);

interface Answer {
  done: number | string;
  wait: string;
  proof: string;
}
interface Played<T> {
  facts: T[];
  next: Answer;
  text: string;
}

/** Runs test/fixtures/hosts/holders.mjs; whatever it did to its holders, the next spawn must work. */
async function play<T = Answer>(mode: string, owner: string, ...more: string[]): Promise<T[]> {
  const { facts, next, text } = await askHost<Played<T>>('holders.mjs', [mode, owner, ...more]);
  expect({ next, text }).toEqual({ next: { done: 0, wait: 'true', proof: 'proven' }, text: 'later\n' });
  return facts;
}

describe.each(held)('when the warden is stopped or killed, with the owner %s', (owner) => {
  it('it is continued, and does what it was asked meanwhile', async () => {
    expect(await play('stopped-warden', owner)).toEqual([
      { done: 'SIGKILL', wait: 'true', proof: 'proven' },
      { done: 0, wait: 'true', proof: 'proven' },
    ]);
  });

  it('it counts as dead when it is stopped again and again, and its ranges end all the same', async () => {
    const [answer] = await play('warden-stopped-again', owner);
    expect(answer).toMatchObject({ wait: 'true' });
    expect(answer).not.toMatchObject({ done: 'never' });
  });

  it('every launch that was under way is answered', async () => {
    const facts = await play('launches-of-a-dead-warden', owner);
    expect(facts).toHaveLength(8 * 21);
    expect(facts.filter(({ done, wait }) => done === 'never' || wait === 'never')).toEqual([]);
    // What has told its exit was started; what was proven is not said of a range whose owner is lost.
    expect(facts.filter(({ done, proof }) => done === 'OWNER_LOST' && proof === 'proven' && owner === 'cgroup')).toEqual([]);
  });
});

describe.each(held)('when a member kills, with the owner %s', (owner) => {
  it('whoever holds it, nothing of the range is left, nothing is claimed, and the next spawn works', async () => {
    const [answer] = await play<Answer & { left: number[] }>('member-kills', owner, '1');
    expect(answer).toMatchObject({ wait: 'true', proof: 'observed', left: [] });
    expect(['SIGKILL', 'OWNER_LOST']).toContain(answer?.done);
  });

  it.runIf(owner === 'subreaper')('the warden, its supervisor empties the range and proves it', async () => {
    const [answer] = await play<Answer & { left: number[] }>('member-kills', owner, '2');
    expect(answer).toEqual({ done: 'SIGKILL', wait: 'true', proof: 'proven', left: [] });
  });
});

describe('when a supervisor is stopped', () => {
  it('again and again, it is continued, and its range ends', async () => {
    const [answer] = await play('supervisor-stopped-again', 'subreaper');
    expect(answer).toMatchObject({ wait: 'true' });
    expect(answer).not.toMatchObject({ done: 'never' });
  });
});

describe('when a supervisor is killed', () => {
  it('the ranges of others live on, with what they have left in the background, whoever holds them', async () => {
    const [facts] = await play<{ first: Answer; jobsLive: boolean[]; rest: Answer[]; jobsLeft: number[] }>('mixed', 'subreaper');
    expect(facts?.first).toEqual({ done: 'SIGKILL', wait: 'true', proof: 'observed' });
    expect(facts?.jobsLive).toEqual(held.map(() => true));
    expect(facts?.rest).toEqual(held.map(() => ({ done: 0, wait: 'true', proof: 'proven' })));
    expect(facts?.jobsLeft).toEqual([]);
  });

  it('at any instant of its launch, done and waitForExit are answered', async () => {
    const facts = await play('supervisors-of-launches', 'subreaper');
    expect(facts).toHaveLength(60);
    expect(facts.filter(({ wait }) => wait !== 'true')).toEqual([]);
    expect(facts.filter(({ done }) => done !== 0 && done !== 'SIGKILL' && done !== 'OWNER_LOST')).toEqual([]);
    expect(facts.filter(({ done, proof }) => done !== 0 && proof === 'proven')).toEqual([]);
  });

  it('and the warden after it, both reject with OWNER_LOST and claim nothing', async () => {
    expect(await play('supervisor-then-warden', 'subreaper')).toEqual([{ done: 'OWNER_LOST', wait: 'OWNER_LOST', proof: 'observed' }]);
  });

  it('or only stopped, and the warden killed, the range is not waited for for ever', async () => {
    expect(await play('stopped-supervisor-then-warden', 'subreaper')).toEqual([{ done: 'OWNER_LOST', wait: 'OWNER_LOST', proof: 'observed' }]);
  });
});

describe('while the reactor is busy', () => {
  it('no fact of a launch is lost that is answered before the reactor has heard of it', async () => {
    const runtime = new LocalSubprocessRuntime();
    const data = 'x'.repeat(4 << 20);
    let feeding = true;
    const feed = async (argv: readonly string[]): Promise<void> => {
      const spec = collecting(argv, fence.directory);
      while (feeding) await runtime.spawn({ ...spec, stdio: { ...spec.stdio, stdin: { data } } }).done;
    };
    const busy = [feed(['/bin/cat']), feed(['/bin/sh', '-c', 'cat >/dev/null'])];
    const endless = spawnCollecting(runtime, dummy('yes'), fence.directory);
    for (let i = 0; i < 40; i++) {
      const handles = Array.from({ length: 10 }, () => spawnCollecting(runtime, ['/bin/true'], fence.directory));
      await within(30_000, 'the exits of ten commands', Promise.all(handles.map((handle) => handle.done)));
      await within(30_000, 'the ends of ten ranges', Promise.all(handles.map((handle) => handle.waitForExit())));
    }
    feeding = false;
    endless.terminate();
    await Promise.all([...busy, endless.waitForExit()]);
    await runtime.dispose();
  });
});
