/** What terminals obey instead of showing it: control characters, and those that turn the direction of writing. */
const OBEYED = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

const escapeOf = (char: string): string => {
  const code = char.charCodeAt(0)
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`
}

/** A text of a file, a server or a log for a terminal, on the line where it is put: names of objects and of users are whatever somebody has made of them. */
export const onOneLine = (text: string): string => text.replace(OBEYED, char => (char === '\n' ? '\\n' : escapeOf(char)))

/** The same of several lines, with their line ends and tabs. */
export const printable = (text: string): string => text.replace(OBEYED, char => (char === '\n' || char === '\t' ? char : escapeOf(char)))
