/** The part of WebAssembly that this project uses; Node's types lack it. */
declare namespace WebAssembly {
  class Memory {
    /** Sizes in pages of 64 kB. */
    constructor(descriptor: { readonly initial: number; readonly maximum: number; readonly shared: boolean });
    readonly buffer: ArrayBuffer | SharedArrayBuffer;
  }
}
