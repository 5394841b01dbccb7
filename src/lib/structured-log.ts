import type { Logger } from './log.ts'

/** Options of `createLogger`. */
export interface LogOptions {
  /** Verbosity like klog's `-v`: debug lines up to this level are written. */
  readonly verbosity: number
  /** `text`: `time level message key=value …`. `json`: one object a line. */
  readonly format: 'text' | 'json'
  /** Receives one line, including the newline. */
  write(line: string): void
  now(): number
  /** Optional. Fields that are added to every line. */
  readonly fields?: Readonly<Record<string, unknown>>
}

type LogFields = Readonly<Record<string, unknown>>

/** Creates a logger that passes each line to `write` immediately. */
export function createLogger(options: LogOptions): Logger {
  const print = options.format === 'json' ? jsonLine : textLine
  const write = (level: string, message: string, fields: LogFields = {}): void =>
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

function jsonLine(time: Date, level: string, message: string, fields: LogFields): string {
  return `${JSON.stringify({ ts: time.toISOString(), level, msg: message, ...fields }, printable)}\n`
}

function printable(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  return value instanceof Error ? (value.stack ?? value.message) : value
}

function textLine(time: Date, level: string, message: string, fields: LogFields): string {
  let line = `${time.toISOString()} ${level.padEnd(5)} ${message}`
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) line += ` ${name}=${logValue(value)}`
  return `${line}\n`
}

function logValue(value: unknown): string {
  if (value instanceof Error) return quoteLogged(value.stack ?? value.message)
  if (typeof value === 'string') return /^[^\s"=\p{Cc}]+$/u.test(value) ? value : quoteLogged(value)
  return typeof value === 'object' && value !== null ? JSON.stringify(value, printable) : String(value)
}

/**
 * Quotes a text and escapes all control characters: clients choose much of what is logged, and a terminal would
 * interpret them.
 */
const quoteLogged = (text: string): string =>
  JSON.stringify(text).replace(/\p{Cc}/gu, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
