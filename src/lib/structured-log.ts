import type { Logger } from './log.ts'

export interface LogOptions {
  /** klog's `-v`: debug lines up to this level are written. */
  readonly verbosity: number
  /** `text`: `time level message key=value …`; `json`: one object a line. */
  readonly format: 'text' | 'json'
  /** Takes one line, newline included. */
  write(line: string): void
  now(): number
  /** On every line. */
  readonly fields?: Readonly<Record<string, unknown>>
}

type Fields = Readonly<Record<string, unknown>>

/** Writes each line at once; the caller decides where to. */
export function createLogger(options: LogOptions): Logger {
  const print = options.format === 'json' ? jsonLine : textLine
  const write = (level: string, message: string, fields: Fields = {}): void =>
    options.write(print(new Date(options.now()), level, message, { ...options.fields, ...fields }))
  return {
    info: (message, fields) => write('info', message, fields),
    warn: (message, fields) => write('warn', message, fields),
    error: (message, fields) => write('error', message, fields),
    debug: (level, message, fields) => {
      if (level <= options.verbosity) write('debug', message, fields)
    },
  }
}

function jsonLine(time: Date, level: string, message: string, fields: Fields): string {
  return `${JSON.stringify({ ts: time.toISOString(), level, msg: message, ...fields }, printable)}\n`
}

function printable(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  return value instanceof Error ? (value.stack ?? value.message) : value
}

function textLine(time: Date, level: string, message: string, fields: Fields): string {
  let line = `${time.toISOString()} ${level.padEnd(5)} ${message}`
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) line += ` ${name}=${textOf(value)}`
  return `${line}\n`
}

function textOf(value: unknown): string {
  if (value instanceof Error) return quoted(value.stack ?? value.message)
  if (typeof value === 'string') return /^[^\s"=\p{Cc}]+$/u.test(value) ? value : quoted(value)
  return typeof value === 'object' && value !== null ? JSON.stringify(value, printable) : String(value)
}

/** No control character is left: clients choose much of what is logged, and a terminal would obey. */
const quoted = (text: string): string => JSON.stringify(text).replace(/\p{Cc}/gu, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
