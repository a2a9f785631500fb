/** The package as users load it. The only file of the specification tests that knows where it lies. */
export * from '../../dist/index.js';
