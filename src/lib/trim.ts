/**
 * The text without a character at its end, however often it stands there. Takes linear time: a regular expression such as `/x+$/` begins anew at each `x` of a text that ends otherwise.
 */
export function trimEndOf(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}

/** The text without a character at both ends. */
export function trimBoth(text: string, character: string): string {
  const trimmed = trimEndOf(text, character)
  let start = 0
  while (trimmed[start] === character) start++
  return trimmed.slice(start)
}
