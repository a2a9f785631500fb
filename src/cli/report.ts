import type { SubprocessReport } from '../index.js';
import { formatBytes, formatRate, formatTime } from './units.js';

/** Everything that is known when a run is over. */
export interface RunSummary {
  readonly command: readonly string[];
  /** Exit code of holdfast itself. */
  readonly exitCode: number;
  /** Why the run ended. */
  readonly cause: 'exit' | 'timeout' | 'interrupt' | 'error';
  /** Exit facts of the command, null when there are none. */
  readonly outcome: { readonly exitCode: number | null; readonly signal: string | null } | null;
  readonly elapsedMs: number;
  /** Bytes of output that holdfast took from the command. */
  readonly output: { readonly stdout: number; readonly stderr: number };
  /** What the runtime reports, undefined when no handle was made. */
  readonly report: SubprocessReport | undefined;
  readonly warnings: readonly string[];
  readonly error: { readonly message: string; readonly code: string | undefined } | undefined;
}

/** The summary as one line of JSON, without an end of line. */
export function jsonReport(summary: RunSummary): string {
  return JSON.stringify({ holdfast: 1, ...summary });
}

/** The summary for people, lines with their ends. */
export function humanReport(summary: RunSummary): string {
  const { report } = summary;
  const lines = [...summary.warnings.map((warning) => `warning: ${warning}`)];
  if (summary.error !== undefined) lines.push(summary.error.message);
  if (report === undefined || report.pid === null) return frame(lines);
  lines.push(`${ending(summary)} after ${formatTime(summary.elapsedMs)} · pid ${report.pid} · owner ${report.owner ?? 'unknown'} · ${proof(report)}`);
  lines.push(streamLine('stdout', summary));
  lines.push(streamLine('stderr', summary));
  if (report.drain === 'deadline') lines.push('  drain   a process still held the output open when the wait for it was over');
  if (report.usage !== undefined) {
    const { userCpuMs, systemCpuMs, maxRssBytes } = report.usage;
    const memory = maxRssBytes === undefined ? '' : `, ${formatBytes(maxRssBytes)} of memory at most`;
    lines.push(`  usage   ${formatTime(userCpuMs)} user + ${formatTime(systemCpuMs)} system${memory}`);
  }
  if (report.limits !== undefined) lines.push(limitsLine(report.limits));
  lines.push(...memberLines('ended  ', report.strays), ...memberLines('escaped', report.escaped));
  return frame(lines);
}

/** The summary of a quiet run: only what was the fault of holdfast or of its options. */
export function quietReport(summary: RunSummary): string {
  return frame(summary.error === undefined ? [] : [summary.error.message]);
}

function frame(lines: readonly string[]): string {
  return lines.map((line) => (line.startsWith(' ') ? `${line}\n` : `holdfast: ${line}\n`)).join('');
}

function ending(summary: RunSummary): string {
  const { outcome } = summary;
  const facts =
    outcome === null ? 'ended' : outcome.exitCode !== null ? `exit code ${outcome.exitCode}` : `ended by ${outcome.signal ?? 'a signal without a name'}`;
  if (summary.cause === 'timeout') return `timeout, ${facts}`;
  return summary.cause === 'interrupt' ? `interrupted, ${facts}` : facts;
}

function proof(report: SubprocessReport): string {
  if (report.proof === 'proven') return 'nothing left, proven';
  return report.proof === 'observed' ? 'nothing left as far as can be observed' : 'not known to be over';
}

function streamLine(name: 'stdout' | 'stderr', summary: RunSummary): string {
  const bytes = summary.output[name];
  const stream = summary.report?.streams[name];
  const parts = [formatBytes(bytes)];
  if (bytes > 0 && summary.elapsedMs > 0) parts[0] += ` (${formatRate(bytes / (summary.elapsedMs / 1000))})`;
  if (stream !== undefined) {
    if (stream.retained < stream.bytes) parts.push(`last ${formatBytes(stream.retained)} kept`);
    if (stream.spillPath !== undefined) parts.push(`all of it in ${stream.spillPath}`);
    else if (stream.spill === 'discarded') parts.push('more than --spill allows, so the file was removed');
    else if (stream.spill === 'failed') parts.push(`no file: ${stream.spillError?.code ?? 'it could not be written'}`);
  }
  return `  ${name}  ${parts.join(', ')}`;
}

function limitsLine({ oomKills, peakBytes }: NonNullable<SubprocessReport['limits']>): string {
  const peak = peakBytes === undefined ? [] : [`${formatBytes(peakBytes)} of memory at one time at most`];
  const kills = oomKills === 0 ? 'nobody was ended for want of memory' : `${oomKills} ended by the kernel, which had no more memory for them`;
  return `  limits  ${[...peak, kills].join(', ')}`;
}

interface Members {
  readonly count: number;
  readonly listed: readonly { readonly pid: number; readonly argv0: string; readonly endedBy: 'TERM' | 'KILL' | null }[];
}

function memberLines(label: string, members: Members): string[] {
  if (members.count === 0) return [];
  const shown = members.listed.slice(0, 8).map(({ pid, argv0, endedBy }) => `${pid} ${argv0}${endedBy === null ? '' : ` (${endedBy})`}`);
  const more = members.count - shown.length;
  return [`  ${label} ${members.count} more than the command: ${shown.join(', ')}${more > 0 ? ` and ${more} others` : ''}`];
}
