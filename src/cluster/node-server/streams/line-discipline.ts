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

/**
 * Edits lines as the line discipline of a Linux terminal does in its canonical mode, with its default keys: the program
 * receives whole lines. It has no I/O. Source: termios(3).
 */
export class LineDiscipline {
  #line: number[] = []

  /** Takes bytes as the client's keyboard sends them. */
  type(bytes: Uint8Array): Typed {
    const echo: number[] = []
    const input: number[] = []
    const signals: KeySignal[] = []
    for (const byte of bytes) {
      if (byte === END) {
        if (this.#line.length === 0) return { echo: Buffer.from(echo), input: Buffer.from(input), signals, isEnd: true }
        this.#finish(input)
      } else if (byte === INTERRUPT || byte === QUIT) {
        echo.push(...shown(byte))
        this.#line = []
        signals.push(byte === INTERRUPT ? 'SIGINT' : 'SIGQUIT')
      } else this.#key(byte === RETURN ? NEWLINE : byte, echo, input)
    }
    return { echo: Buffer.from(echo), input: Buffer.from(input), signals, isEnd: false }
  }

  #key(byte: number, echo: number[], input: number[]): void {
    if (byte === NEWLINE) {
      echo.push(RETURN, NEWLINE)
      this.#line.push(NEWLINE)
      this.#finish(input)
    } else if (byte === BACKSPACE || byte === DELETE) this.#erase(echo)
    else if (byte === KILL) while (this.#line.length > 0) this.#erase(echo)
    else if (byte === ERASE_WORD) {
      while (this.#line.at(-1) === SPACE) this.#erase(echo)
      while (this.#line.length > 0 && this.#line.at(-1) !== SPACE) this.#erase(echo)
    } else if (byte === SUSPEND) echo.push(...shown(byte))
    else if (this.#line.length >= MAX_LINE) echo.push(BELL)
    else {
      this.#line.push(byte)
      echo.push(...shown(byte))
    }
  }

  #finish(input: number[]): void {
    for (const byte of this.#line) input.push(byte)
    this.#line = []
  }

  /** Removes the last character, all of its bytes in UTF-8, and its columns. */
  #erase(echo: number[]): void {
    let byte = this.#line.pop()
    if (byte === undefined) return
    const columns = shown(byte).length
    while (byte !== undefined && isContinuation(byte) && this.#line.length > 0) byte = this.#line.pop()
    for (let i = 0; i < columns; i++) echo.push(BACKSPACE, SPACE, BACKSPACE)
  }
}

/** Whether a byte continues a character of UTF-8. */
const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80

/** Bytes that show a byte: control characters as `^C`. */
const shown = (byte: number): number[] => (byte === DELETE ? [0x5e, 0x3f] : byte < SPACE && byte !== TAB ? [0x5e, byte + 0x40] : [byte])
