// The main thread and two workers at once.
import { once } from 'node:events';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import * as holdfast from 'holdfast';
import { work } from './work.mjs';

if (!isMainThread) {
  parentPort.postMessage(await work(holdfast));
} else {
  const inWorker = async () => {
    const worker = new Worker(new URL(import.meta.url));
    const [[answer]] = await Promise.all([once(worker, 'message'), once(worker, 'exit')]);
    return answer;
  };
  const answers = await Promise.all([work(holdfast), inWorker(), inWorker()]);
  console.log(JSON.stringify(answers.map((answer) => JSON.parse(answer)).reduce((all, one) => ({ ...one, failed: { ...all.failed, ...one.failed } }))));
}
