export { default, LocalSubprocessRuntime } from 'holdfast/dsh';
