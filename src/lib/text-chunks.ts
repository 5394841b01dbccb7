/** UTF-16 units of a chunk: its bytes stay in the processor's cache, and to work on it takes no time. */
const CHUNK = 16 * 1024

/** Whether a text is so long that it is better worked on in chunks. */
export const isLongText = (text: string): boolean => text.length > CHUNK

/** A text in parts, none of which ends within a character. */
export function* textChunks(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    let to = from + CHUNK
    const last = text.charCodeAt(to - 1)
    if (last >= 0xd800 && last < 0xdc00) to++
    yield text.slice(from, to)
    from = to
  }
}
