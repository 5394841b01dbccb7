import { ClusterError } from '../clients/cluster-client.ts'
import { ArgumentError } from '../lib/arguments.ts'
import { InputBoundError } from '../lib/bounded-input.ts'
import { errorCode } from '../lib/error-code.ts'
import { printable } from '../lib/printable.ts'
import { BackendError } from '../storage/backend.ts'
import { BoltError } from '../storage/etcd-snapshot/bolt-file.ts'
import { EncryptionConfigError } from '../storage/value/encryption-file.ts'
import { ManifestError } from '../upgrade/manifests.ts'
import { COMMANDS } from './commands.ts'

/** Whether the message of an error is for the user: errors of the command line, files, servers and stores. */
const isOfUser = (error: unknown): error is Error =>
  [ArgumentError, ManifestError, ClusterError, BackendError, BoltError, EncryptionConfigError, InputBoundError].some(
    kind => error instanceof kind,
  ) ||
  (error instanceof Error && 'code' in error)

async function main([name = '', ...argv]: readonly string[]): Promise<number> {
  const streams = { out: (text: string) => void process.stdout.write(text), err: (text: string) => void process.stderr.write(text) }
  try {
    return (await COMMANDS[name]?.(argv, streams)) ?? 2
  } catch (error) {
    if (!isOfUser(error)) throw error
    streams.err(`Error: ${printable(error.message)}\n`)
    return 2
  }
}

/** Whether output could not be written. */
let isCut = false
process.stdout.on('error', (error: Error) => {
  isCut = true
  // A closed pipe is not reported: its reader, such as `head`, has read enough.
  if (errorCode(error) !== 'EPIPE') process.stderr.write(`Error: ${error.message}\n`)
  process.exitCode = 2
})

void main(process.argv.slice(2)).then(
  status => {
    process.exitCode = isCut ? 2 : status
  },
  (error: unknown) => {
    process.stderr.write(`Error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
    process.exitCode = 2
  },
)
