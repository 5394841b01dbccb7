/**
 * Removes all occurrences of a character at the end of a text. Takes linear time: a regular expression such as `/x+$/`
 * restarts at each `x` of a text with another ending.
 */
export function trimEndOf(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}

/** Removes all occurrences of a character at both ends of a text. */
export function trimBoth(text: string, character: string): string {
  const trimmed = trimEndOf(text, character)
  let start = 0
  while (trimmed[start] === character) start++
  return trimmed.slice(start)
}
