/**
 * Program: ends itself while the thread that commits a change to the embedded store of a directory waits for the event
 * loop.
 */
import { exitAtRest } from '../../src/lib/exit-at-rest.ts'
import { openTables } from '../../src/storage/embedded/tables.ts'

const [, , dir = ''] = process.argv
const tables = await openTables(dir)
await tables.commit(() => exitAtRest(3))
