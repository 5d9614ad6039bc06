const slices = 32;

/** A sample of a text: slices from all over it, of `size` bytes each, or all of it if it is no longer than those. */
export function slicesOf(text: Buffer, size: number): Buffer {
  if (text.length <= slices * size) return text;
  const stride = Math.floor(text.length / slices);
  return Buffer.concat(
    Array.from({ length: slices }, (_, index) => text.subarray(index * stride, index * stride + size)),
  );
}
