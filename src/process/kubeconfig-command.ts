import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isHelp } from '../config/command-line.ts'
import { FlagError } from '../config/parse-flags.ts'

const USAGE = 'Usage: binnacle kubeconfig [--data-dir DIR] [--server URL]'
const HELP = `${USAGE}

Prints the administrator's kubeconfig of a data directory (default: data), for clients elsewhere with another address of the server.
`
/** As `server/kubeconfig.ts` writes it. */
const SERVER = /^( +server: ).*$/m

/**
 * Help, where it is asked for, or the administrator's kubeconfig in a data directory, with another address of the server where one is given: for containers, in which there is no other program that reads files.
 * @throws FlagError
 */
export function kubeconfigOf(argv: readonly string[], defaultDirectory: string): string {
  if (isHelp(argv)) return HELP
  const given = new Map<string, string>()
  for (let i = 0; i < argv.length; i++) {
    const [, name, value = argv[++i]] = /^--(data-dir|server)(?:=(.*))?$/s.exec(argv[i] ?? '') ?? []
    if (name === undefined || !value) throw new FlagError(USAGE)
    given.set(name, value)
  }
  const server = given.get('server')
  if (server !== undefined && !(URL.canParse(server) && /^https?:\/\/\S+$/.test(server)))
    throw new FlagError(`--server ${JSON.stringify(server)} is not the URL of a server`)
  const file = join(given.get('data-dir') ?? defaultDirectory, 'admin.kubeconfig')
  if (!existsSync(file)) throw new FlagError(`there is no ${file}: a server writes it when it first starts; --data-dir names its directory`)
  const text = readFileSync(file, 'utf8')
  return server === undefined ? text : text.replace(SERVER, (_, member: string) => `${member}${JSON.stringify(server)}`)
}

/** Runs the command of this process. Resolves with the exit code. */
export async function runKubeconfig(argv: readonly string[]): Promise<number> {
  process.stdout.write(kubeconfigOf(argv, 'data'))
  return 0
}
