import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ArgumentError, readArguments } from '../lib/arguments.ts'
import { refuseFile } from '../lib/refuse-file.ts'

const HELP = `Usage: binnacle kubeconfig [--data-dir DIR] [--server URL]

Prints the administrator's kubeconfig of a data directory, for clients elsewhere with another address of the server.

      --data-dir  of a server that has been started (default: data)
      --server    the URL to put in the place of the server's (default: as it is)
`
/** As `server/kubeconfig.ts` writes it. */
const SERVER = /^( +server: ).*$/m

/**
 * Help, where it is asked for, or the administrator's kubeconfig in a data directory, with another address of the server where one is given: for containers, in which there is no other program that reads files.
 * @throws ArgumentError
 */
export function kubeconfigOf(argv: readonly string[], defaultDirectory: string): string {
  const given = readArguments(argv, { 'data-dir': 'value', server: 'value', help: 'switch' }, { h: 'help' }, '')
  if (given.isOn('help')) return HELP
  const server = given.value('server')
  if (server !== undefined && !(URL.canParse(server) && /^https?:\/\/\S+$/.test(server)))
    throw new ArgumentError(`--server ${JSON.stringify(server)} is not the URL of a server`)
  const directory = given.value('data-dir') ?? defaultDirectory
  if (directory === '') throw new ArgumentError('--data-dir is empty')
  refuseFile(directory)
  const file = join(directory, 'admin.kubeconfig')
  if (!existsSync(file)) throw new ArgumentError(`there is no ${file}: a server writes it when it first starts; --data-dir names its directory`)
  const text = readFileSync(file, 'utf8')
  return server === undefined ? text : text.replace(SERVER, (_, member: string) => `${member}${JSON.stringify(server)}`)
}

/** Runs the command of this process. Resolves with the exit code. */
export async function runKubeconfig(argv: readonly string[]): Promise<number> {
  process.stdout.write(kubeconfigOf(argv, 'data'))
  return 0
}
