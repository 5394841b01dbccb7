/** Quotes an argument for a POSIX shell if it has characters that a shell interprets. */
export const quoteForShell = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
