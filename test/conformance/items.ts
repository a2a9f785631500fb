/**
 * The numbered items of the seam's conformance list, as far as they hold for the runtime alone: lookup to disposal (14 to
 * 194) and the control channel (204 to 217). A test says in its name, in parentheses, which items it proves.
 */
export const ITEMS: readonly number[] = [...span(14, 194), ...span(204, 217)];

/** Items that no test here can carry, each with the reason. */
export const ELSEWHERE: Readonly<Record<number, string>> = {
  30: 'Windows: PATHEXT',
  31: 'Windows: PATH and PATHEXT in any case',
  49: 'adapters: proxy variables come from the harness',
  50: 'Windows: names of variables in any case',
  78: 'Windows: console windows',
  121: 'adapters: members of collectors that only importers of another package path see',
};

function span(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}
