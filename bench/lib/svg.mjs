const ROW = 30;
const LEFT = 240;
const WIDTH = 800;
const BAR = WIDTH - LEFT - 150;

/**
 * Draws panels of horizontal bars. `panels`: `{ title, unit, better: 'less' | 'more', log?, bars: [{ label, value, low?, high?, ours? }] }`;
 * `low` and `high` are drawn as a whisker. Colours follow the reader's light or dark scheme.
 */
export function draw(title, panels, footer) {
  let y = 56;
  const parts = [];
  for (const panel of panels) {
    parts.push(text(20, y, `${panel.title} (${panel.unit}, ${panel.better} is better${panel.log ? ', logarithmic' : ''})`, 'class="panel"'));
    y += 14;
    const place = scale(panel);
    for (const bar of panel.bars) {
      parts.push(drawBar(bar, y, place, panel.unit));
      y += ROW;
    }
    y += 26;
  }
  parts.push(...footer.map((line, i) => text(20, y + i * 16, line, 'class="small"')));
  const height = y + footer.length * 16 + 8;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
<title>${escape(title)}</title>
<style>
text{font:13px system-ui,sans-serif;fill:#1f2328}.head{font-size:17px;font-weight:600}.panel{font-weight:600}.small{font-size:11px;fill:#59636e}
.bar{fill:#b8c0c8}.ours{fill:#0a7c66}.whisker{stroke:#1f2328;stroke-width:1.2}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.small{fill:#9198a1}.bar{fill:#4a525b}.ours{fill:#2bb597}.whisker{stroke:#e6edf3}}
</style>
${text(20, 28, title, 'class="head"')}
${parts.join('\n')}
</svg>
`;
}

function drawBar(bar, y, place, unit) {
  const end = place(bar.value);
  const middle = y + ROW / 2;
  const whisker = bar.low === undefined ? '' : `<path class="whisker" d="M${place(bar.low)} ${middle}H${place(bar.high)}M${place(bar.low)} ${middle - 4}v8M${place(bar.high)} ${middle - 4}v8"/>`;
  const labelAt = Math.max(end, bar.high === undefined ? 0 : place(bar.high)) + 8;
  return `${text(LEFT - 8, middle + 4, bar.label, 'text-anchor="end"')}
<rect class="${bar.ours ? 'ours' : 'bar'}" x="${LEFT}" y="${y + 5}" width="${fixed(Math.max(0, end - LEFT))}" height="${ROW - 10}" rx="2"/>${whisker}
${text(labelAt, middle + 4, `${bar.value} ${unit}`)}`;
}

function scale({ bars, log }) {
  const all = bars.flatMap((bar) => [bar.value, bar.high ?? bar.value]);
  const most = Math.max(...all);
  // A difference may come out below nothing.
  if (!log) return (value) => fixed(LEFT + (Math.max(0, value) / Math.max(most, Number.MIN_VALUE)) * BAR);
  const least = Math.min(...bars.map((bar) => bar.low ?? bar.value)) / 2;
  return (value) => fixed(LEFT + (Math.log(value / least) / Math.log(most / least)) * BAR);
}

const fixed = (value) => Number(value.toFixed(1));
const escape = (value) => String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function text(x, y, content, attributes = '') {
  return `<text x="${x}" y="${y}" ${attributes}>${escape(content)}</text>`;
}
