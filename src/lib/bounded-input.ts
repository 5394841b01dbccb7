import { closeSync, openSync, readSync } from 'node:fs'

/** Input that exceeds a bound. The message names the bound and the flag that raises it, if there is one. */
export class InputBoundError extends Error {
  override readonly name = 'InputBoundError'
}

const PIECE_BYTES = 1 << 20

/**
 * Reads a file, a pipe or a device up to a bound; `-` is standard input. The reported size is not used: pipes and devices have none, and files grow.
 * @throws InputBoundError if there is more data, which is not read; errors of the system
 */
export function readBoundedFile(path: string, maxBytes: number, flag?: string): Buffer {
  const descriptor = path === '-' ? 0 : openSync(path, 'r')
  try {
    const pieces: Buffer[] = []
    let size = 0
    for (;;) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES)
      const read = readSync(descriptor, piece, 0, piece.length, null)
      if (read === 0) return Buffer.concat(pieces, size)
      size += read
      if (size > maxBytes) throw new InputBoundError(`it has more than ${maxBytes} bytes${flagHint(flag)}`)
      pieces.push(piece.subarray(0, read))
    }
  } finally {
    if (descriptor !== 0) closeSync(descriptor)
  }
}

/** Text that names the flag which raises a bound. */
export const flagHint = (flag: string | undefined): string => (flag === undefined ? '' : ` (--${flag} raises the bound)`)
