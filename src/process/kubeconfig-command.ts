import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ArgumentError, readArguments } from '../lib/arguments.ts'
import { readConfigFileSync } from '../lib/bounded-input.ts'
import { refuseFile } from '../lib/refuse-file.ts'

const HELP = `Usage: binnacle kubeconfig [--data-dir DIR] [--server URL]

Prints the administrator's kubeconfig from a data directory, optionally with another server URL for clients on other machines.

      --data-dir  data directory of a server that has been started (default: data)
      --server    URL of the server in the kubeconfig (default: the one in the file)
`
/** The line with the server's URL in the format of `kubeconfig.ts`. */
const SERVER = /^( +server: ).*$/m

/**
 * Returns the output of the command: its help, or the administrator's kubeconfig of a data directory, with the URL of
 * `--server` if it is set. It serves containers without a shell, where no other program can read the file.
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
  if (!existsSync(file))
    throw new ArgumentError(`there is no ${file}: a server writes it when it first starts; --data-dir names its directory`)
  const text = readConfigFileSync(file).toString('utf8')
  return server === undefined ? text : text.replace(SERVER, (_, member: string) => `${member}${JSON.stringify(server)}`)
}

/** Runs the command of this process. Resolves with the exit code. */
export async function runKubeconfig(argv: readonly string[]): Promise<number> {
  process.stdout.write(kubeconfigOf(argv, 'data'))
  return 0
}
