import { describe, expect, it } from 'vitest';
import { diagnosisText } from '../../src/cli/doctor.ts';
import { remedyFor } from '../../src/cli/remedies.ts';

const diagnosis = {
  owners: [
    { kind: 'cgroup', available: false, reason: '/sys/fs/cgroup is mounted read-only', proof: 'proven' },
    { kind: 'scope', available: true, reason: 'this process does not live under the manager', proof: 'proven' },
    { kind: 'subreaper', available: true, proof: 'proven' },
    { kind: 'job', available: false, reason: 'it exists on Windows only', proof: 'proven' },
    { kind: 'group', available: true, proof: 'observed' },
  ],
  chosen: 'subreaper',
  binary: { path: '/lib/holdfast.node', napi: 8, libc: 'glibc' },
  warden: { from: 'memory' },
  kernel: { pidfd: true, cgroupKill: false, unheard: true },
  limits: { descriptors: 1024, processes: Number.POSITIVE_INFINITY, pipeMaxBytes: 1_048_576 },
} as const;

describe('the text of a diagnosis', () => {
  const text = diagnosisText(diagnosis);

  it('begins with what holds a command and what that means', () => {
    expect(text).toMatch(/^Commands are held by 'subreaper': their end is proven\.\n/);
    expect(diagnosisText({ ...diagnosis, chosen: 'group' })).toMatch(/^Commands are held by 'group': their end is observed, not proven\.\n/);
  });

  it('says for each owner whether it works, why not, and what helps', () => {
    expect(text).toMatch(/ {2}- cgroup {5}cannot be used\n {8}\/sys\/fs\/cgroup is mounted read-only\n {8}→ Mount the cgroup file system writable/);
    expect(text).toMatch(/ {2}\+ scope {6}works\n {8}auto passes it over: this process does not live under the manager\n {2}\+ subreaper/);
    expect(text).toMatch(/ {2}\+ subreaper {2}works, and is what auto takes\n/);
    expect(text).not.toContain('Windows');
  });

  it('lists the kernel, the limits and the files', () => {
    expect(text).toContain('+ pidfd: ');
    expect(text).toContain('- cgroup.kill: ');
    expect(text).toContain('+ unheard\n');
    expect(text).toMatch(/open files of this process +1024\n/);
    expect(text).toMatch(/processes of this user +no limit\n/);
    expect(text).toContain('binary  /lib/holdfast.node (glibc)');
    expect(text).toContain('warden  started from memory');
  });
});

describe('the text of a diagnosis on Windows', () => {
  const text = diagnosisText({
    ...diagnosis, owners: [{ kind: 'job', available: true, proof: 'proven' }], chosen: 'job', binary: { path: 'C:\\holdfast.node', napi: 8 },
    warden: { from: 'none' }, kernel: { hostInJob: false }, limits: { processors: 4 },
  });

  it('names the Job, and nothing that Windows has not', () => {
    expect(text).toMatch(/ {2}\+ job {8}works, and is what auto takes\n/);
    expect(text).toMatch(/\nWindows\n {2}- this process lives in a Job itself/);
    expect(text).toMatch(/processors +4\n/);
    expect(text).not.toMatch(/warden|Kernel|cgroup/);
  });
});

describe('remedies', () => {
  it.each([
    ['cgroup', 'mkdir in /sys/fs/cgroup: Permission denied', /delegated/],
    ['cgroup', 'no cgroup v2 file system is mounted', /unified_cgroup_hierarchy/],
    ['scope', 'there is no user bus, so no user manager of systemd', /enable-linger/],
    ['scope', 'org.freedesktop.systemd1 Subscribe was not answered within 1000 ms', /systemctl/],
    ['subreaper', 'no warden can be started (memfd: Permission denied)', /memfd_noexec/],
  ] as const)('%s: %s', (kind, reason, remedy) => {
    expect(remedyFor(kind, reason)).toMatch(remedy);
  });

  it('are not made up', () => {
    expect(remedyFor('cgroup', 'something new')).toBeUndefined();
  });
});
