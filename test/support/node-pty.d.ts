// The optional dependency node-pty is @lydell/node-pty under that name, and its types only know their own.
/// <reference types="node-pty" />
declare module 'node-pty' {
  export * from '@lydell/node-pty';
}
