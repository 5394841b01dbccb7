/** A file of a tar archive, as a test writes it. */
export interface TarFile {
  readonly name: string
  readonly bytes?: Buffer
  /** `0`: a file, `2`: a symbolic link, `x`: records of POSIX, `L`: a long name of GNU. */
  readonly type?: string
  /** Size in the header, if it differs from that of the bytes. */
  readonly size?: number
}

const BLOCK = 512

/** A tar archive (ustar). */
export const tarFile = (files: readonly TarFile[]): Buffer => Buffer.concat([...files.flatMap(entryOf), Buffer.alloc(2 * BLOCK)])

function entryOf({ name, bytes = Buffer.alloc(0), type = '0', size = bytes.length }: TarFile): Buffer[] {
  const header = Buffer.alloc(BLOCK)
  header.write(name, 0, 100)
  header.write('0000600\0', 100)
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  header.write('        ', 148)
  header.write(type, 156)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return [header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]
}
