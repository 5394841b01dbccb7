import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { ArgumentError } from '../lib/arguments.ts'

/** Path at which a server writes its kubeconfig by default. */
const OF_SERVER = 'data/admin.kubeconfig'

/**
 * Kubeconfig of a command: the given one, the first of $KUBECONFIG, that of a server started in this directory, or
 * kubectl's default. Throws ArgumentError if none exists.
 */
export function chosenKubeconfig(
  given: string | undefined,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const [first] = (environment.KUBECONFIG ?? '').split(delimiter).filter(path => path !== '')
  const named = given ?? first
  if (named !== undefined) return named
  const found = [OF_SERVER, join(environment.HOME ?? homedir(), '.kube/config')].find(path => existsSync(path))
  if (found === undefined)
    throw new ArgumentError(
      `no kubeconfig found: use --kubeconfig or $KUBECONFIG, because neither ${OF_SERVER} in this directory nor ~/.kube/config exists`,
    )
  return found
}
