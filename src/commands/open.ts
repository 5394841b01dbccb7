import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isSea } from 'node:sea'
import { ArgumentError, readArguments, type Streams } from '../lib/arguments.ts'
import { DEFAULT_RELEASE } from '../lifecycle/release.ts'
import { looksLikeBolt } from '../storage/etcd-snapshot/bolt-file.ts'
import { LIMIT_OPTIONS, LIMITS_USAGE } from '../upgrade/input-limits.ts'
import { runImport } from './import.ts'

const USAGE = `Usage: binnacle open BACKUP [flags]

Serves a backup of a cluster, read-only, until it is interrupted: a snapshot of etcd, a file or folder of objects, or a packed folder (tar.gz), as for binnacle import.
To make changes, create a branch: binnacle branch NAME.
The store is in a temporary directory, which is removed at the end.

      --secure-port     port of the server (default: a free one)
      --kubeconfig-out  path of the administrator's kubeconfig (default: in the temporary directory)
      --encryption-provider-config
                        the EncryptionConfiguration of the cluster, if its snapshot is encrypted
      --etcd-prefix     prefix of the keys of the snapshot (default /registry)
      --skip-hash-check reads a snapshot without verifying the hash at its end, which member/snap/db of a member does not have
      --release         release that the server emulates (default ${DEFAULT_RELEASE})
      --console         serves a console for browsers; the log has a link to it

${LIMITS_USAGE}`

const OPTIONS = {
  backup: 'values',
  'secure-port': 'value',
  'kubeconfig-out': 'value',
  'encryption-provider-config': 'value',
  'etcd-prefix': 'value',
  'skip-hash-check': 'switch',
  ...LIMIT_OPTIONS,
  release: 'value',
  console: 'switch',
  help: 'switch',
} as const

/** Flags of the server, by the command's flag. */
const OF_SERVER = {
  'kubeconfig-out': 'kubeconfig-out',
  'encryption-provider-config': 'encryption-provider-config',
  'etcd-prefix': 'etcd-prefix',
  release: 'emulated-version',
} as const

/** Number of branches that the server allows. */
const BRANCHES = 4

/** Runs the command. Resolves with the exit status of the server. */
export async function runOpen(argv: readonly string[], streams: Streams): Promise<number> {
  const given = readArguments(argv, OPTIONS, { h: 'help' }, 'backup')
  const [backup, ...more] = given.values('backup')
  if (given.isOn('help')) {
    streams.out(USAGE)
    return 0
  }
  if (!backup || more.length > 0) throw new ArgumentError('one backup is required: binnacle open BACKUP')
  if (!existsSync(backup)) throw new ArgumentError(`${backup}: no such file or folder`)
  const flag = (name: string, as = name): string[] => {
    const value = given.value(name)
    return value === undefined ? [] : [`--${as}=${value}`]
  }
  const directory = mkdtempSync(join(tmpdir(), 'binnacle-open-'))
  try {
    const isStore = isSnapshot(backup)
    const how = [
      ...(isStore
        ? ['--snapshot', backup, ...(given.isOn('skip-hash-check') ? ['--skip-hash-check'] : [])]
        : ['-f', backup, ...flag('encryption-provider-config')]),
      ...flag('etcd-prefix'),
      ...flag('release'),
      ...Object.keys(LIMIT_OPTIONS).flatMap(name => flag(name)),
    ]
    // Objects that cannot be read are reported, and the others are served.
    await runImport([...how, '--data-dir', directory], { out: streams.err, err: streams.err })
    const flags = [...Object.entries(OF_SERVER).flatMap(([name, as]) => flag(name, as)), ...(given.isOn('console') ? ['--console'] : [])]
    return await served([
      `--data-dir=${directory}`,
      '--profile=apiserver',
      '--read-only',
      `--branches=${BRANCHES}`,
      `--secure-port=${given.value('secure-port') ?? '0'}`,
      ...flags,
    ])
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Reports whether the file is an etcd snapshot. A damaged one is, too; the import rejects it. */
const isSnapshot = (path: string): boolean => statSync(path).isFile() && looksLikeBolt(path)

/** Runs this program as a server. Termination signals are passed on to it, and its exit is awaited. */
async function served(flags: readonly string[]): Promise<number> {
  const program = isSea() ? [] : process.argv.slice(1, 2)
  const child = spawn(process.execPath, [...process.execArgv, ...program, ...flags], { stdio: 'inherit' })
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, pass)
  const [code]: unknown[] = await once(child, 'exit')
  return typeof code === 'number' ? code : 1
}
