const UNITS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, μs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
const WHOLE = /^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|\u03bcs|ms|s|m|h))+)$/
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|\u03bcs|ms|s|m|h)/g

/** Milliseconds of a duration as Go's time.ParseDuration reads it (`1h2m3.5s`); throws an Error with Go's text. */
export function parseDuration(text: string): number {
  if (!WHOLE.test(text)) throw new Error(problemOf(text))
  let total = 0
  for (const [, amount = '0', unit = ''] of text.matchAll(PART)) total += Number(amount) * (UNITS[unit] ?? 0)
  return text.startsWith('-') ? -total : total
}

function problemOf(text: string): string {
  const quoted = JSON.stringify(text)
  const body = text.replace(/^[+-]/, '')
  const rest = body.replace(/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|\u03bcs|ms|s|m|h))+/, '')
  const number = /^(?:\d+\.?\d*|\.\d+)/.exec(rest)
  if (number === null) return `time: invalid duration ${quoted}`
  const unit = /^[^\d.]*/.exec(rest.slice(number[0].length))?.[0] ?? ''
  return unit === '' ? `time: missing unit in duration ${quoted}` : `time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`
}
