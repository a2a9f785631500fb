// Looks at release binaries without running them. A fault is a line of text; how to look at a format is in its own file.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { elfFaults, wardenFaults } from './audit/elf-faults.mjs';
import { machoFaults } from './audit/macho-faults.mjs';
import { peFaults, peProgramFaults } from './audit/pe-faults.mjs';
import { fileName, targetFiles, targetName } from './targets.mjs';
import { root } from './tools.mjs';

/** How an addon of each format must be: from its bytes, its target and the warden beside it to a list of faults. */
const FORMATS = { elf: elfFaults, macho: machoFaults, pe: peFaults };

/** The tarball is promised to be small; one binary that doubles would not be seen otherwise. */
const LARGEST = 1_000_000;

/** Faults of the files of `targets` below `folder`. */
export function auditFiles(folder, targets) {
  const faults = targets.flatMap((target) => auditTarget(folder, target));
  return [...new Set(faults)];
}

function auditTarget(folder, target) {
  const missing = targetFiles(target).filter((name) => !existsSync(join(folder, name)));
  if (missing.length > 0) return missing.map((name) => `${name}: not there`);
  const faults = [];
  let warden;
  if (target.warden) {
    const name = `${target.tuple}/holdfast-warden`;
    const mode = statSync(join(folder, name)).mode & 0o777;
    warden = readFileSync(join(folder, name));
    if (mode !== 0o755) faults.push(`${name}: mode ${mode.toString(8)}, not 755`);
    faults.push(...check(name, () => [...commonFaults(warden), ...wardenFaults(warden, target)]));
  }
  if (target.interrupt) {
    const name = `${target.tuple}/holdfast-interrupt.exe`;
    const program = readFileSync(join(folder, name));
    faults.push(...check(name, () => [...commonFaults(program), ...peProgramFaults(program, target)]));
  }
  const name = `${target.tuple}/${fileName(target)}`;
  const addon = readFileSync(join(folder, name));
  faults.push(...check(name, () => [...commonFaults(addon), ...FORMATS[target.format](addon, target)]));
  if (warden && !addon.includes(warden)) faults.push(`${name}: embeds another warden than the file beside it`);
  return faults;

  function check(file, look) {
    try {
      return look().map((fault) => `${file}: ${fault}`);
    } catch (error) {
      return [`${file}: cannot be read as a file of ${targetName(target)}: ${error.message}`];
    }
  }
}

/** Faults of a file of any format. */
function commonFaults(bytes) {
  const faults = bytes.length > LARGEST ? [`has ${bytes.length} bytes, more than ${LARGEST}`] : [];
  for (const path of [root, homedir()]) {
    if (path.length > 1 && bytes.includes(`${path}/`)) faults.push(`contains a path of the building machine (${path})`);
  }
  return faults;
}
