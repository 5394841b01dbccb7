/** Short names that ICU knows and the time zone database does not. */
const NOT_IN_DATABASE = new Set('ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST'.split(' '))

/** Characters; the longest name in the database has 32. */
export const LONGEST_ZONE = 255

/** Whether the time zone database has the name. Capitals matter, as they do in names of files, which these are. */
export function isTimeZone(name: string): boolean {
  if (name === '' || name === 'UTC') return true
  if (name.length > LONGEST_ZONE) return false
  if (NOT_IN_DATABASE.has(name) || name.startsWith('SystemV/') || !name.split('/').every(part => /^[A-Z]/.test(part))) return false
  try {
    const canonical = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
    // Intl accepts any capitals. A canonical name that differs in them alone shows that they are wrong; that of an alias differs in more.
    return canonical === name || canonical.toLowerCase() !== name.toLowerCase()
  } catch {
    return false
  }
}
