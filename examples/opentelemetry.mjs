// A span for each command, from its spawn to the moment when nothing of it is left. In a service, give your own tracer.
import { subscribe } from 'node:diagnostics_channel';

/** @param tracer from `trace.getTracer('holdfast')` of @opentelemetry/api */
export function traceCommands(tracer) {
  const spans = new Map();
  const on = (name, tell) => subscribe(`holdfast:${name}`, (event) => {
    const span = spans.get(event.id);
    if (span !== undefined) tell(span, event);
  });
  subscribe('holdfast:spawn', ({ id, cwd }) => spans.set(id, tracer.startSpan('command', { attributes: { 'process.working_directory': cwd } })));
  on('owner', (span, { pid, owner }) => span.setAttributes({ 'process.pid': pid, 'holdfast.owner': owner }));
  on('terminate', (span) => span.addEvent('terminate'));
  on('exit', (span, { outcome, error }) => {
    if (error !== undefined) span.setStatus({ code: 2, message: error.code });
    else if (outcome.exitCode === null) span.setStatus({ code: 2, message: outcome.signal ?? 'signal' });
    else span.setAttribute('process.exit.code', outcome.exitCode);
  });
  on('drain', (span, { drain, streams }) => {
    span.addEvent('drain', { drain, 'stdout.bytes': streams.stdout?.bytes ?? 0, 'stderr.bytes': streams.stderr?.bytes ?? 0 });
  });
  on('empty', (span, { proof, strays }) => {
    span.setAttributes({ 'holdfast.proof': proof, 'holdfast.strays': strays });
    span.end();
  });
  on('empty', (span, { id }) => spans.delete(id));
}
