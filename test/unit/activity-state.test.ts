import { describe, expect, it } from 'vitest';
import type { ShellRecord } from '../../src/runtime/terminal/activity/record.ts';
import { ActivityState, type Observation } from '../../src/runtime/terminal/activity/state.ts';

const record = (kind: ShellRecord['kind'], prompt: number): ShellRecord => ({ kind, pid: 7, prompt });

/** A shell at its first prompt, alone and seen waiting for input. */
const AT_PROMPT: Observation = { range: 'live', others: 0, foreground: 'root', reading: 'yes', record: record('prompt', 1), own: true };

const RECORDS = [undefined, ...(['prompt', 'trapped', 'command', 'lost'] as const).flatMap((kind) => [record(kind, 1), record(kind, 2)])];

/** Every look that there can be, with two prompts. */
function* looks(): Generator<Observation> {
  for (const range of ['live', 'rootless', 'empty'] as const)
    for (const others of [undefined, 0, 1])
      for (const foreground of ['root', 'other', 'unseen'] as const)
        for (const reading of ['yes', 'no', 'unseen'] as const)
          for (const one of RECORDS) for (const own of [true, false]) yield { range, others, foreground, reading, record: one, own };
}

type Event = { input: ShellRecord | undefined } | { look: Observation };

/** The answers to `events`, the last one first. */
function run(events: readonly Event[]) {
  const state = new ActivityState();
  return events.map((event) => ('look' in event ? state.observe(event.look) : (state.input(event.input), undefined))).filter((answer) => answer !== undefined).reverse();
}

describe('the activity of a terminal', () => {
  it('is idle at a first prompt with nobody else, and busy for any other sign of life', () => {
    const after = (change: Partial<Observation>) => run([{ look: { ...AT_PROMPT, ...change } }])[0]?.state;
    expect(after({})).toBe('idle');
    expect(after({ others: 1 })).toBe('busy');
    expect(after({ foreground: 'other' })).toBe('busy');
    expect(after({ record: record('command', 1) })).toBe('busy');
    expect(after({ reading: 'no' })).toBe('unknown');
    expect(after({ reading: 'unseen' })).toBe('idle');
    expect(after({ record: undefined })).toBe('unknown');
    expect(after({ record: record('trapped', 1) })).toBe('unknown');
    expect(after({ record: record('lost', 1) })).toBe('unknown');
    expect(after({ own: false })).toBe('unknown');
    expect(after({ own: false, record: record('command', 1) })).toBe('unknown');
    expect(after({ others: undefined })).toBe('unknown');
    expect(after({ foreground: 'unseen' })).toBe('unknown');
    expect(after({ range: 'rootless' })).toBe('idle');
    expect(after({ range: 'rootless', others: 1 })).toBe('busy');
    expect(after({ range: 'empty', others: undefined })).toBe('idle');
  });

  it('is not idle after input, until a prompt that comes after it', () => {
    const [later, same, before] = run([{ look: AT_PROMPT }, { input: AT_PROMPT.record }, { look: AT_PROMPT }, { look: { ...AT_PROMPT, record: record('prompt', 2) } }]);
    expect([before?.state, same?.state, later?.state]).toEqual(['idle', 'unknown', 'idle']);
  });

  it('takes input whose record could not be read for input after all that was seen', () => {
    expect(run([{ look: AT_PROMPT }, { input: undefined }, { look: AT_PROMPT }])[0]?.state).toBe('unknown');
  });

  it('stays idle when a shell that was seen waiting wakes up for a moment, and only at that prompt', () => {
    const awake = { ...AT_PROMPT, reading: 'no' } as const;
    expect(run([{ look: AT_PROMPT }, { look: awake }])[0]).toEqual({ state: 'idle', revision: 1 });
    expect(run([{ look: AT_PROMPT }, { look: { ...awake, record: record('prompt', 2) } }])[0]?.state).toBe('unknown');
  });

  it('has a revision that starts at 1 and counts changes of state or evidence, not looks', () => {
    const second = { ...AT_PROMPT, record: record('prompt', 2) };
    const answers = run([{ look: AT_PROMPT }, { look: AT_PROMPT }, { input: AT_PROMPT.record }, { input: AT_PROMPT.record }, { look: AT_PROMPT }, { look: second }, { look: second }]);
    expect(answers.reverse().map((one) => one.revision)).toEqual([1, 1, 2, 3, 3]);
  });

  it('is idle in a live range only on complete and fresh evidence, after every pair of looks with and without input between', () => {
    const all = [...looks()];
    // What a first look leaves behind are its record and whether the shell was seen waiting: looks that see less leave less.
    const firsts = all.filter((look) => look.range === 'live' && look.others !== undefined && look.foreground !== 'unseen');
    let idle = 0;
    for (const first of firsts) {
      for (const look of all) {
        for (const input of [false, true]) {
          const events: Event[] = input ? [{ look: first }, { input: first.record }, { look }] : [{ look: first }, { look }];
          const [last, before] = run(events);
          if (last === undefined || before === undefined) throw new Error('two looks give two answers');
          if (last.revision !== before.revision && last.revision !== before.revision + 1) throw new Error('a revision is counted by one');
          if (last.state !== before.state && last.revision === before.revision) throw new Error('a new state is a new revision');
          if (!input && look === first && last.revision !== before.revision) throw new Error('the same look is the same revision');
          if (look.range !== 'live' || last.state !== 'idle') continue;
          idle++;
          const stale = input && (look.record?.prompt ?? 0) <= (first.record?.prompt ?? 0);
          const settled = look.reading !== 'no' || (!stale && first.record?.kind === 'prompt' && first.record.prompt === look.record?.prompt);
          const sound = look.others === 0 && look.foreground === 'root' && look.own && look.record?.kind === 'prompt' && !stale && settled;
          if (!sound) throw new Error(`idle without evidence: ${JSON.stringify({ first, input, look })}`);
        }
      }
    }
    expect(idle).toBeGreaterThan(1000);
  });
});
