/** Characters that a terminal interprets: control characters, and those that change the writing direction. */
const OBEYED = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

const escapeOf = (char: string): string => {
  const code = char.charCodeAt(0)
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`
}

/** Escapes untrusted text for a single line of a terminal, such as names of objects and users, which clients choose. */
export const onOneLine = (text: string): string => text.replace(OBEYED, char => (char === '\n' ? '\\n' : escapeOf(char)))

/** Like `onOneLine`, but keeps line ends and tabs. */
export const printable = (text: string): string => text.replace(OBEYED, char => (char === '\n' || char === '\t' ? char : escapeOf(char)))
