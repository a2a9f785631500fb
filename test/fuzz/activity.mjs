// node activity.mjs <dist> <seconds> [seed]: records of shells and looks at terminals of any content, against what may be said of
// them. "idle" is only said on positive evidence. Prints the executions as libFuzzer does.
import assert from 'node:assert/strict';
import { Random } from '../soak/random.mjs';

const [dist, seconds, seed = String(Date.now() % 1e9)] = process.argv.slice(2);
const { parseRecord, RECORD_BYTES } = await import(`${dist}/runtime/terminal/activity/record.js`);
const { ActivityState } = await import(`${dist}/runtime/terminal/activity/state.js`);
const KINDS = ['prompt', 'trapped', 'command', 'lost'];
const text = ({ kind, pid, prompt }) => `${kind.padEnd(8)}${String(pid).padStart(10, '0')}${String(prompt).padStart(10, '0')}\n`;

/** What is parsed is what was written, and of anything else nothing: the form has one text for each record. */
function records(random) {
  const record = { kind: random.one(KINDS), pid: random.below(1e10), prompt: random.below(1e10) };
  let bytes = text(record);
  assert.deepEqual(parseRecord(bytes), record);
  for (let changes = 1 + random.below(3); changes > 0; changes--) {
    const at = random.below(bytes.length + 1);
    const with_ = random.one(['', String.fromCharCode(random.below(300)), text(record).slice(random.below(RECORD_BYTES)), '0', ' ', '\n']);
    bytes = bytes.slice(0, at) + with_ + bytes.slice(at + random.below(3));
  }
  const parsed = parseRecord(bytes);
  if (parsed !== undefined) assert.equal(text(parsed), bytes);
}

function looks(random) {
  const state = new ActivityState();
  let prompt = 0, newestInput = 0, seen = 0, revision = 0;
  let before;
  for (let step = 0; step < 30; step++) {
    if (random.below(3) === 0) prompt += random.below(3);
    const record = random.below(4) === 0 ? undefined : { kind: random.one(KINDS), pid: 5, prompt };
    if (random.below(4) === 0) {
      state.input(record);
      newestInput = seen = Math.max(seen, record?.prompt ?? 0);
      continue;
    }
    const look = {
      range: random.one(['live', 'live', 'live', 'rootless', 'empty']), others: random.one([undefined, 0, 0, 0, 1]), foreground: random.one(['root', 'root', 'other', 'unseen']),
      reading: random.one(['yes', 'no', 'unseen']), record, own: random.below(4) !== 0,
    };
    seen = Math.max(seen, record?.prompt ?? 0);
    const said = state.observe(look);
    assert.ok(said.revision >= revision, 'a revision never shrinks');
    if (before !== undefined && before !== said.state) assert.ok(said.revision > revision, 'another state is another revision');
    ({ revision } = said);
    before = said.state;
    if (said.state !== 'idle' || look.range === 'empty') continue;
    assert.equal(look.others, 0, 'idle, with members or without knowing them');
    if (look.range === 'rootless') continue;
    assert.deepEqual([look.foreground, look.own, look.record?.kind], ['root', true, 'prompt'], 'idle without its evidence');
    assert.ok(look.record.prompt > newestInput, 'idle at a prompt that has had its input');
  }
}

const end = performance.now() + Number(seconds) * 1000;
let executions = 0;
for (; performance.now() < end; executions++) {
  const one = (Number(seed) + executions) >>> 0;
  try {
    (executions % 2 === 0 ? records : looks)(new Random(one));
  } catch (error) {
    console.error(`execution ${executions} of seed ${seed}: ${error.stack}`);
    process.exitCode = 1;
    break;
  }
}
console.error(`stat::number_of_executed_units: ${executions}`);
