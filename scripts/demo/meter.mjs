import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

const RESOLUTION_MS = 5;
const SAMPLE_MS = 100;

/** Watches this process while something else works: memory, and how late its event loop was at worst. */
export function startMeter() {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const before = process.memoryUsage.rss();
  const loop = performance.eventLoopUtilization();
  const cpu = process.cpuUsage();
  const started = performance.now();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), SAMPLE_MS);
  delay.enable();
  const read = () => ({
    elapsedMs: performance.now() - started,
    rssBefore: before,
    rssMost: Math.max(most, process.memoryUsage.rss()),
    // The histogram holds the time between two ticks, so the tick itself has to be taken off.
    worstDelayMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS),
    loopBusy: performance.eventLoopUtilization(loop).utilization,
    cpuMs: (({ user, system }) => (user + system) / 1000)(process.cpuUsage(cpu)),
  });
  return {
    read,
    stop() {
      const result = read();
      clearInterval(timer);
      delay.disable();
      return result;
    },
  };
}
