import { LocalSubprocessRuntime, type SubprocessDiagnosis } from '../index.js';
import { remedyFor } from './remedies.js';
import { flushed } from './sink.js';
import { formatBytes } from './units.js';

/** Everything works, though perhaps not with the strongest owner. */
const EXIT_PROVES = 0;
/** Only an owner that proves nothing can be used. */
const EXIT_ONLY_OBSERVES = 1;

/** Shows what this host can do; resolves with the exit code. */
export async function doctor(json: boolean): Promise<number> {
  const runtime = new LocalSubprocessRuntime();
  const diagnosis = await runtime.diagnose();
  await runtime.dispose();
  process.stdout.write(json ? `${JSON.stringify(diagnosis, null, 2)}\n` : diagnosisText(diagnosis));
  await flushed(process.stdout);
  return diagnosis.chosen === 'group' ? EXIT_ONLY_OBSERVES : EXIT_PROVES;
}

/** The diagnosis for people, lines with their ends. */
export function diagnosisText(diagnosis: SubprocessDiagnosis): string {
  return [
    `Commands are held by '${diagnosis.chosen}': ${diagnosis.chosen === 'group' ? 'their end is observed, not proven' : 'their end is proven'}.`,
    '',
    'Owners, strongest first',
    ...diagnosis.owners.filter(({ kind }) => kind !== 'job' || kind === diagnosis.chosen).flatMap((owner) => ownerLines(owner, diagnosis.chosen)),
    '',
    ...kernelLines(diagnosis),
    'Limits',
    ...Object.entries(diagnosis.limits).map(([name, value]) => `    ${(LIMITS[name]?.text ?? name).padEnd(34)} ${limitText(name, value)}`),
    '',
    'Files',
    `    binary  ${diagnosis.binary.path}${diagnosis.binary.libc === undefined ? '' : ` (${diagnosis.binary.libc})`}`,
    ...(diagnosis.chosen === 'job' ? [] : [`    warden  ${wardenText(diagnosis.warden)}`]),
    '',
  ].join('\n');
}

function ownerLines({ kind, available, reason }: SubprocessDiagnosis['owners'][number], chosen: string): string[] {
  const state = kind === chosen ? 'works, and is what auto takes' : available ? 'works' : 'cannot be used';
  const lines = [row(available, kind, state)];
  if (reason === undefined) return lines;
  lines.push(`        ${available ? 'auto passes it over: ' : ''}${reason}`);
  const remedy = available ? undefined : remedyFor(kind, reason);
  if (remedy !== undefined) lines.push(`        → ${remedy}`);
  return lines;
}

/** Nothing on macOS, where nothing depends on the version of the system. */
function kernelLines({ chosen, kernel }: SubprocessDiagnosis): string[] {
  const features = Object.entries(kernel).map(([name, present]) => row(present, FEATURES[name] ?? name, ''));
  return features.length === 0 ? [] : [chosen === 'job' ? 'Windows' : 'Kernel', ...features, ''];
}

function row(good: boolean, name: string, text: string): string {
  return `  ${good ? '+' : '-'} ${name.padEnd(text === '' ? 0 : 10)} ${text}`.trimEnd();
}

const FEATURES: Readonly<Record<string, string>> = {
  pidfd: 'pidfd: signals that cannot meet a stranger (Linux 5.3)',
  clone3: 'clone3: children are born in their cgroup (Linux 5.7; some seccomp filters hide it)',
  closeRange: 'close_range: descriptors are closed in one call (Linux 5.9)',
  cgroupKill: 'cgroup.kill: a whole range is ended in one write (Linux 5.14)',
  memfdExec: 'memfd exec: the warden can start without a file (vm.memfd_noexec)',
  hostInJob: 'this process lives in a Job itself; those of its commands are nested in it',
  children: 'children files in /proc: descendants are found without a search (CONFIG_PROC_CHILDREN)',
};

const LIMITS: Readonly<Record<string, { text: string; bytes?: true }>> = {
  descriptors: { text: 'open files of this process' },
  processes: { text: 'processes of this user' },
  pipeMaxBytes: { text: 'largest pipe', bytes: true },
  pipeUserPagesSoft: { text: 'pipe budget of this user (pages)' },
  ptys: { text: 'terminals of this machine' },
  ptysInUse: { text: 'terminals in use' },
  processors: { text: 'processors' },
};

function limitText(name: string, value: number): string {
  if (value === Number.POSITIVE_INFINITY) return 'no limit';
  return LIMITS[name]?.bytes === true ? formatBytes(value) : String(value);
}

function wardenText({ from, path }: SubprocessDiagnosis['warden']): string {
  if (from === 'none') {
    return process.platform === 'darwin' ? 'none on macOS yet: commands of a host that is killed live on' : 'cannot be started; commands are launched by the host itself';
  }
  if (path !== undefined) return from === 'override' ? `${path} (HOLDFAST_WARDEN)` : path;
  return from === 'memory' ? 'started from memory' : 'started from a copy in the temporary directory';
}
