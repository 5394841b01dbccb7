/** The bytes in one buffer: of one part the part itself, which is not copied. */
export function joinBuffers(parts: readonly Buffer[]): Buffer {
  const [only] = parts
  return only !== undefined && parts.length === 1 ? only : Buffer.concat(parts)
}
