const DELIMITERS = [':', ': ', '=', ' ']

/** Returns a delimiter of names and values. It is chosen at random for each page, so that no program parses it. */
export const randomDelimiter = (): string => DELIMITERS[Math.floor(Math.random() * DELIMITERS.length)] ?? ':'

/** Returns the first lines of a page. */
export const textHeader = (component: string, title: string): string =>
  `\n${component} ${title}\nWarning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.\n`
