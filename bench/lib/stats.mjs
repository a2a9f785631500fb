/** Value below which the share `q` (0 to 1) of the numbers lies; between two of them it is interpolated. */
export function quantile(numbers, q) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const low = sorted[Math.floor(at)];
  return low + (sorted[Math.ceil(at)] - low) * (at - Math.floor(at));
}

export const median = (numbers) => quantile(numbers, 0.5);

/** What is written down of a series: count, median, p99, range. */
export function summary(numbers) {
  return { n: numbers.length, p50: round(median(numbers)), p99: round(quantile(numbers, 0.99)), min: round(Math.min(...numbers)), max: round(Math.max(...numbers)) };
}

/**
 * Median of the ratios of pairs (`estimate`), with the 95 % interval of that median by bootstrap (5000 resamples of the pairs). A pair
 * was measured one right after the other, so that what the machine did meanwhile hits both.
 */
export function ratio(numerators, denominators) {
  return interval(numerators.map((one, i) => one / denominators[i]));
}

/** Geometric mean: what ratios have in common. */
export const geometricMean = (numbers) => Math.exp(numbers.reduce((sum, one) => sum + Math.log(one), 0) / numbers.length);

/** The same for several cells that were measured in the same rounds: of each round the geometric mean of its ratios. */
export function meanRatio(cells) {
  return interval(cells[0][0].map((_, round) => geometricMean(cells.map(([numerators, denominators]) => numerators[round] / denominators[round]))));
}

/** Quantile `q` of the numbers, with its 95 % interval by bootstrap. */
export function interval(numbers, q = 0.5) {
  const random = generator(42); // the same data give the same interval
  const resample = () => numbers.map(() => numbers[Math.floor(random() * numbers.length)]);
  const times = numbers.length > 100 ? 1000 : 5000;
  const found = Array.from({ length: times }, () => quantile(resample(), q));
  return { estimate: round(quantile(numbers, q)), low: round(quantile(found, 0.025)), high: round(quantile(found, 0.975)), n: numbers.length };
}

/** Four significant digits: more is noise. */
export function round(value) {
  return Number(value.toPrecision(4));
}

/** mulberry32 */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
