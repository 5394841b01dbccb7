import { closeSync, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'

/** Input that exceeds a bound. The message names the bound and the flag that raises it, if there is one. */
export class InputBoundError extends Error {
  override readonly name = 'InputBoundError'
  /** Distinguishes a fault of a file from a bug, like the codes of system errors. */
  readonly code = 'ERR_INPUT_BOUND'
}

/**
 * Limit of a configuration, a certificate, a key or a list of users, in bytes. A ConfigMap or Secret, from which such
 * files often come, holds 1 MiB.
 */
export const CONFIG_FILE_BYTES = 16 * 1024 * 1024

const PIECE_BYTES = 1 << 20
/** Length of the first read. Most configuration files are shorter. */
const FIRST_BYTES = 16 * 1024

/**
 * Reads a file, a pipe or a device up to a bound; `-` is standard input. The reported size is not used: pipes and
 * devices have none, and files grow.
 * @throws InputBoundError if there is more data, which is not read; errors of the system
 */
export function readBoundedFile(path: string, maxBytes: number, flag?: string): Buffer {
  return readUpTo(path, maxBytes, () => new InputBoundError(`it has more than ${maxBytes} bytes${flagHint(flag)}`))
}

/** Reads a configuration file at once. Like `readConfigFile`. */
export const readConfigFileSync = (path: string): Buffer => readUpTo(path, CONFIG_FILE_BYTES, () => tooLong(path, CONFIG_FILE_BYTES))

/**
 * Reads a file that configures the server or a command, up to a bound. It may be a pipe.
 * @throws InputBoundError that names the file if there is more data, which is not read; errors of the system, as
 * `readFile`
 */
export async function readConfigFile(path: string, maxBytes = CONFIG_FILE_BYTES): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    const pieces = new Pieces(maxBytes)
    for (;;) {
      const piece = pieces.next()
      const { bytesRead } = await file.read(piece, 0, piece.length, null)
      if (bytesRead === 0) return pieces.joined()
      if (!pieces.add(piece, bytesRead)) throw tooLong(path, maxBytes)
    }
  } finally {
    await file.close()
  }
}

/** The text of `readConfigFile`. */
export const readConfigText = async (path: string): Promise<string> => (await readConfigFile(path)).toString('utf8')

function readUpTo(path: string, maxBytes: number, exceeded: () => InputBoundError): Buffer {
  const descriptor = path === '-' ? 0 : openSync(path, 'r')
  try {
    const pieces = new Pieces(maxBytes)
    for (;;) {
      const piece = pieces.next()
      const read = readSync(descriptor, piece, 0, piece.length, null)
      if (read === 0) return pieces.joined()
      if (!pieces.add(piece, read)) throw exceeded()
    }
  } finally {
    if (descriptor !== 0) closeSync(descriptor)
  }
}

/** Pieces of a file that is read up to a bound. */
class Pieces {
  readonly #maxBytes: number
  readonly #pieces: Buffer[] = []
  #size = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Returns a buffer for the next read. */
  next(): Buffer {
    return Buffer.allocUnsafeSlow(this.#size === 0 ? FIRST_BYTES : PIECE_BYTES)
  }

  /** Adds the beginning of a piece. Returns false if the bound is exceeded. */
  add(piece: Buffer, length: number): boolean {
    this.#size += length
    this.#pieces.push(piece.subarray(0, length))
    return this.#size <= this.#maxBytes
  }

  joined(): Buffer {
    return Buffer.concat(this.#pieces, this.#size)
  }
}

const tooLong = (path: string, maxBytes: number): InputBoundError =>
  new InputBoundError(`${path} has more than ${maxBytes} bytes, the most that are read of such a file`)

/** Text that names the flag which raises a bound. */
export const flagHint = (flag: string | undefined): string => (flag === undefined ? '' : ` (--${flag} raises the bound)`)
