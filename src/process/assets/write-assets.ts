import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { isSea } from 'node:sea'
import { ArgumentError, readArguments } from '../../lib/arguments.ts'
import { refuseFile } from '../../lib/refuse-file.ts'
import { quoteForShell } from '../../lib/shell-quote.ts'
import { DEFAULT_RELEASE } from '../../lifecycle/release.ts'
import { gitVersion } from '../../server/version.ts'

const HELP = `Usage: binnacle assets DIR [--etcd PATH|stand-in]

Fills a directory for KUBEBUILDER_ASSETS with kube-apiserver (this program), etcd and, if it is installed, kubectl, so that envtest suites run on this program.

      --etcd  path of an etcd, or stand-in to use the server's embedded store (default: the etcd in PATH, otherwise a stand-in)
`
/** Marker in the files that this command writes, which it may replace. */
const MARK = '# Written by `binnacle assets`.'
/** Largest size of a file that may have the marker, in bytes. */
const MOST_BYTES = 16 * 1024

/** Parsed arguments of `binnacle assets`. */
export interface AssetsOptions {
  /** Absolute path of the directory to fill. */
  readonly directory: string
  /** Path of an etcd, or `stand-in`. Defaults to the etcd in PATH, otherwise to a stand-in. */
  readonly etcd: string | undefined
}

const OPTIONS = { directory: 'values', etcd: 'value', help: 'switch' } as const

/** Parses the arguments. Returns undefined for `--help`. Throws an ArgumentError. */
export function assetsOptions(argv: readonly string[]): AssetsOptions | undefined {
  const given = readArguments(argv, OPTIONS, { h: 'help' }, 'directory')
  if (given.isOn('help')) return undefined
  const [directory, ...more] = given.values('directory')
  if (!directory || more.length > 0) throw new ArgumentError('one folder is needed: binnacle assets DIR')
  const etcd = given.value('etcd')
  if (etcd === '') throw new ArgumentError('--etcd is empty: set it to a program, or to stand-in')
  return { directory: resolve(directory), etcd }
}

/** Programs that the files run. */
export interface AssetsEnvironment {
  /** Command lines of this program by name. */
  readonly commands: Readonly<Record<'binnacle' | 'kube-apiserver', readonly string[]>>
  /** Path of Node.js. Omitted if the program is a single executable. */
  readonly node?: string
  /** Search path of other programs, in the form of $PATH. */
  readonly path: string
}

/**
 * Fills a directory as envtest expects it in $KUBEBUILDER_ASSETS. Keeps an etcd or kubectl that is already in it.
 * Returns a line about each file, and the export of the variable. Throws an ArgumentError if a file of another program
 * would be replaced.
 */
export function writeAssets({ directory, etcd }: AssetsOptions, { commands, node, path }: AssetsEnvironment): string[] {
  refuseFile(directory)
  mkdirSync(directory, { recursive: true })
  const place = (name: string): string => join(directory, name)
  const withNode = node === undefined ? [] : [`PATH=${quoteForShell(dirname(node))}:"$PATH"`]
  const run = (program: keyof AssetsEnvironment['commands'], ...more: string[]): string =>
    ['#!/bin/sh', MARK, ...withNode, `exec ${[...commands[program], ...more].map(quoteForShell).join(' ')} "$@"`, ''].join('\n')
  const found =
    etcd === 'stand-in' ? undefined : etcd === undefined ? (theirs(place('etcd')) ?? findProgram('etcd', path)) : executable(etcd)
  if (etcd !== undefined && etcd !== 'stand-in' && found === undefined) throw new ArgumentError(`--etcd ${etcd} is not a program`)

  const lines: string[] = []
  // With this flag the server checks whether etcd is the stand-in, so it also works if the user replaces the stand-in
  // by etcd.
  replace(place('kube-apiserver'), run('kube-apiserver', '--etcd-stand-in'))
  lines.push(`kube-apiserver  binnacle ${gitVersion(DEFAULT_RELEASE)}`)
  if (found === undefined) {
    replace(place('etcd'), run('binnacle', 'etcd-stand-in'))
    lines.push('etcd            a stand-in that stores nothing: objects are in the embedded store of kube-apiserver')
  } else {
    if (found !== place('etcd')) link(found, place('etcd'))
    lines.push(`etcd            ${found}`)
  }
  const kubectl = theirs(place('kubectl')) ?? findProgram('kubectl', path)
  if (kubectl === undefined) lines.push('kubectl         none was found: suites that call it fail')
  else {
    if (kubectl !== place('kubectl')) link(kubectl, place('kubectl'))
    lines.push(`kubectl         ${kubectl}`)
  }
  return [...lines, `export KUBEBUILDER_ASSETS=${quoteForShell(directory)}`]
}

/** Runs the command of this process. Resolves with the exit code. */
export async function runAssets(argv: readonly string[]): Promise<number> {
  const options = assetsOptions(argv)
  if (options === undefined) {
    process.stdout.write(HELP)
    return 0
  }
  const environment = { ...ownCommands(), path: process.env.PATH ?? '' }
  process.stdout.write(`${writeAssets(options, environment).join('\n')}\n`)
  return 0
}

function ownCommands(): Omit<AssetsEnvironment, 'path'> {
  if (isSea()) return { commands: { binnacle: [process.execPath], 'kube-apiserver': [process.execPath, '--profile=apiserver'] } }
  const programs = dirname(realpathSync(process.argv[1] ?? ''))
  return {
    commands: { binnacle: [join(programs, 'binnacle')], 'kube-apiserver': [join(programs, 'kube-apiserver')] },
    node: process.execPath,
  }
}

function executable(file: string): string | undefined {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile() ? resolve(file) : undefined
  } catch {
    return undefined
  }
}

const findProgram = (name: string, path: string): string | undefined =>
  path
    .split(delimiter)
    .filter(directory => directory !== '')
    .map(directory => executable(join(directory, name)))
    .find(file => file !== undefined && !isOurs(file))

/** Whether a file is a launcher that this command has written. */
function isOurs(file: string): boolean {
  const status = statSync(file, { throwIfNoEntry: false })
  return status?.isFile() === true && status.size < MOST_BYTES && readFileSync(file, 'utf8').includes(MARK)
}

/** Returns the file if it is a program that another tool has installed. */
const theirs = (file: string): string | undefined => (existsSync(file) && !isOurs(file) ? executable(file) : undefined)

function clear(file: string): void {
  const status = lstatSync(file, { throwIfNoEntry: false })
  if (status === undefined) return
  // Removing a symbolic link loses no program.
  if (!status.isSymbolicLink() && !isOurs(file)) throw new ArgumentError(`${file} is there already, and of another program`)
  rmSync(file)
}

function replace(file: string, text: string): void {
  clear(file)
  writeFileSync(file, text, { mode: 0o755, flag: 'wx' })
}

function link(target: string, file: string): void {
  clear(file)
  symlinkSync(target, file)
}
