import { ClusterError } from '../clients/cluster-client.ts'
import { ArgumentError } from '../lib/arguments.ts'
import { InputBoundError } from '../lib/bounded-input.ts'
import { errorCode } from '../lib/error-code.ts'
import { printable } from '../lib/printable.ts'
import { BackendError } from '../storage/backend.ts'
import { BoltError } from '../storage/etcd-snapshot/bolt-file.ts'
import { EncryptionConfigError } from '../storage/value/encryption-file.ts'
import { runConvert } from '../upgrade/convert-command.ts'
import { ManifestError } from '../upgrade/manifests.ts'
import { runReport } from '../upgrade/report-command.ts'
import { runConsole } from './console.ts'
import { runExport } from './export.ts'
import { runDiff } from './history/diff.ts'
import { runLog } from './history/log.ts'
import { runShow } from './history/show.ts'
import { runUndo } from './history/undo.ts'
import { runImport } from './import.ts'
import { runAt } from './mounts/at.ts'
import { runBranch } from './mounts/branch.ts'
import { runMerge } from './mounts/merge.ts'
import { runOpen } from './open.ts'
import { runSnapshot } from './snapshot.ts'
import { runVerify } from './verify.ts'
import { runWhy } from './why/why.ts'

/** What a command that serves nothing does with its arguments; resolves with the exit status. */
const COMMANDS: Readonly<Record<string, typeof runConvert>> = {
  at: runAt,
  branch: runBranch,
  console: runConsole,
  convert: runConvert,
  diff: runDiff,
  export: runExport,
  import: runImport,
  log: runLog,
  merge: runMerge,
  open: runOpen,
  show: runShow,
  snapshot: runSnapshot,
  undo: runUndo,
  'upgrade-report': runReport,
  verify: runVerify,
  why: runWhy,
}

/** Errors whose message says what the user can mend: the command line, files, servers and stores. */
const isOfUser = (error: unknown): error is Error =>
  [ArgumentError, ManifestError, ClusterError, BackendError, BoltError, EncryptionConfigError, InputBoundError].some(kind => error instanceof kind) ||
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

/** Part of the result could not be written. */
let isCut = false
process.stdout.on('error', (error: Error) => {
  isCut = true
  // Who reads a pipe may have seen enough.
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
