/** Short names that ICU knows but the time zone database does not. */
const NOT_IN_DATABASE = new Set(
  'ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST'.split(' '),
)

/** Limit in characters. The longest name in the database has 32. */
export const LONGEST_ZONE = 255

/** Reports whether the time zone database has the name. It is case-sensitive, because names are those of files. */
export function isTimeZone(name: string): boolean {
  if (name === '' || name === 'UTC') return true
  if (name.length > LONGEST_ZONE) return false
  if (NOT_IN_DATABASE.has(name) || name.startsWith('SystemV/') || !name.split('/').every(part => /^[A-Z]/.test(part))) return false
  try {
    const canonical = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
    // Intl ignores case. If the canonical name differs only in case, the case is wrong. The canonical name of an alias
    // differs in more.
    return canonical === name || canonical.toLowerCase() !== name.toLowerCase()
  } catch {
    return false
  }
}

/** Formats of the offset of zones that were used. Their number is bounded by the database. */
const formats = new Map<string, Intl.DateTimeFormat>()

function offsetFormat(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    formats.set(zone, format)
  }
  return format
}

/** Returns the seconds by which local time in a zone is ahead of UTC. @param seconds since the epoch. */
export function zoneOffset(zone: string, seconds: number): number {
  if (zone === 'UTC' || zone === '') return 0
  const [, sign, hours, minutes, rest = '0'] = /GMT([+-])(\d+):(\d+)(?::(\d+))?$/.exec(offsetFormat(zone).format(seconds * 1000)) ?? []
  if (sign === undefined) return 0
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(rest))
}

/**
 * Returns the instant at which clocks of a zone show a time, in seconds since the epoch. Corresponds to Go's time.Date:
 * of a time that clocks show twice or never, one of the two offsets is used.
 * @param local the time as if it were UTC, in seconds since the epoch.
 */
export function instantOf(zone: string, local: number): number {
  const offset = zoneOffset(zone, local)
  return offset === 0 ? local : local - zoneOffset(zone, local - offset)
}
