import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

/** As a server of this program writes it in its default data directory. */
const OF_SERVER = 'data/admin.kubeconfig'

/** The kubeconfig of a command to which none is named: the first of $KUBECONFIG, that of a server started in this directory, or kubectl's own. */
export function chosenKubeconfig(given: string | undefined, environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const [first] = (environment.KUBECONFIG ?? '').split(delimiter).filter(path => path !== '')
  return given ?? first ?? (existsSync(OF_SERVER) ? OF_SERVER : join(homedir(), '.kube/config'))
}
