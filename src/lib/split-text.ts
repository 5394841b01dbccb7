/**
 * Yields the non-empty parts of a text between separators, one at a time, so that a long text is never split into many
 * parts in memory.
 */
export function* splitAt(text: string, separator: string): Generator<string, void, undefined> {
  let start = 0
  for (let end = text.indexOf(separator); end >= 0; end = text.indexOf(separator, start)) {
    if (end > start) yield text.slice(start, end)
    start = end + separator.length
  }
  yield text.slice(start)
}

/** Returns the text before the first separator, or the whole text if there is none. */
export function textBefore(text: string, separator: string): string {
  const end = text.indexOf(separator)
  return end < 0 ? text : text.slice(0, end)
}

/** Removes the spaces at both ends. A regular expression for those at the end would restart at each space. */
export function trimSpaces(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && text.charCodeAt(start) === SPACE) start++
  while (end > start && text.charCodeAt(end - 1) === SPACE) end--
  return text.slice(start, end)
}

const SPACE = 32
