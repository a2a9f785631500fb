/** The answers to one question. */
export interface Question {
  readonly text: string;
  readonly unit: string;
  readonly better: 'more' | 'less';
  readonly values: Readonly<Record<string, number>>;
}

const NAME = 16;
const VALUE = 12;

/** A bar for each answer, the longest `width` characters wide with its name and value; lines with their ends. */
export function drawBars({ text, unit, better, values }: Question, width: number, paint: (bar: string) => string): string {
  const longest = Math.max(...Object.values(values));
  const room = Math.max(10, width - NAME - VALUE - 3);
  const best = (better === 'more' ? Math.max : Math.min)(...Object.values(values));
  const lines = Object.entries(values).map(([name, value]) => {
    const bar = '█'.repeat(longest > 0 ? Math.max(1, Math.round((value / longest) * room)) : 0);
    return `  ${name.padEnd(NAME)}${value === best ? paint(bar) : bar} ${Number(value.toPrecision(3))} ${unit}`;
  });
  return `${text} (${better} is better)\n${lines.join('\n')}\n`;
}
