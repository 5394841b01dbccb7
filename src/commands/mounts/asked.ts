import { chosenKubeconfig } from '../../clients/chosen-kubeconfig.ts'
import { kubeconfigAt, serverOf } from '../../clients/cluster-access.ts'
import { askedError, type ClusterClient } from '../../clients/cluster-client.ts'
import { yamlBytes } from '../../codec/yaml.ts'
import { type Arguments, type Option, readArguments, type Streams } from '../../lib/arguments.ts'
import { withServer } from '../with-server.ts'

/** Of commands about moments and branches, what the command line says, and the server that it is about. */
export interface AskedServer {
  readonly given: Arguments
  readonly client: ClusterClient
  /** Prints a kubeconfig for what is served below a path of the server: as the same user. */
  printKubeconfig(path: string): void
}

const COMMON = { argument: 'values', kubeconfig: 'value', context: 'value', help: 'switch' } as const

const COMMON_USAGE = `
      --kubeconfig  default: $KUBECONFIG, data/admin.kubeconfig where there is one, ~/.kube/config
      --context     of the kubeconfig; the current one unless given
`

/** A command about moments or branches. */
export interface ServerCommand {
  readonly options?: Readonly<Record<string, Option>>
  readonly usage: string
  /** What a server lacks that does not serve the paths. */
  readonly lack: string
  /** Throws ArgumentError for what the command cannot do, before a server is asked. */
  check(given: Arguments): void
}

/** Runs `ask`, unless help is asked for. Throws ArgumentError, ClusterError. */
export async function aboutServer(
  argv: readonly string[],
  { options = {}, usage, lack, check }: ServerCommand,
  { out }: Streams,
  ask: (asked: AskedServer) => Promise<number>,
): Promise<number> {
  const given = readArguments(argv, { ...COMMON, ...options }, { h: 'help' }, 'argument')
  if (given.isOn('help')) {
    out(usage + COMMON_USAGE)
    return 0
  }
  check(given)
  const printKubeconfig = (path: string): void =>
    out(yamlBytes(kubeconfigAt(chosenKubeconfig(given.value('kubeconfig')), given.value('context'), path)).toString())
  const asked = (client: ClusterClient): Promise<number> =>
    ask({ given, client, printKubeconfig }).catch((error: unknown) => {
      throw askedError(error, `${client.server.origin} ${lack}`)
    })
  return withServer(given, asked, serverOf)
}
