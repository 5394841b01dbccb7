import { ClusterError } from '../clients/cluster-client.ts'
import { FlagError } from '../config/parse-flags.ts'
import { ArgumentError } from '../lib/arguments.ts'
import { InputBoundError } from '../lib/bounded-input.ts'
import { errorCode } from '../lib/error-code.ts'
import { printable } from '../lib/printable.ts'
import { LifecycleError } from '../lifecycle/gates.ts'
import { BackendError } from '../storage/backend.ts'
import { BoltError } from '../storage/etcd-snapshot/bolt-file.ts'
import { EncryptionConfigError } from '../storage/value/encryption-file.ts'
import { ManifestError } from '../upgrade/manifests.ts'
import { runCheck } from './check-command.ts'

/** Whether the message of an error is for the user: errors of the command line, files, servers and stores. */
const isOfUser = (error: unknown): error is Error =>
  [
    ArgumentError,
    FlagError,
    LifecycleError,
    ManifestError,
    ClusterError,
    BackendError,
    BoltError,
    EncryptionConfigError,
    InputBoundError,
  ].some(kind => error instanceof kind) ||
  (error instanceof Error && 'code' in error)

/** Runs the command of this process, and sets its exit code. */
export function main(): void {
  process.stdout.on('error', (error: Error) => {
    // The reader of a closed pipe, such as `head`, has read enough.
    if (errorCode(error) !== 'EPIPE') process.stderr.write(`Error: ${error.message}\n`)
    process.exitCode = 2
  })
  const streams = { out: (text: string) => void process.stdout.write(text), err: (text: string) => void process.stderr.write(text) }
  void runCheck(process.argv.slice(3), streams).then(
    status => {
      process.exitCode = status
    },
    (error: unknown) => {
      streams.err(
        `Error: ${isOfUser(error) ? printable(error.message) : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
      )
      process.exitCode = 2
    },
  )
}
