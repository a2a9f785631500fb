// The same installed package in other runtimes. Bun and Deno can do what consumer.mjs says, no less and no more.
import { assertWork, CANNOT, installed } from '../consumer.mjs';
import { tool } from '../tools.mjs';

const runtime = (name, toolName, args, { important = false, expected = [], file = 'esm.mjs' } = {}) => ({
  name, seconds: 240, important,
  async run(context) {
    await installed(context);
    const program = toolName ? await tool(toolName, context) : process.execPath;
    const answer = assertWork((await context.call(program, [...args, file])).out, { expected, below: context.folder });
    return expected.length > 0 ? `${answer}; without ${expected.join(', ')}` : answer;
  },
});

export default [
  runtime(`Node ${process.versions.node}`, undefined, []),
  runtime('Node 22', 'node-22', []),
  runtime('Node 24', 'node-24', []),
  runtime('Node 26', 'node-26', [], { important: true }),
  runtime('Node 26, require', 'node-26', [], { file: 'commonjs.cjs' }),
  runtime('Bun', 'bun', [], { important: true, expected: CANNOT.bun }),
  runtime('Deno', 'deno', ['run', '--allow-all'], { important: true }),
];
