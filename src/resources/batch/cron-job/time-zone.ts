/** Short names that ICU knows but the time zone database does not. */
const NOT_IN_DATABASE = new Set('ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST'.split(' '))

/** Limit in characters. The longest name in the database has 32. */
export const LONGEST_ZONE = 255

/** Reports whether the time zone database has the name. It is case-sensitive, because names are those of files. */
export function isTimeZone(name: string): boolean {
  if (name === '' || name === 'UTC') return true
  if (name.length > LONGEST_ZONE) return false
  if (NOT_IN_DATABASE.has(name) || name.startsWith('SystemV/') || !name.split('/').every(part => /^[A-Z]/.test(part))) return false
  try {
    const canonical = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
    // Intl ignores case. If the canonical name differs only in case, the case is wrong. The canonical name of an alias differs in more.
    return canonical === name || canonical.toLowerCase() !== name.toLowerCase()
  } catch {
    return false
  }
}
