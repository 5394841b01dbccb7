import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ArgumentError, readArguments, type Streams } from '../lib/arguments.ts'
import { printable } from '../lib/printable.ts'
import { verifyStore } from '../storage/embedded/verify-store.ts'

const USAGE = `Usage: binnacle verify DIR

Reads the whole embedded store of a data directory that is not in use, and prints one line for each damaged key. Nothing is changed.

Exit status: 0 if the store is sound, 1 if it is damaged, 2 if it cannot be read.
`

/** Runs the command. Resolves with the exit status. */
export async function runVerify(argv: readonly string[], { out, err }: Streams): Promise<number> {
  const given = readArguments(argv, { directory: 'values', help: 'switch' }, { h: 'help' }, 'directory')
  if (given.isOn('help')) {
    out(USAGE)
    return 0
  }
  const [directory, ...more] = given.values('directory')
  if (directory === undefined || more.length > 0) throw new ArgumentError('one data directory is required: binnacle verify DIR')
  const inside = join(directory, 'store')
  const { lines, more: others, rows, unchecked } = await verifyStore(existsSync(inside) ? inside : directory)
  for (const line of lines) out(`${printable(line)}\n`)
  if (others > 0) out(`and ${others} more\n`)
  const damages = lines.length + others
  err(`${rows} rows read, ${damages === 0 ? 'no damage' : `${damages} damaged`}\n`)
  if (unchecked > 0) err(`${unchecked} rows of an earlier version have no checksum: only their format was verified\n`)
  return damages === 0 ? 0 : 1
}
