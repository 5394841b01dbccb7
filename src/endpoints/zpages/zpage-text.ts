/** Delimiters of names and values. A page chooses one at random, so that no program parses it. */
export const DELIMITERS: readonly string[] = [':', ': ', '=', ' ']

/** Returns the first lines of a page. */
export const textHeader = (component: string, title: string): string =>
  `\n${component} ${title}\nWarning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.\n`

/** Escapes text like Go's html.EscapeString. */
export const htmlEscape = (text: string): string => text.replace(/[&<>"']/g, character => ESCAPES[character] ?? character)

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' }
