/** UTF-16 units of a chunk. It fits in the processor's cache and takes little time to process. */
const CHUNK = 16 * 1024

/** Whether a text is long enough to be processed in chunks. */
export const isLongText = (text: string): boolean => text.length > CHUNK

/** Yields a text in chunks, none of which ends within a surrogate pair. */
export function* textChunks(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    let to = from + CHUNK
    const last = text.charCodeAt(to - 1)
    if (last >= 0xd800 && last < 0xdc00) to++
    yield text.slice(from, to)
    from = to
  }
}
