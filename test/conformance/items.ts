/**
 * The numbered items of the seam's conformance list, as far as they hold for the runtime alone: lookup to disposal (14 to
 * 194), the control channel (204 to 217), and terminals (218 to 285). A test says in its name, in parentheses, which items it
 * proves.
 */
export const ITEMS: readonly number[] = [...span(14, 194), ...span(204, 217), ...span(218, 285), ...span(307, 311)];

/** Items that no test here can carry, each with the reason. */
export const ELSEWHERE: Readonly<Record<number, string>> = {
  30: 'Windows: PATHEXT',
  31: 'Windows: PATH and PATHEXT in any case',
  49: 'adapters: proxy variables come from the harness',
  50: 'Windows: names of variables in any case',
  78: 'Windows: console windows',
  121: 'adapters: members of collectors that only importers of another package path see',
};

/**
 * Items that a test of test/conformance/dsh has to carry at the beginning of its name: all of the list but those of
 * Windows and of terminals, which have their own.
 */
export const DSH_ITEMS: readonly number[] = [...span(1, 217), ...span(286, 292), 305, 306, ...span(312, 316)];

/** Items of {@link DSH_ITEMS} that no test on this platform can carry, each with the reason. */
export const NOT_HERE: Readonly<Record<number, string>> = {
  30: 'Windows: PATHEXT',
  31: 'Windows: PATH and PATHEXT in any case',
  50: 'Windows: names of variables in any case',
  78: 'Windows: console windows',
};

/**
 * Entries of the log of faults of other tools that concern starting, owning, collecting and terminals on Linux; B005 and B007 (the
 * host's end) are the matter of 14-host-exit. A test begins its name with the number.
 */
export const BUGS: readonly string[] = [
  'B001', 'B003', 'B009', 'B011', 'B013', 'B015', 'B017', 'B019', 'B021', 'B023', 'B025', 'B027', 'B030', 'B032', 'B034', 'B036', 'B038', 'B039',
  'B040', 'B042', 'B044', 'B045', 'B047', 'B049', 'B051', 'B053', 'B055', 'B056', 'B058', 'B060', 'B062', 'B064', 'B065', 'B067', 'B069', 'B071',
  'B073', 'B074', 'B076', 'B077', 'B079', 'B081', 'B083', 'B085', 'B087', 'B089', 'B093', 'B095',
];

function span(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}
