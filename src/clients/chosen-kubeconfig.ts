import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { ArgumentError } from '../lib/arguments.ts'

/** As a server of this program writes it in its default data directory. */
const OF_SERVER = 'data/admin.kubeconfig'

/** The kubeconfig of a command to which none is named: the first of $KUBECONFIG, that of a server started in this directory, or kubectl's own. Throws ArgumentError where there is none. */
export function chosenKubeconfig(given: string | undefined, environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const [first] = (environment.KUBECONFIG ?? '').split(delimiter).filter(path => path !== '')
  const named = given ?? first
  if (named !== undefined) return named
  const found = [OF_SERVER, join(environment.HOME ?? homedir(), '.kube/config')].find(path => existsSync(path))
  if (found === undefined)
    throw new ArgumentError(
      `which server? Name a kubeconfig by --kubeconfig or $KUBECONFIG: there is neither ${OF_SERVER} in this directory nor ~/.kube/config`,
    )
  return found
}
