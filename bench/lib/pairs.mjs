/**
 * Runs the contenders in turn, `rounds` times, each round in the opposite order of the one before, and returns what each
 * gave. A first round is thrown away: it pays for files that are not yet in memory.
 */
export async function alternate(contenders, rounds, onRound = () => {}) {
  const names = Object.keys(contenders);
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    const order = round % 2 === 0 ? names : [...names].reverse();
    for (const name of order) {
      const value = await contenders[name]();
      if (round > 0) results[name].push(value);
    }
    if (round > 0) onRound(round, results);
  }
  return results;
}
