/** Signals that keys of a terminal send. */
export type KeySignal = 'SIGINT' | 'SIGQUIT'

/** Effect of typed bytes. */
export interface Typed {
  /** Bytes that the terminal shows. */
  readonly echo: Buffer
  /** Finished lines, for the program. */
  readonly input: Buffer
  readonly signals: readonly KeySignal[]
  /** Whether the input ends. */
  readonly isEnd: boolean
}

/** Longest line in bytes, as in Linux. Further bytes are dropped with a bell. */
const MAX_LINE = 4095
const [INTERRUPT, END, BACKSPACE, TAB, NEWLINE, RETURN, KILL, ERASE_WORD, SUSPEND, QUIT, DELETE] = [
  3, 4, 8, 9, 10, 13, 21, 23, 26, 28, 127,
] as const
const BELL = 7
const SPACE = 32

/** Bytes that are appended one by one. An array of numbers takes ten times as long. */
class ByteList {
  #bytes = Buffer.allocUnsafe(64)
  length = 0

  push(byte: number): void {
    if (this.length === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], 2 * this.length)
    this.#bytes[this.length++] = byte
  }

  /** Removes and returns the last byte. Undefined if there is none. */
  pop(): number | undefined {
    return this.length === 0 ? undefined : this.#bytes[--this.length]
  }

  /** Returns the last byte. Undefined if there is none. */
  last(): number | undefined {
    return this.#bytes[this.length - 1]
  }

  /** Returns the bytes. They change with the list. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.length)
  }
}

/**
 * Edits lines as the line discipline of a Linux terminal does in its canonical mode, with its default keys: the program
 * receives whole lines. It has no I/O. Source: termios(3).
 */
export class LineDiscipline {
  readonly #line = new ByteList()

  /** Takes bytes as the client's keyboard sends them. */
  type(bytes: Uint8Array): Typed {
    const echo = new ByteList()
    const input = new ByteList()
    const signals: KeySignal[] = []
    const typed = (isEnd: boolean): Typed => ({ echo: echo.bytes(), input: input.bytes(), signals, isEnd })
    for (const byte of bytes) {
      if (byte === END) {
        if (this.#line.length === 0) return typed(true)
        this.#finish(input)
      } else if (byte === INTERRUPT || byte === QUIT) {
        show(byte, echo)
        this.#line.length = 0
        signals.push(byte === INTERRUPT ? 'SIGINT' : 'SIGQUIT')
      } else this.#key(byte === RETURN ? NEWLINE : byte, echo, input)
    }
    return typed(false)
  }

  #key(byte: number, echo: ByteList, input: ByteList): void {
    if (byte === NEWLINE) {
      echo.push(RETURN)
      echo.push(NEWLINE)
      this.#line.push(NEWLINE)
      this.#finish(input)
    } else if (byte === BACKSPACE || byte === DELETE) this.#erase(echo)
    else if (byte === KILL) while (this.#line.length > 0) this.#erase(echo)
    else if (byte === ERASE_WORD) {
      while (this.#line.last() === SPACE) this.#erase(echo)
      while (this.#line.length > 0 && this.#line.last() !== SPACE) this.#erase(echo)
    } else if (byte === SUSPEND) show(byte, echo)
    else if (this.#line.length >= MAX_LINE) echo.push(BELL)
    else {
      this.#line.push(byte)
      show(byte, echo)
    }
  }

  #finish(input: ByteList): void {
    for (const byte of this.#line.bytes()) input.push(byte)
    this.#line.length = 0
  }

  /** Removes the last character, all of its bytes in UTF-8, and its columns. */
  #erase(echo: ByteList): void {
    let byte = this.#line.pop()
    if (byte === undefined) return
    const columns = isControl(byte) ? 2 : 1
    while (byte !== undefined && isContinuation(byte) && this.#line.length > 0) byte = this.#line.pop()
    for (let i = 0; i < columns; i++) {
      echo.push(BACKSPACE)
      echo.push(SPACE)
      echo.push(BACKSPACE)
    }
  }
}

/** Whether a byte continues a character of UTF-8. */
const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80

/** Whether a byte is shown in two columns, as `^C`. */
const isControl = (byte: number): boolean => byte === DELETE || (byte < SPACE && byte !== TAB)

/** Shows a byte. */
function show(byte: number, echo: ByteList): void {
  if (isControl(byte)) echo.push(0x5e)
  echo.push(isControl(byte) ? byte ^ 0x40 : byte)
}
