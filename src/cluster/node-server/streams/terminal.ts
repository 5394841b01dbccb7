import { PassThrough, type Readable, Transform, type Writable } from 'node:stream'
import { type Json, objectIn } from '../../../api/meta/object.ts'
import { type KeySignal, LineDiscipline } from './line-discipline.ts'

/** Size in characters. */
export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

/** A terminal between a client and a command. */
export interface Terminal {
  /** Size that the client has reported last. Undefined if it has reported none. */
  readonly size: TerminalSize | undefined
  /** Resolves when the size is known, or after a short time without it. */
  sized(): Promise<void>
  /** Calls the listener for keys that send a signal, and with SIGWINCH when the size has changed. */
  onSignal(listener: (signal: KeySignal | 'SIGWINCH') => void): void
}

/** Streams of a command behind a terminal. */
export interface TerminalStreams {
  /** Lines of the client. Undefined if it sends no input. */
  readonly stdin: Readable | undefined
  /** Output, whose line ends become those of a terminal. Undefined if the client reads none. */
  readonly stdout: Writable | undefined
  readonly terminal: Terminal
}

/** Time in milliseconds for the size, which clients send at once. */
const SIZE_MS = 200
/**
 * Bytes of lines that wait for the command. Further ones are dropped with a bell, as by a full terminal. If none wait,
 * all lines of a piece of input are taken.
 */
const MAX_WAITING = 64 * 1024
/** Longest message with a size, in characters. */
const MAX_SIZE_TEXT = 1024
const BELL = Buffer.from([7])

/**
 * Puts a terminal between a client and its command: input is echoed and edited in lines, keys send signals, and line
 * ends are those of terminals. The command itself has pipes, so it does not know of the terminal.
 * @param resize sizes that the client sends. Undefined if it sends none
 */
export function openTerminal(stdin: Readable | undefined, stdout: Writable | undefined, resize: Readable | undefined): TerminalStreams {
  const listeners: ((signal: KeySignal | 'SIGWINCH') => void)[] = []
  const signalAll = (signal: KeySignal | 'SIGWINCH'): void => {
    for (const listener of listeners) listener(signal)
  }
  let size: TerminalSize | undefined
  let settle: () => void = () => {}
  const known = new Promise<void>(resolve => {
    settle = resolve
  })
  if (resize === undefined) settle()
  else
    readSizes(resize, next => {
      const isChange = size !== undefined
      size = next
      settle()
      if (isChange) signalAll('SIGWINCH')
    })
  const output = stdout && withLineEnds(stdout)
  return {
    stdin: stdin && editedLines(stdin, stdout, signalAll),
    stdout: output,
    terminal: {
      get size() {
        return size
      },
      async sized() {
        const timer = setTimeout(settle, SIZE_MS)
        await known
        clearTimeout(timer)
      },
      onSignal: listener => void listeners.push(listener),
    },
  }
}

/** Returns the client's input in lines, and shows it on the client's output. */
function editedLines(stdin: Readable, stdout: Writable | undefined, signal: (signal: KeySignal) => void): Readable {
  const discipline = new LineDiscipline()
  const lines = new PassThrough({ highWaterMark: MAX_WAITING })
  const show = (bytes: Buffer): void => {
    // The client may type when the command has ended already.
    if (bytes.length === 0 || !stdout?.writable || stdout.write(bytes)) return
    stdin.pause()
    stdout.once('drain', () => stdin.resume())
  }
  stdin.on('data', (bytes: Buffer) => {
    const { echo, input, signals, isEnd } = discipline.type(bytes)
    show(echo)
    for (const each of signals) signal(each)
    if (lines.writableEnded) return
    const waiting = lines.readableLength + lines.writableLength
    if (waiting > 0 && waiting + input.length > MAX_WAITING) show(BELL)
    else if (input.length > 0) lines.write(input)
    if (isEnd) lines.end()
  })
  stdin.once('end', () => lines.end()).once('close', () => lines.end())
  return lines
}

/** Returns a stream whose line feeds reach the client as carriage return and line feed. */
function withLineEnds(stdout: Writable): Writable {
  const converted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      done(null, chunk.includes(10) ? Buffer.from(chunk.toString('latin1').replaceAll('\n', '\r\n'), 'latin1') : chunk)
    },
  })
  // Data behind the end is dropped, as on the stream of the client.
  converted.on('error', () => {})
  converted.pipe(stdout)
  stdout.once('close', () => converted.destroy())
  return converted
}

/** Reads `{"Width":80,"Height":24}`, one after the other. Anything else is ignored. */
function readSizes(resize: Readable, sized: (size: TerminalSize) => void): void {
  let text = ''
  resize.on('data', (bytes: Buffer) => {
    text = (text + bytes.toString('latin1')).slice(-MAX_SIZE_TEXT)
    const end = text.lastIndexOf('}')
    const size = end < 0 ? undefined : parsedSize(text.slice(text.lastIndexOf('{', end), end + 1))
    if (end >= 0) text = text.slice(end + 1)
    if (size) sized(size)
  })
}

function parsedSize(text: string): TerminalSize | undefined {
  try {
    const { Width: columns, Height: rows } = objectIn(JSON.parse(text) as Json)
    const isCount = (each: unknown): each is number => typeof each === 'number' && Number.isInteger(each) && each > 0 && each < 65_536
    return isCount(columns) && isCount(rows) ? { columns, rows } : undefined
  } catch {
    return undefined
  }
}
