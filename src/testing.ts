/**
 * `holdfast/testing`: for tests of programs that start commands. A leak fence that says what a test has left behind, and a
 * child program that behaves badly on purpose. Needs no test framework.
 */
export { dummyChild } from './testing/dummy.js';
export type { DummyBehaviour } from './testing/dummy.js';
export { leakFence } from './testing/fence.js';
export type { LeakFence, LeakFenceOptions } from './testing/fence.js';
